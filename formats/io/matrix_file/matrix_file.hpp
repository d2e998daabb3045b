// Container version 2: a file that holds a matrix, laid out to be small, and no format. read_container (container.hpp)
// reads both versions. The layout is specified in container_v2.md beside this folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"
#include "formats/io/container/container.hpp"

namespace spress::io {

struct MatrixFileOptions {
  int level = 6;          ///< of zstd
  int threads = 0;        ///< 0: OpenMP's default; the file's bytes do not depend on it
  bool seekable = false;  ///< rows can be read without those before: blocks are small, both triangles are stored
  std::uint64_t block_entries = 0;  ///< about so many in a block of rows; 0: 32768 to 131072 if seekable, else 1048576
};

/// Writes the matrix and returns the file's size in bytes. Of info, the permutations (perm[new] = old, where rows or
/// columns of `a` were reordered) and the comments are kept with it, and all that describes the matrix but its path.
/// Requires: validate(a) holds. Errors: unwritable; usage for a level that zstd does not have; not_applicable for
/// values that are no raw doubles or complex doubles; too_large where memory runs out. Memory: the blocks in work, for
/// each thread some 30 bytes an entry of a block; at levels of 16 and more, where only the pattern is symmetric, also
/// the file written in two ways.
[[nodiscard]] Result<std::uint64_t> write_matrix_file(const Csr<Viewed>& a, const ContainerInfo& info,
                                                      const std::filesystem::path& path,
                                                      const MatrixFileOptions& options = {});

/// As write_matrix_file, but returns the bytes. Errors: usage, not_applicable, too_large.
[[nodiscard]] Result<std::vector<std::uint8_t>> write_matrix_file_bytes(const Csr<Viewed>& a, const ContainerInfo& info,
                                                                        const MatrixFileOptions& options = {});

/// Rows first..last-1, counted from 0.
struct RowSpan {
  std::uint64_t first = 0, last = 0;
};

struct RowsRead {
  MatrixInfo info;  ///< info_of_rows
  Csr<Owned> csr;   ///< the rows asked for, in that order, a row for each time it was asked for
  std::uint64_t bytes_read = 0;
};

/// As read_rows, of a matrix in memory. Errors: out_of_range where a row is not there.
[[nodiscard]] Result<Csr<Owned>> rows_of(const Csr<Viewed>& a, std::span<const RowSpan> rows);

/// The facts of a part of a matrix with so many entries: its symmetry is general, and it has no comments.
[[nodiscard]] MatrixInfo info_of_rows(MatrixInfo whole, std::uint64_t entries);

/// Reads rows of a seekable file without the others: the descriptor, the table of values if there is one, and the
/// blocks that hold the rows, those that stand side by side at once. Returns nothing where all of the file is to be
/// read: it is a stream, of which nothing is taken then, or not seekable, or its rows or columns are reordered. Errors:
/// out_of_range where a row is not there; those of read_container.
[[nodiscard]] Result<std::optional<RowsRead>> read_rows(const std::shared_ptr<InputFile>& file,
                                                        std::span<const RowSpan> rows, int threads = 0);

/// A part of a matrix whose rows are cut into parts of about the same number of entries.
struct PartRead : RowsRead {
  std::uint64_t nnz = 0;                 ///< of the whole matrix
  std::vector<std::uint64_t> first_row;  ///< of each part, and behind the last the number of rows
};

/// As read_rows, of part `part` of `parts`. The cut follows from the table of blocks: it goes between blocks where that
/// moves at most 1/25 of a part, as it does where a part has 13 blocks, and at most 1.1 of its share of the bytes is
/// read then. Else it goes through one, as if all of its rows were equally long, and both parts read it.
[[nodiscard]] Result<std::optional<PartRead>> read_part(const std::shared_ptr<InputFile>& file, std::uint64_t part,
                                                        std::uint64_t parts, int threads = 0);

}  // namespace spress::io
