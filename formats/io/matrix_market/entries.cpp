#include "formats/io/matrix_market/entries.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace spress::io {

class BlockArena::Chunk {
 public:
  explicit Chunk(std::size_t bytes) : bytes_(bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(memory);
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() { ::munmap(data_, bytes_); }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

BlockArena::Piece BlockArena::take(std::size_t bytes) {
  constexpr std::size_t chunk_bytes = std::size_t{4} << 20, alignment = 16;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (chunk_ == nullptr || bytes > size_ - used_) {
    size_ = std::max(bytes, chunk_bytes);
    chunk_ = std::make_shared<Chunk>(size_);
    used_ = 0;
  }
  Piece piece{chunk_->data() + used_, chunk_};
  used_ += bytes;
  return piece;
}

PackedIds::PackedIds(std::span<const std::uint32_t> ids) : count_(ids.size()) {
  if (ids.empty()) return;
  std::uint32_t smallest = ids[0], largest = ids[0];
  runs_ = 1;
  for (std::size_t k = 1; k < ids.size(); ++k) {
    smallest = std::min(smallest, ids[k]);
    largest = std::max(largest, ids[k]);
    runs_ += ids[k] != ids[k - 1];
  }
  base_ = smallest;
  const bool narrow = largest - smallest <= std::numeric_limits<std::uint16_t>::max();
  coding_ = narrow ? Coding::offset16 : Coding::plain;
  if (runs_ * 2 * sizeof(std::uint32_t) < bytes()) coding_ = Coding::runs;
}

std::size_t PackedIds::bytes() const {
  switch (coding_) {
    case Coding::plain: return count_ * sizeof(std::uint32_t);
    case Coding::offset16: return count_ * sizeof(std::uint16_t);
    default: return runs_ * 2 * sizeof(std::uint32_t);
  }
}

void PackedIds::write(std::span<const std::uint32_t> ids, std::byte* to) {
  data_ = to;
  if (ids.empty()) return;
  if (coding_ == Coding::plain) {
    std::memcpy(to, ids.data(), ids.size_bytes());
  } else if (coding_ == Coding::offset16) {
    auto* offsets = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t k = 0; k < ids.size(); ++k) offsets[k] = static_cast<std::uint16_t>(ids[k] - base_);
  } else {
    auto* run = reinterpret_cast<std::uint32_t*>(to);
    std::size_t begin = 0;
    for (std::size_t k = 1; k <= ids.size(); ++k) {
      if (k < ids.size() && ids[k] == ids[begin]) continue;
      *run++ = ids[begin];
      *run++ = static_cast<std::uint32_t>(k - begin);
      begin = k;
    }
  }
}

void PackedIds::unpack(std::uint32_t* to) const {
  if (count_ == 0) return;
  if (coding_ == Coding::plain) {
    std::memcpy(to, data_, bytes());
  } else if (coding_ == Coding::offset16) {
    const auto* offsets = reinterpret_cast<const std::uint16_t*>(data_);
    for (std::size_t k = 0; k < count_; ++k) to[k] = base_ + offsets[k];
  } else {
    const auto* run = reinterpret_cast<const std::uint32_t*>(data_);
    for (std::size_t r = 0; r < runs_; ++r, run += 2) to = std::fill_n(to, run[1], run[0]);
  }
}

}  // namespace spress::io
