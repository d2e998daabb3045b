// The places of the entries of a dense array, which its file gives without ids, column by column.
#pragma once

#include <cstdint>

#include "formats/io/entries/entries.hpp"

namespace spress::io {

/// Walks an array column by column: all rows, or those from the diagonal or just below it on.
class ArrayWalk {
 public:
  ArrayWalk(const MatrixHead& header, std::uint64_t entry) : rows_(header.rows) {
    below_ = header.symmetry == Symmetry::general ? 0 : 1;
    first_ = header.symmetry == Symmetry::skew_symmetric ? 1 : 0;
    std::uint64_t low = 0, high = header.cols;  // the last column that begins at or before the entry
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (begin_of(middle) <= entry ? low : high) = middle;
    }
    col = low;
    row = top(col) + (entry - begin_of(col));
  }
  void step() {
    if (++row < rows_) return;
    ++col;
    row = top(col);
  }
  std::uint64_t row = 0, col = 0;

 private:
  /// The first row that is stored of a column.
  [[nodiscard]] std::uint64_t top(std::uint64_t c) const { return below_ * c + first_; }
  /// Entries in the columns before c.
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t c) const {
    if (below_ == 0) return c * rows_;
    return c * (rows_ - first_) - (c == 0 ? 0 : c * (c - 1) / 2);
  }
  std::uint64_t rows_, below_, first_;
};

/// Calls use(row, col, k) for entries [0, block.entries) of a block that begins at entry `first` of the file.
template <class Use>
void walk_block(const MatrixHead& header, const EntryBlock& block, std::uint64_t first, Use&& use) {
  if (block.entries == 0) return;
  ArrayWalk at(header, first);
  for (std::uint64_t k = 0; k < block.entries; ++k, at.step()) use(at.row, at.col, k);
}

}  // namespace spress::io
