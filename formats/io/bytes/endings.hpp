// The endings of compressions and archives. Those of what is inside: formats/io/readers/file_kinds.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace spress::io {

enum class Compression : std::uint8_t { none, gzip, zstd, xz, bzip2 };

struct CompressionEntry {
  Compression compression;
  std::string_view name;     ///< as in messages
  std::string_view ending;   ///< .gz
  std::string_view archive;  ///< the ending that is short for that of a compressed tar archive: .tgz
};

/// Every compression that is read, none left out.
[[nodiscard]] std::span<const CompressionEntry> compressions();

/// The compression of data that begins with `head` (6 bytes suffice), or none.
[[nodiscard]] Compression compression_of(std::string_view head);
/// The row of the compression that a name promises, or null.
[[nodiscard]] const CompressionEntry* compression_named(std::string_view name);

[[nodiscard]] bool is_zip(std::string_view head);  ///< by its first bytes
[[nodiscard]] bool is_npz(std::string_view head);  ///< a zip archive whose first member is an array of NumPy's
inline constexpr std::size_t tar_head_bytes = 262;
[[nodiscard]] bool is_tar(std::string_view head);  ///< by its first tar_head_bytes, which POSIX and GNU tar mark
[[nodiscard]] bool is_zip_name(std::string_view name);
[[nodiscard]] bool is_tar_name(std::string_view name);  ///< compressed or not
[[nodiscard]] bool is_archive(const std::filesystem::path& path);
[[nodiscard]] std::string archive_endings();  ///< ".tar, .tar.gz, ..., .zip", for messages

/// Whether a path names a device, such as standard input, behind which another file may stand each time. /dev/shm holds
/// ordinary files.
[[nodiscard]] bool is_device_name(const std::filesystem::path& path);

/// True for names of compressed files and archives, which are smaller than what they hold.
[[nodiscard]] bool is_packed_name(const std::filesystem::path& path);

/// A file name without the endings of compressions and archives: what is inside.
[[nodiscard]] std::string without_compression(std::string name);

}  // namespace spress::io
