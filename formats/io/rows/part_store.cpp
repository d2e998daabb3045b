#include "formats/io/rows/part_store.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace spress::io {

PartStore::PartStore(std::filesystem::path folder, std::size_t buffer_bytes, std::size_t record_bytes)
    : folder_(std::move(folder)), buffer_bytes_(std::max<std::size_t>(buffer_bytes / record_bytes, 1) * record_bytes) {}

std::size_t PartStore::add_parts(std::size_t count) {
  const std::size_t first = parts_.size();
  parts_.resize(first + count);
  return first;
}

Status PartStore::append(std::size_t part, const std::uint8_t* records, std::size_t n) {
  if (n == 0) return Ok{};
  Part& to = parts_[part];
  if (to.buffer.empty()) to.buffer = HostArray<std::uint8_t>(buffer_bytes_);
  to.bytes += n;
  while (n != 0) {
    const std::size_t taken = std::min(n, buffer_bytes_ - to.buffered);
    std::memcpy(to.buffer.data() + to.buffered, records, taken);
    to.buffered += taken;
    records += taken;
    n -= taken;
    if (to.buffered == buffer_bytes_) SPRESS_CHECK(write_out(to));
  }
  return Ok{};
}

Status PartStore::write_out(Part& part) {
  if (!file_.is_open()) {
    SPRESS_TRY(file_, ScratchFile::create(folder_));
  }
  SPRESS_TRY(const std::uint64_t offset, file_.append(part.buffer.data(), part.buffered));
  part.places.push_back({offset, part.buffered});
  part.buffered = 0;
  return Ok{};
}

Status PartStore::flush() {
  if (!file_.is_open()) return Ok{};
  for (Part& part : parts_) {
    if (part.buffered != 0) SPRESS_CHECK(write_out(part));
    part.buffer = {};
  }
  return Ok{};
}

void PartStore::drop(std::size_t part) { parts_[part] = {}; }

}  // namespace spress::io
