#include "formats/io/bytes/endings.hpp"

#include <algorithm>
#include <array>

namespace spress::io {
namespace {

constexpr std::array<CompressionEntry, 4> table = {{{Compression::gzip, "gzip", ".gz", ".tgz"},
                                                    {Compression::zstd, "zstd", ".zst", ".tzst"},
                                                    {Compression::xz, "xz", ".xz", ".txz"},
                                                    {Compression::bzip2, "bzip2", ".bz2", ".tbz2"}}};
constexpr std::string_view tar = ".tar", zip = ".zip";

bool take_ending(std::string& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

/// A frame of zstd, or one to skip, with which pzstd begins: 50 to 5f, 2a 4d 18.
bool is_zstd(std::string_view head) {
  return head.starts_with("\x28\xb5\x2f\xfd") ||
         (head.size() >= 4 && (head[0] & 0xF0) == 0x50 && head.substr(1, 3) == "\x2a\x4d\x18");
}

}  // namespace

std::span<const CompressionEntry> compressions() { return table; }

Compression compression_of(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x1f\x8b")) return Compression::gzip;
  if (is_zstd(head)) return Compression::zstd;
  if (head.starts_with("\xfd\x37zXZ\0"sv)) return Compression::xz;
  if (head.size() >= 4 && head.starts_with("BZh") && head[3] >= '1' && head[3] <= '9') return Compression::bzip2;
  return Compression::none;
}

const CompressionEntry* compression_named(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const CompressionEntry& entry) {
    return name.ends_with(entry.ending) || name.ends_with(entry.archive);
  });
  return found == table.end() ? nullptr : &*found;
}

bool is_zip(std::string_view head) { return head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06"); }

bool is_npz(std::string_view head) {
  constexpr std::size_t name_at = 30, length_at = 26;
  if (!is_zip(head) || head.size() <= name_at) return false;
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(head[at])); };
  return head.substr(name_at, byte(length_at) + 256 * byte(length_at + 1)).ends_with(".npy");
}

bool is_tar(std::string_view head) { return head.size() >= tar_head_bytes && head.substr(257, 5) == "ustar"; }

bool is_zip_name(std::string_view name) { return name.ends_with(zip); }

bool is_tar_name(std::string_view name) {
  return name.ends_with(tar) || std::any_of(table.begin(), table.end(), [&](const CompressionEntry& entry) {
           return name.ends_with(entry.archive) || name.ends_with(std::string(tar) + std::string(entry.ending));
         });
}

bool is_archive(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return is_tar_name(name) || is_zip_name(name);
}

bool is_device_name(const std::filesystem::path& path) {
  const std::string plain = path.lexically_normal().string();
  return plain.starts_with("/dev/") && !plain.starts_with("/dev/shm/");
}

bool is_packed_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return compression_named(name) != nullptr || is_zip_name(name);
}

std::string without_compression(std::string name) {
  for (const CompressionEntry& entry : table)
    if (take_ending(name, entry.archive)) return name;
  if (take_ending(name, zip)) return name;
  for (const CompressionEntry& entry : table)
    if (take_ending(name, entry.ending)) break;
  take_ending(name, tar);
  return name;
}

std::string archive_endings() {
  std::string text(tar);
  for (const CompressionEntry& entry : table) text += ", " + std::string(tar) + std::string(entry.ending);
  return text + ", " + std::string(zip);
}

}  // namespace spress::io
