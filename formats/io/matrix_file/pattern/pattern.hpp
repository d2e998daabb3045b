// The columns of a block of rows, in the way that takes the fewest bytes. Private to formats/io; see container_v2.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/io/matrix_file/streams/stream.hpp"

namespace spress::io {

/// The rows that a block holds, and the columns that they can have.
struct BlockShape {
  std::uint64_t first_row = 0, rows = 0, entries = 0;
  std::uint64_t cols = 0;
  bool lower = false;  ///< only columns up to the number of their row are there

  /// One more than the largest column that a row may have.
  [[nodiscard]] std::uint64_t end_of(std::uint64_t row) const { return lower ? first_row + row + 1 : cols; }
};

/// The entries of a block. lengths: rows; columns: entries, ascending within a row.
struct BlockPattern {
  BlockShape shape;
  std::span<const std::uint32_t> lengths, columns;
};

/// The kind of a pattern: its first byte, but for bits 6 and 7.
enum class PatternKind : std::uint8_t {
  gaps,       ///< lengths of rows, and gaps between columns
  predicted,  ///< for each column that other rows make likely, whether it is there, and the others
  copied      ///< for each column of one other row, whether it is there, and the others
};

/// Bits 6 and 7 of that byte: whether values are stored column after column, those of the entries, and those above the
/// diagonal of Fold::pattern. They say nothing of the pattern.
inline constexpr std::uint8_t values_by_columns = 64, mirrored_by_columns = 128;

/// Appends the pattern. other_bytes: what the block takes beside it. An entry takes about 4 ns to read in gaps, 7 ns
/// where it is copied, and 70 ns where it is predicted. So columns are copied from level 3 on where that saves a
/// hundredth of the block and 0.02 bits an entry, and predicted from level 10 on where that saves another hundredth.
void encode_pattern(const BlockPattern& pattern, std::size_t other_bytes, StreamEncoder& encoder,
                    std::vector<std::uint8_t>& out);

/// Reads the pattern from the front of `in`. lengths: shape.rows; columns: shape.entries.
/// Without an error the result is a pattern: lengths add up to the entries, columns ascend and are in range.
/// Errors: damaged. Throws std::bad_alloc.
[[nodiscard]] Status decode_pattern(const BlockShape& shape, ByteReader& in, StreamDecoder& decoder,
                                    std::uint32_t* lengths, std::uint32_t* columns);

}  // namespace spress::io
