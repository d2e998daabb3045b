// The descriptor of container version 2: what the file holds, and where. Private to formats/io; see container_v2.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/io/container/container.hpp"
#include "formats/io/matrix_file/pattern/pattern.hpp"
#include "formats/io/matrix_file/triangle/fold.hpp"

namespace spress::io {

/// The place of a block in the file.
struct BlockPlace {
  std::uint64_t offset = 0, stored = 0, checksum = 0;
  std::uint64_t rows = 0, entries = 0;           ///< of a block of rows, else 0
  std::uint64_t first_row = 0, first_entry = 0;  ///< those in the blocks before; known to who reads
};

struct MatrixFileHead {
  ContainerInfo info;  ///< without permutations and comments
  std::uint64_t rows = 0, cols = 0, nnz = 0;
  ValueType type = ValueType::none;  ///< or f64 or c128
  Fold fold = Fold::none;
  bool seekable = false;
  bool col_perm_is_row_perm = false;
  std::optional<BlockPlace> comments, table, row_perm, col_perm;
  std::vector<BlockPlace> blocks;  ///< of rows

  /// Entries in the blocks that were read: all, or those of the lower triangle.
  [[nodiscard]] std::uint64_t stored_entries() const;
  /// The shape of one of the blocks of rows.
  [[nodiscard]] BlockShape shape_of(const BlockPlace& block) const {
    return {block.first_row, block.rows, block.entries, cols, fold != Fold::none};
  }
};

/// The bytes of the descriptor.
[[nodiscard]] std::vector<std::uint8_t> matrix_file_descriptor(const MatrixFileHead& head);

/// The head that a descriptor describes. Its blocks are placed one after another from `first_block` and must end at
/// `blocks_end`. Errors: damaged.
[[nodiscard]] Result<MatrixFileHead> parse_matrix_file_descriptor(std::span<const std::uint8_t> bytes,
                                                                  std::uint64_t first_block, std::uint64_t blocks_end);

}  // namespace spress::io
