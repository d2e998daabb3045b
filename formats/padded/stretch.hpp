// Padded layouts, described once for validators, encoders and decoders: where the entries of a row stand.
#pragma once

#include <cstdint>

#include "formats/core/array.hpp"
#include "formats/core/checks.hpp"
#include "formats/padded/padding.hpp"

namespace spress {

/// Slots for consecutive entries of one row, filled from the first; what is left over is padding (no_column, code 0).
/// `threads` neighbouring slots are a step, the steps lie `stride` apart: column-major layouts have one thread to a
/// row, a row that a GPU shares among several threads has its entries dealt to them in turn.
struct Stretch {
  std::uint64_t row = 0;     ///< of the matrix; not less than its rows: slots that belong to no row, all padding
  std::uint64_t skip = 0;    ///< entries of the row that stand elsewhere, before these
  std::uint64_t first = 0;   ///< the first slot
  std::uint64_t stride = 1;  ///< from one step to the next
  std::uint64_t width = 0;   ///< slots, a multiple of threads
  std::uint32_t threads = 1;

  [[nodiscard]] std::uint64_t slot(std::uint64_t k) const {
    return threads == 1 ? first + k * stride : first + k / threads * stride + k % threads;
  }
};

/// Calls use(k, slot) for the slots of a stretch in the order of the entries.
template <class Use>
void for_each_slot(const Stretch& s, Use&& use) {
  std::uint64_t step = s.first;
  for (std::uint64_t k = 0; k < s.width; step += s.stride)
    for (std::uint32_t t = 0; t < s.threads; ++t, ++k) use(k, step + t);
}

/// How many entries a stretch holds. Requires: validate holds. Cost: logarithmic in its width.
[[nodiscard]] inline std::uint64_t filled(const std::uint32_t* col_idx, const Stretch& s) {
  std::uint64_t low = 0, high = s.width;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (col_idx[s.slot(middle)] == no_column)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

namespace checks {

/// One stretch: its columns ascend inside the matrix, and after the first padding slot there is nothing but padding.
/// Adds its entries to `nnz`. Requires: its slots lie inside col_idx.
[[nodiscard]] inline Status stretch(const View<std::uint32_t>& col_idx, const Stretch& s, std::uint64_t rows,
                                    std::uint64_t cols, std::uint64_t& nnz) {
  std::int64_t previous = -1;
  bool ended = s.row >= rows, good = true;
  for_each_slot(s, [&](std::uint64_t, std::uint64_t slot) {
    const std::uint32_t column = col_idx[slot];
    if (column == no_column) {
      ended = true;
      return;
    }
    good = good && !ended && column < cols && std::int64_t{column} > previous;
    previous = column;
    ++nnz;
  });
  if (good) return Ok{};
  if (s.row >= rows) return damaged("col_idx holds an entry where there is no row");
  return damaged("col_idx is out of range, does not ascend or goes on behind padding in row " + std::to_string(s.row));
}

/// All stretches stretch_of(0..count-1) of a format, and that they hold nnz entries together.
template <class Format, class StretchOf>
[[nodiscard]] Status stretches(const Format& f, std::uint64_t count, StretchOf stretch_of, std::uint64_t nnz) {
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < count; ++i) SPRESS_CHECK(stretch(f.col_idx, stretch_of(i), f.rows, f.cols, found));
  if (found == nnz) return Ok{};
  return damaged("col_idx holds " + std::to_string(found) + " entries, expected " + std::to_string(nnz));
}

}  // namespace checks
}  // namespace spress
