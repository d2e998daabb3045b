// Blocks of rows: how a matrix is cut into them, and how each is written and read. Private to formats/io; see
// container_v2.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/csr/row_panel.hpp"
#include "formats/io/matrix_file/pattern/pattern.hpp"
#include "formats/io/matrix_file/triangle/fold.hpp"
#include "formats/io/matrix_file/values/value_table.hpp"

namespace spress::io {

/// Rows first..last-1, with so many entries that are stored.
struct RowRange {
  std::uint64_t first = 0, last = 0, entries = 0;
};

/// Ranges that make up all rows: of about the same number of stored entries, at most `most` and at most longest_same
/// rows each, unless one row alone has more. stored_entries(row): those of a row that are stored.
template <class StoredEntries>
[[nodiscard]] std::vector<RowRange> cut_into_blocks(std::uint64_t rows, const StoredEntries& stored_entries,
                                                    std::uint64_t most) {
  std::uint64_t all = 0;
  for (std::uint64_t r = 0; r < rows; ++r) all += stored_entries(r);
  const std::uint64_t blocks = std::max<std::uint64_t>((all + most - 1) / most, 1);
  const std::uint64_t wanted = (all + blocks - 1) / blocks;
  std::vector<RowRange> ranges;
  RowRange range;
  for (std::uint64_t r = 0; r < rows; ++r) {
    const std::uint64_t length = stored_entries(r);
    const bool full =
        r - range.first == longest_same || (range.entries >= wanted && length > 0) || range.entries + length > most;
    if (full && r > range.first) {
      ranges.push_back(range);
      range = {r, r, 0};
    }
    range.last = r + 1;
    range.entries += length;
  }
  if (rows != 0) ranges.push_back(range);
  return ranges;
}

/// One behind the last entry of a row of the matrix that is stored. Requires: the panel holds the row.
[[nodiscard]] std::uint64_t stored_end(const RowPanel& panel, Fold fold, std::uint64_t row);

/// The entries of rows first..last-1 of the matrix that are stored. Requires: the panel holds them.
[[nodiscard]] std::uint64_t stored_entries(const RowPanel& panel, Fold fold, std::uint64_t first, std::uint64_t last);

/// The things that blocks share when they are written.
struct BlockContext {
  const RowPanel& panel;  ///< holds the rows of the block; for Fold::pattern those of the whole matrix
  Fold fold;
  const ValueTable* table;  ///< or null
};

/// The bytes of a block. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::uint8_t> encode_block(const BlockContext& context, const RowRange& rows,
                                                     StreamEncoder& encoder);

/// About how many bytes the values of `rows` take, with and without the table.
struct ValueBytes {
  std::size_t with_table = 0, without = 0;
};
[[nodiscard]] ValueBytes value_bytes(const BlockContext& context, const RowRange& rows, StreamEncoder& encoder);

/// The room into which a block is decoded.
struct BlockRoom {
  std::uint32_t *lengths, *columns;  ///< shape.rows; shape.entries
  std::uint8_t* values;              ///< shape.entries values
  std::uint8_t* mirrored;            ///< for Fold::pattern, as many: those above the diagonal, each at the place of its
                                     ///< entry below; what stands at entries of the diagonal means nothing
};

/// The things that all blocks of a file share when they are read.
struct BlockFormat {
  ValueType type;
  Fold fold;
  std::span<const std::uint8_t> table;  ///< of values, or empty
};

/// Errors: damaged. Throws std::bad_alloc.
[[nodiscard]] Status decode_block(const BlockFormat& format, const BlockShape& shape,
                                  std::span<const std::uint8_t> bytes, StreamDecoder& decoder, const BlockRoom& room);

}  // namespace spress::io
