#include "formats/io/bytes/zip_writer.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace spress::io {
namespace {

constexpr std::uint64_t narrow_limit = 0xFFFFFFFF;
constexpr std::uint32_t member_mark = 0x04034b50, sizes_mark = 0x08074b50, directory_mark = 0x02014b50,
                        end_mark = 0x06054b50, wide_end_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint32_t version = 45, sizes_follow = 1 << 3, deflated = 8, wide_field = 1;
constexpr std::uint32_t first_date = 0x21;  // 1 January 1980

/// Little-endian numbers, one behind another.
class Record {
 public:
  Record& u16(std::uint64_t number) { return put(number, 2); }
  Record& u32(std::uint64_t number) { return put(number, 4); }
  Record& u64(std::uint64_t number) { return put(number, 8); }
  Record& text(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::uint64_t number, int bytes) {
    for (int k = 0; k < bytes; ++k, number >>= 8) bytes_ += static_cast<char>(number & 255);
    return *this;
  }
  std::string bytes_;
};

}  // namespace

bool ZipWriter::Member::is_wide() const {
  constexpr std::uint64_t growth = std::uint64_t{64} << 20;  // deflated bytes may be a little more
  return bytes > narrow_limit - growth;
}

ZipWriter::ZipWriter(OutputFile& file) : file_(file), buffer_(std::size_t{256} << 10) {
  constexpr int raw = -15;
  // Level 6 takes five times as long for ids and saves a fortieth of their bytes; noise becomes no smaller by any.
  if (deflateInit2(&zlib_, Z_BEST_SPEED, Z_DEFLATED, raw, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
}

ZipWriter::~ZipWriter() { deflateEnd(&zlib_); }

Status ZipWriter::put(const std::string& bytes) {
  SPRESS_CHECK(file_.write(bytes.data(), bytes.size()));
  place_ += bytes.size();
  return Ok{};
}

Status ZipWriter::begin(const std::string& name, std::uint64_t bytes) {
  if (!members_.empty()) SPRESS_CHECK(end_member());
  const Member& member = members_.emplace_back(Member{name, place_, 0, bytes, 0});
  const bool wide = member.is_wide();
  Record record;
  record.u32(member_mark).u16(version).u16(sizes_follow).u16(deflated).u16(0).u16(first_date);
  record.u32(0);  // crc and sizes follow behind the data
  record.u32(wide ? narrow_limit : 0).u32(wide ? narrow_limit : 0);
  record.u16(name.size()).u16(wide ? 20 : 0).text(name);
  if (wide) record.u16(wide_field).u16(16).u64(0).u64(0);
  deflateReset(&zlib_);
  return put(record.bytes());
}

Status ZipWriter::write(const void* data, std::size_t bytes) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  const auto* from = static_cast<const unsigned char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t n = std::min(most, bytes - done);
    Member& member = members_.back();
    member.crc = static_cast<std::uint32_t>(crc32(member.crc, from + done, static_cast<uInt>(n)));
    SPRESS_CHECK(deflate_some(from + done, n, Z_NO_FLUSH));
    done += n;
  }
  return Ok{};
}

Status ZipWriter::deflate_some(const void* data, std::size_t bytes, int flush) {
  zlib_.next_in = static_cast<unsigned char*>(const_cast<void*>(data));
  zlib_.avail_in = static_cast<uInt>(bytes);
  for (;;) {
    zlib_.next_out = buffer_.data();
    zlib_.avail_out = static_cast<uInt>(buffer_.size());
    const int status = deflate(&zlib_, flush);
    const std::size_t made = buffer_.size() - zlib_.avail_out;
    SPRESS_CHECK(file_.write(buffer_.data(), made));
    place_ += made;
    members_.back().packed += made;
    if (flush == Z_FINISH ? status == Z_STREAM_END : zlib_.avail_in == 0) return Ok{};
  }
}

Status ZipWriter::end_member() {
  SPRESS_CHECK(deflate_some(nullptr, 0, Z_FINISH));
  const Member& member = members_.back();
  Record record;
  record.u32(sizes_mark).u32(member.crc);
  if (member.is_wide())
    record.u64(member.packed).u64(member.bytes);
  else
    record.u32(member.packed).u32(member.bytes);
  return put(record.bytes());
}

Status ZipWriter::finish() {
  if (!members_.empty()) SPRESS_CHECK(end_member());
  const std::uint64_t directory = place_;
  for (const Member& member : members_) {
    const bool wide = member.is_wide(), far = member.place >= narrow_limit;
    Record extra;
    if (wide) extra.u64(member.bytes).u64(member.packed);
    if (far) extra.u64(member.place);
    Record record;
    record.u32(directory_mark).u16(version).u16(version).u16(sizes_follow).u16(deflated).u16(0).u16(first_date);
    record.u32(member.crc).u32(wide ? narrow_limit : member.packed).u32(wide ? narrow_limit : member.bytes);
    record.u16(member.name.size()).u16(extra.bytes().empty() ? 0 : extra.bytes().size() + 4);
    record.u16(0).u16(0).u16(0).u32(0).u32(far ? narrow_limit : member.place).text(member.name);
    if (!extra.bytes().empty()) record.u16(wide_field).u16(extra.bytes().size()).text(extra.bytes());
    SPRESS_CHECK(put(record.bytes()));
  }
  const std::uint64_t bytes = place_ - directory, end = place_;
  Record record;
  if (end >= narrow_limit) {
    record.u32(wide_end_mark).u64(44).u16(version).u16(version).u32(0).u32(0);
    record.u64(members_.size()).u64(members_.size()).u64(bytes).u64(directory);
    record.u32(locator_mark).u32(0).u64(end).u32(1);
  }
  record.u32(end_mark).u16(0).u16(0).u16(members_.size()).u16(members_.size()).u32(bytes);
  record.u32(std::min(directory, narrow_limit)).u16(0);
  return put(record.bytes());
}

}  // namespace spress::io
