#include "formats/io/container/container_layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "formats/io/bytes/endings.hpp"

namespace spress::io::layout {
namespace {

static_assert(std::endian::native == std::endian::little, "the container is little-endian");

struct RawHeader {
  std::array<std::uint8_t, 8> magic;
  std::uint32_t version, flags;
  std::uint64_t descriptor_offset, descriptor_bytes, descriptor_checksum, header_checksum;
};
static_assert(sizeof(RawHeader) == header_bytes);
constexpr std::size_t checked_header_bytes = offsetof(RawHeader, header_checksum);

Error failure(ErrorCode code, std::string message) { return {code, std::move(message)}; }

}  // namespace

Error damaged(std::string message) { return failure(ErrorCode::damaged, std::move(message)); }
Error truncated(std::string message) { return failure(ErrorCode::truncated, std::move(message)); }
Error unsupported(std::string message) { return failure(ErrorCode::unsupported, std::move(message)); }

std::uint64_t checksum64(std::span<const std::uint8_t> bytes) { return XXH64(bytes.data(), bytes.size(), 0); }

std::array<std::uint8_t, header_bytes> encode_header(const Header& header) {
  RawHeader raw = {
      magic, header.version, 0, header.descriptor_offset, header.descriptor_bytes, header.descriptor_checksum, 0};
  std::array<std::uint8_t, header_bytes> bytes;
  std::memcpy(bytes.data(), &raw, header_bytes);
  raw.header_checksum = checksum64(std::span(bytes).first(checked_header_bytes));
  std::memcpy(bytes.data(), &raw, header_bytes);
  return bytes;
}

Result<Header> decode_header(std::span<const std::uint8_t> bytes) {
  const auto begin = bytes.first(std::min(bytes.size(), magic.size()));
  if (!std::equal(begin.begin(), begin.end(), magic.begin())) {
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const CompressionEntry& entry : compressions())
      if (entry.compression == compression_of(head))
        return damaged("not a .spress file, but " + std::string(entry.name) + " data: decompress it first");
    return damaged("not a .spress file: it does not begin with the mark of one");
  }
  if (bytes.size() < header_bytes)
    return truncated("ends within the header: " + std::to_string(bytes.size()) + " bytes, the header alone takes " +
                     std::to_string(header_bytes));
  RawHeader raw;
  std::memcpy(&raw, bytes.data(), header_bytes);
  if (raw.header_checksum != checksum64(bytes.first(checked_header_bytes)))
    return damaged("the header's checksum does not match: fetch the file again");
  if (raw.version != format_version && raw.version != matrix_version)
    return unsupported("container version " + std::to_string(raw.version) +
                       "; this program reads versions 1 and 2: read the file with a newer one");
  if (raw.flags != 0) return unsupported("container flags " + std::to_string(raw.flags) + "; this program knows none");
  const std::uint64_t end = raw.descriptor_offset + raw.descriptor_bytes;
  if (raw.descriptor_offset < header_bytes || end < raw.descriptor_offset)
    return damaged("the header places the descriptor outside the file");
  return Header{raw.version, raw.descriptor_offset, raw.descriptor_bytes, raw.descriptor_checksum};
}

Result<Header> decode_header(std::span<const std::uint8_t> bytes, std::uint64_t file_bytes) {
  SPRESS_TRY(const Header header, decode_header(bytes));
  const std::uint64_t end = header.file_bytes();
  if (file_bytes < end)
    return truncated("ends after " + std::to_string(file_bytes) + " of " + std::to_string(end) +
                     " bytes: fetch the file again");
  if (file_bytes > end)
    return damaged("has " + std::to_string(file_bytes - end) + " bytes behind its end at byte " + std::to_string(end));
  return header;
}

Result<Header> read_header(const ByteSource& source) {
  Scratch scratch;
  const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(source.size(), header_bytes));
  SPRESS_TRY(const auto bytes, source.read(0, begin, scratch));
  return decode_header(bytes, source.size());
}

Result<std::span<const std::uint8_t>> read_descriptor(const ByteSource& source, const Header& header,
                                                      Scratch& scratch) {
  SPRESS_TRY(const auto bytes, source.read(header.descriptor_offset, header.descriptor_bytes, scratch));
  if (checksum64(bytes) != header.descriptor_checksum)
    return damaged("the descriptor's checksum does not match: fetch the file again");
  return bytes;
}

bool must_be_proven(std::uint64_t claimed_bytes, const ByteSource& source) {
  constexpr std::uint64_t trusted_bytes = std::uint64_t{1} << 20, trusted_ratio = 64;
  return claimed_bytes > trusted_bytes && claimed_bytes / trusted_ratio > source.size();
}

}  // namespace spress::io::layout
