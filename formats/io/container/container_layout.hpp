// The fixed parts of the container: the header, the limits, the checksum. Private to formats/io; see container.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "formats/core/result.hpp"
#include "formats/io/bytes/byte_source.hpp"

namespace spress::io::layout {

/// Not text, and changed by whatever changes line ends or drops the eighth bit.
inline constexpr std::array<std::uint8_t, 8> magic = {0x89, 'S', 'P', 'R', '\r', '\n', 0x1A, '\n'};
inline constexpr std::uint32_t format_version = 1;  ///< of a file that holds a format, as it is
inline constexpr std::uint32_t matrix_version = 2;  ///< of a file that holds a matrix, laid out for the file
inline constexpr std::size_t header_bytes = 48;
inline constexpr std::uint64_t largest_block = std::uint64_t{64} << 20;
inline constexpr std::string_view row_perm_array = "ordering_row_perm";
inline constexpr std::string_view col_perm_array = "ordering_col_perm";

struct Header {
  std::uint32_t version = format_version;
  std::uint64_t descriptor_offset = 0, descriptor_bytes = 0, descriptor_checksum = 0;

  [[nodiscard]] std::uint64_t file_bytes() const { return descriptor_offset + descriptor_bytes; }
};

/// XXH64 with seed 0.
[[nodiscard]] std::uint64_t checksum64(std::span<const std::uint8_t> bytes);

[[nodiscard]] std::array<std::uint8_t, header_bytes> encode_header(const Header& header);

/// The header in the first bytes of a file. Errors: truncated, damaged (also: no container at all), unsupported
/// (another version).
[[nodiscard]] Result<Header> decode_header(std::span<const std::uint8_t> bytes);
/// The same for a file of known length. Errors: also truncated and damaged where the header says another length.
[[nodiscard]] Result<Header> decode_header(std::span<const std::uint8_t> bytes, std::uint64_t file_bytes);

/// Reads the header of a file. Errors: as decode_header, and those of the source.
[[nodiscard]] Result<Header> read_header(const ByteSource& source);

/// The bytes of the descriptor, in `scratch` or elsewhere. Errors: damaged where the checksum does not match; those of
/// the source.
[[nodiscard]] Result<std::span<const std::uint8_t>> read_descriptor(const ByteSource& source, const Header& header,
                                                                    Scratch& scratch);

/// A file that claims to hold far more than it is long must be decoded twice: first to nowhere, so that memory is taken
/// only for what is really there.
[[nodiscard]] bool must_be_proven(std::uint64_t claimed_bytes, const ByteSource& source);

[[nodiscard]] Error damaged(std::string message);
[[nodiscard]] Error truncated(std::string message);
[[nodiscard]] Error unsupported(std::string message);

}  // namespace spress::io::layout
