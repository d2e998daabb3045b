// The container .spress: one matrix in one format of the list, cut into checked and compressed blocks.
// The layout is specified in container.md beside this file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/list.hpp"
#include "formats/matrix.hpp"
#include "formats/result.hpp"

namespace spress::io {

/// What a container says beside the format's own description.
struct ContainerInfo {
  MatrixInfo matrix;
  std::string parameters;             ///< the format's parameters as written on the command line, e.g. "index=auto"
  std::string ordering = "none";      ///< name of the ordering applied before encoding
  HostArray<std::uint32_t> row_perm;  ///< perm[new] = old, empty for the identity
  HostArray<std::uint32_t> col_perm;
};

struct WriteOptions {
  int level = 6;                          ///< of zstd
  int threads = 0;                        ///< 0: OpenMP's default
  std::size_t block_bytes = 1u << 20;
};

/// One block of an array as stored.
struct BlockRecord {
  std::uint64_t offset = 0, stored_bytes = 0, bytes = 0, checksum = 0;
  std::string transform;
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
  std::vector<std::pair<std::string, std::string>> scalars;  ///< as in the descriptor
  std::vector<ArrayRecord> arrays;
  ContainerInfo info;               ///< row_perm and col_perm are left empty
  std::uint64_t file_bytes = 0;
};

struct Container {
  AnyFormat matrix;
  ContainerInfo info;
};

/// Writes `f`; the file appears complete or not at all.
/// Errors: unwritable; usage for a level that zstd does not have.
template <template <class> class F>
[[nodiscard]] Status write_container(const F<Viewed>& f, const ContainerInfo& info, const std::filesystem::path& path,
                                     const WriteOptions& options = {});
#define SPRESS_ROW(F)                                                                               \
  template <>                                                                                       \
  Status write_container<F>(const F<Viewed>& f, const ContainerInfo& info, const std::filesystem::path& path, \
                            const WriteOptions& options);
SPRESS_FORMATS(SPRESS_ROW)
#undef SPRESS_ROW

/// Reads and checks everything: every checksum, every size against the file's real size before memory is taken, and the
/// format's own validate. Errors: not_found, unreadable, damaged, truncated, unsupported, each naming the array.
[[nodiscard]] Result<Container> read_container(const std::filesystem::path& path, int threads = 0);

/// Reads and checks the header and the descriptor only.
[[nodiscard]] Result<ContainerHead> read_container_head(const std::filesystem::path& path);

/// True if the file begins with the container's magic.
[[nodiscard]] bool is_container(const std::filesystem::path& path);

}  // namespace spress::io
