// Blocks of rows: how a matrix is cut into them, and how each is written and read. Private to formats/io; see
// container_v2.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/csr/csr.hpp"
#include "formats/io/matrix_file/fold.hpp"
#include "formats/io/matrix_file/pattern/pattern.hpp"
#include "formats/io/matrix_file/values/value_table.hpp"

namespace spress::io {

/// Rows first..last-1, with so many entries that are stored.
struct RowRange {
  std::uint64_t first = 0, last = 0, entries = 0;
};

/// Ranges that make up all rows: of about the same number of stored entries, at most `most` and at most longest_same
/// rows each, unless one row alone has more.
[[nodiscard]] std::vector<RowRange> cut_into_blocks(const Csr<Viewed>& a, Fold fold, std::uint64_t most);

/// The entries of rows first..last-1 that are stored.
[[nodiscard]] std::uint64_t stored_entries(const Csr<Viewed>& a, Fold fold, std::uint64_t first, std::uint64_t last);

/// The things that all blocks of a file share when they are written.
struct BlockContext {
  const Csr<Viewed>& a;
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
