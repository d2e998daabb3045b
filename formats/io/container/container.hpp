// The container .spress: one matrix, cut into checked and compressed blocks. Version 1 holds it in one format of the
// list, as it is; version 2 (matrix_file/) in whatever way makes the file smallest. The layouts are specified in
// container.md and container_v2.md beside this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/input_file.hpp"
#include "formats/list.hpp"

namespace spress::io {

/// What a container says beside the format's own description.
struct ContainerInfo {
  MatrixInfo matrix;
  std::string parameters;             ///< the format's parameters as written on the command line, e.g. "index=auto"
  std::string ordering = "none";      ///< name of the ordering applied before encoding
  std::string made_from = {};         ///< stands for what a run over files made it of; 16 hexadecimal digits, or empty
  HostArray<std::uint32_t> row_perm;  ///< perm[new] = old, empty for the identity
  HostArray<std::uint32_t> col_perm;
};

struct WriteOptions {
  int level = 6;                       ///< of zstd
  int threads = 0;                     ///< 0: OpenMP's default; the file's bytes do not depend on it
  std::size_t block_bytes = 4u << 20;  ///< before compression, 1 to 64 MiB; at least one element is taken
};

/// One block of an array as stored.
struct BlockRecord {
  std::uint64_t offset = 0, stored_bytes = 0, bytes = 0, checksum = 0;
  std::string transform;  ///< what was done to it, in order: "none", "zstd", "delta+planes+zstd", ...
};
struct ArrayRecord {
  std::string name, role, type;
  std::uint64_t count = 0;
  std::vector<BlockRecord> blocks;
};

/// The descriptor: all that can be known without decompressing.
struct ContainerHead {
  int version = 0;
  std::string format;
  std::uint64_t format_version = 1;                          ///< of the format's layout: layout_version_of
  std::vector<std::pair<std::string, std::string>> scalars;  ///< as in the descriptor
  std::vector<ArrayRecord> arrays;
  ContainerInfo info;          ///< row_perm and col_perm are left empty
  std::string row_perm_array;  ///< name of the array that holds row_perm, or empty for the identity
  std::string col_perm_array;  ///< may be the same array
  std::uint64_t file_bytes = 0;
};

struct Container {
  AnyFormat matrix;
  ContainerInfo info;
};

/// Writes `f`; the file appears complete or not at all. Returns its size in bytes.
/// Requires: validate(f) holds; the permutations are such, of f.rows and f.cols.
/// Errors: unwritable; usage for a level that zstd does not have, or a block size out of range; too_large where memory
/// runs out. Memory: the blocks in work (where `path` is a pipe: all that is written).
template <template <class> class F>
[[nodiscard]] Result<std::uint64_t> write_container(const F<Viewed>& f, const ContainerInfo& info,
                                                    const std::filesystem::path& path,
                                                    const WriteOptions& options = {});

/// The same bytes in memory. Errors: usage, too_large.
template <template <class> class F>
[[nodiscard]] Result<std::vector<std::uint8_t>> write_container_bytes(const F<Viewed>& f, const ContainerInfo& info,
                                                                      const WriteOptions& options = {});

#define SPRESS_ROW(F)                                                                                       \
  template <>                                                                                               \
  Result<std::uint64_t> write_container<F>(const F<Viewed>& f, const ContainerInfo& info,                   \
                                           const std::filesystem::path& path, const WriteOptions& options); \
  template <>                                                                                               \
  Result<std::vector<std::uint8_t>> write_container_bytes<F>(const F<Viewed>& f, const ContainerInfo& info, \
                                                             const WriteOptions& options);
SPRESS_FORMATS(SPRESS_ROW)
#undef SPRESS_ROW

/// Reads and checks everything: every checksum, every size against the file's real size before memory is taken, and the
/// format's own validate. The result does not depend on the number of threads.
/// Errors: not_found, unreadable, damaged, truncated, each naming the array; unsupported for a format, a layout version
/// or a transform that is not known here; too_large where memory runs out.
[[nodiscard]] Result<Container> read_container(const std::filesystem::path& path, int threads = 0);
[[nodiscard]] Result<Container> read_container(const std::shared_ptr<InputFile>& file, int threads = 0);
[[nodiscard]] Result<Container> read_container_bytes(std::span<const std::uint8_t> bytes, int threads = 0);

/// Reads and checks the header and the descriptor only.
[[nodiscard]] Result<ContainerHead> read_container_head(const std::filesystem::path& path);
[[nodiscard]] Result<ContainerHead> read_container_head_bytes(std::span<const std::uint8_t> bytes);

/// As read_container_head, and every block decoded and thrown away: any flipped bit or cut is found, in little memory.
/// What the numbers mean is not checked: read_container does.
[[nodiscard]] Result<ContainerHead> check_container(const std::filesystem::path& path, int threads = 0);

/// True if it begins with the container's magic.
[[nodiscard]] bool is_container(std::string_view head);
[[nodiscard]] inline bool is_container(const InputFile& file) { return is_container(file.head()); }

}  // namespace spress::io
