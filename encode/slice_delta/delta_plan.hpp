// The plan of an encoder of slice-delta, made before it fills arrays: rows, pieces, and the steps of all items.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/shared/common.hpp"
#include "encode/slice_delta/row_arrangement.hpp"
#include "encode/slice_delta/slice_steps.hpp"
#include "encode/slice_delta/step_descriptions.hpp"

namespace spress {

/// One slice, or one piece of a long row.
struct DeltaItem {
  std::uint64_t entries = 0, residual_words = 0;
  std::uint32_t first_word = 0;
};

/// The steps of all items.
struct DeltaLayout {
  std::uint32_t block = 1;
  std::vector<DeltaItem> items;
  StepWords words;
  std::uint64_t residual_words = 0, steps = 0;

  /// Bytes of the arrays that depend on the layout.
  [[nodiscard]] std::uint64_t bytes() const {
    return position_bytes(items.size() + 1, residual_words) + 4 * words.size() + 4 * residual_words;
  }
  /// Whether this layout takes fewer bytes, and the steps that it may take besides are worth it (step_cost).
  [[nodiscard]] bool is_better_than(const DeltaLayout& other) const {
    const bool hardly_more = 100 * steps <= 101 * other.steps;
    return bytes() < other.bytes() &&
           (hardly_more || bytes() + step_cost * steps < other.bytes() + step_cost * other.steps);
  }
};

/// All that is decided before arrays are filled.
struct DeltaPlan {
  RowArrangement rows;
  std::vector<std::uint32_t> long_row;     // pieces: the row of each
  std::vector<std::uint64_t> first_entry;  // pieces: the position of each one's first entry in the matrix
  DeltaLayout layout;

  [[nodiscard]] std::uint64_t slices() const { return rows.long_masks.size(); }
  [[nodiscard]] std::uint64_t items() const { return slices() + long_row.size(); }
};

/// The column of a lane before the first step.
[[nodiscard]] inline std::uint32_t first_column_of(std::uint64_t row, std::uint32_t block) {
  return block == 1 ? static_cast<std::uint32_t>(row) : first_column(static_cast<std::uint32_t>(row), block);
}

/// The lanes of slice s before the first step. Lanes of long rows are empty.
template <class Position>
Lanes lanes_of(const Csr<Viewed>& a, const Position* row_ptr, const RowArrangement& rows, std::uint32_t block,
               std::uint64_t s) {
  Lanes out = {};
  for_each_lane(a, rows, s, [&](std::uint32_t j, std::uint64_t row) {
    out.column[j] = first_column_of(row, block);
    out.next[j] = a.col_idx.data() + row_ptr[row];
    out.end[j] = a.col_idx.data() + row_ptr[row + 1];
  });
  return out;
}

/// Plans a slice-delta of the matrix. Errors: usage for parameters out of range; too_large where descriptions have more
/// than 2^32 words.
[[nodiscard]] Result<DeltaPlan> plan_slice_delta(const Csr<Viewed>& a, const SliceDelta<Owned>::Params& params);

}  // namespace spress
