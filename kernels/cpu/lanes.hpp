// What the kernels of padded layouts share: neighbouring lanes (rows, or threads of a row) summed step by step, so that
// the loop over lanes reads columns and values side by side. Padding is not multiplied, and x is not read for it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/padding.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

/// Step k of lane j stands in slot first + k * stride + j. In each lane, nothing but padding follows padding.
struct Lanes {
  const std::uint32_t* col_idx;
  std::uint64_t first, stride, steps;
};

/// Lanes summed at once: a warp's, as slices have them by default. Their sums stay in the first cache, and each step
/// reads whole cache lines. Fewer are summed in blocks of 8, whose sums fit the registers, and one by one.
inline constexpr int lane_block = 32;

/// How many steps of N lanes, beginning at slot `first`, hold no padding: all but the last few where rows are alike.
template <int N>
[[nodiscard]] std::uint64_t full_steps(const Lanes& lanes, std::uint64_t first) {
  const auto full = [&](std::uint64_t k) {
    const std::uint32_t* columns = lanes.col_idx + first + k * lanes.stride;
    return std::none_of(columns, columns + N, [](std::uint32_t column) { return column == no_column; });
  };
  std::uint64_t low = 0, high = lanes.steps;
  if (high != 0 && full(high - 1)) return high;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (full(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Calls write(j, sum) for lanes j..j+N-1.
template <int N, class T, class Values, class Write>
void sum_block(const Lanes& lanes, std::uint64_t j, Values values, const T* x, Write& write) {
  const std::uint64_t first = lanes.first + j, full = full_steps<N>(lanes, first);
  T sums[N] = {};
  for (std::uint64_t k = 0; k < full; ++k) {
    const std::uint64_t at = first + k * lanes.stride;
    const std::uint32_t* columns = lanes.col_idx + at;
#pragma omp simd
    for (int i = 0; i < N; ++i) sums[i] += values[at + i] * x[columns[i]];
  }
  for (int i = 0; i < N; ++i) {
    for (std::uint64_t k = full; k < lanes.steps; ++k) {
      const std::uint64_t at = first + k * lanes.stride + i;
      if (lanes.col_idx[at] == no_column) break;
      sums[i] += values[at] * x[lanes.col_idx[at]];
    }
    write(j + i, sums[i]);
  }
}

/// Calls write(j, sum) for lanes 0..count-1 with the sum of each. A lane is summed in the order of its steps.
template <class T, class Values, class Write>
void sum_lanes(const Lanes& lanes, std::uint64_t count, Values values, const T* x, Write write) {
  std::uint64_t j = 0;
  for (; j + lane_block <= count; j += lane_block) sum_block<lane_block>(lanes, j, values, x, write);
  for (; j + 8 <= count; j += 8) sum_block<8>(lanes, j, values, x, write);
  for (; j < count; ++j) sum_block<1>(lanes, j, values, x, write);
}

SPRESS_KERNELS_END
