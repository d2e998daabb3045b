// Writes a file of version 2 part by part, from a matrix in memory or from one that comes in panels. Private to
// formats/io; see container_v2.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/io/container/sink.hpp"
#include "formats/io/matrix_file/descriptor.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/matrix_file/row_block.hpp"

namespace spress::io {

/// The entries of a block of rows, about.
[[nodiscard]] std::uint64_t block_entries(const MatrixFileOptions& options, std::uint64_t nnz);

/// The block whose rows choose_table looks at. Requires: there is one.
[[nodiscard]] inline const RowRange& middle_block(std::span<const RowRange> blocks) {
  return blocks[blocks.size() / 2];
}

/// Errors: usage for a level that zstd does not have.
[[nodiscard]] Status check_options(const MatrixFileOptions& options);

class MatrixFileWriter {
 public:
  /// All but `shape` outlives the writer.
  MatrixFileWriter(const ContainerInfo& info, const WholeMatrix& shape, Fold fold, const MatrixFileOptions& options,
                   Sink& sink);

  /// Takes a table of all values where it makes the file smaller, as the rows in the middle of the file show.
  /// blocks: of the whole file, not empty. panel: holds the rows of middle_block(blocks).
  void choose_table(std::optional<ValueTable> table, const RowPanel& panel, std::span<const RowRange> blocks);

  /// Writes all that stands in front of the blocks. Errors: those of the sink. Throws std::bad_alloc.
  [[nodiscard]] Status write_parts();

  struct Block {
    const RowPanel* panel;  ///< as BlockContext
    RowRange rows;
  };
  /// Writes the next blocks, which are encoded at the same time. Errors: those of the sink. Throws std::bad_alloc.
  [[nodiscard]] Status write_blocks(std::span<const Block> blocks, int threads);

  /// Writes what says where all of it is. Errors: those of the sink.
  [[nodiscard]] Status finish();

 private:
  [[nodiscard]] Status write_permutation(const HostArray<std::uint32_t>& perm, BlockPlace& place);
  [[nodiscard]] Status write_part(std::span<const std::uint8_t> bytes, BlockPlace& place);

  const ContainerInfo& info_;
  const MatrixFileOptions& options_;
  Sink& sink_;
  StreamEncoder encoder_;
  MatrixFileHead head_;
  std::optional<ValueTable> table_;
  std::vector<std::uint8_t> table_bytes_;
  std::uint64_t end_;
};

}  // namespace spress::io
