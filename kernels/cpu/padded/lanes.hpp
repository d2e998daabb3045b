// What the kernels of padded layouts share: neighbouring lanes (rows, or threads of a row) summed step by step, whole
// vectors of them at once. Padding is not multiplied, and x is not read for it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "formats/padded/padding.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// Step k of lane j stands in slot first + k * stride + j. In each lane, nothing but padding follows padding.
struct Lanes {
  const std::uint32_t* col_idx;
  std::uint64_t first, stride, steps;
  std::uint64_t window_end;  ///< windows of x lie before this column; 0: there are none, and lanes are not compared
  bool gathers;              ///< whether lanes without a window are gathered; heeded where vectors have masks
  bool wide = true;          ///< whether wide_block vectors are summed at once, likewise
};

/// Lanes::wide for lanes whose steps lie far apart. On Zen 4 where most neighbouring lanes need elements of x from far
/// apart, or an eighth of the slots is padding, as a sample shows; on other processors always. On Zen 4, wide blocks
/// took 1.3 to 1.6 of the time for bands and stencils, and 0.6 to 0.8 for uniform and uneven rows. entries: of ids.
inline bool wide_blocks_best(std::uint64_t entries, const std::uint32_t* ids) {
  constexpr std::uint64_t sample = 64, far = 8192;
  if (processor() != Processor::zen4 || entries <= sample) return true;
  std::uint64_t apart = 0, padding = 0;
  for (std::uint64_t i = 0; i < sample; ++i) {
    const std::uint64_t k = 1 + entries / sample * i;
    padding += ids[k] == no_column ? 1 : 0;
    apart += (ids[k] < ids[k - 1] ? ids[k - 1] - ids[k] : ids[k] - ids[k - 1]) > far ? 1 : 0;
  }
  return 2 * apart >= sample || 8 * padding >= sample;
}

/// Lanes::window_end for lanes of which most are scattered, or not.
inline std::uint64_t columns_by_windows(std::uint64_t cols, bool are_scattered) { return are_scattered ? 0 : cols; }

/// Whether the portable product is faster than one of vectors: with AVX2, but on Intel's processors, where columns are
/// scattered. On Zen 4, sell took 1.34 of its time for uniform rows, and ell-csr 1.41.
inline bool plain_loops_best(bool are_scattered) {
  return SPRESS_ISA_LEVEL == 1 && are_scattered && !gathers_fast() && !isa_choice().exact;
}

/// Lanes summed at once where there are so many: a warp's, as slices have them by default.
inline constexpr int lane_block = 32;
/// Vectors of lanes summed at once at most: their sums stay in registers.
inline constexpr int vectors_at_once = SPRESS_ISA_LEVEL == 0 ? 1 : SPRESS_ISA_LEVEL == 1 ? 8 : 4;
/// Where steps lie far apart, so many vectors are summed at once, so that each step reads some cache lines in a row.
/// Such layouts gather only where gathers_fast(): so many loads keep enough misses on their way.
inline constexpr int wide_block = 16;

/// How many steps of N lanes, beginning at slot `first`, hold no padding: all but the last few where rows are alike.
template <int N>
[[nodiscard]] std::uint64_t full_steps(const Lanes& lanes, std::uint64_t first) {
  const auto full = [&](std::uint64_t k) {
    const std::uint32_t* ids = lanes.col_idx + first + k * lanes.stride;
    std::uint32_t padded = 0;  // of the width of ids, so that vectors count
    for (int i = 0; i < N; ++i) padded += ids[i] == no_column ? 1 : 0;
    return padded == 0;
  };
  if (lanes.steps == 0 || full(lanes.steps - 1)) return lanes.steps;
  std::uint64_t low = 0, high = 1;  // from the first steps on, which are read next
  while (high < lanes.steps && full(high - 1)) low = std::exchange(high, 2 * high);
  high = std::min(high, lanes.steps) - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (full(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The sums of a vector of lanes with the products of their slots [at, at + lanes) added; padded: some may be padding.
/// Where rows are alike, their columns lie close together: such slots hold none, since no_column is far from all
/// others.
template <bool padded, class T, class Values>
[[gnu::always_inline]] inline typename Simd<T>::Vector add_slots(const Lanes& lanes, std::uint64_t at, Values values,
                                                                 const T* x, typename Simd<T>::Vector sums) {
  using S = Simd<T>;
  if constexpr (Near<T>::span == 0 && !padded) {  // without instructions for vectors, plain loops are the fastest
    for (std::uint64_t i = 0; i < S::lanes; ++i) sums.lane[i] += values[at + i] * x[lanes.col_idx[at + i]];
    return sums;
  }
  const auto ids = S::ids(lanes.col_idx + at);
  const Near<T> near(ids, lanes.col_idx[at]);
  if (near.first + std::uint64_t{near.span} <= lanes.window_end) {
    if (near.side_by_side()) return S::fma(load_values(values, at), S::load(x + near.first), sums);
    if (near.holds()) return S::fma(load_values(values, at), near.window(x).at(0), sums);
  }
  if constexpr (padded) {
    const auto chosen = chosen_ids<T>(ids, no_column);
    if constexpr (S::has_masks && requires { S::load_each(x, lanes.col_idx + at); })
      if (!lanes.gathers && chosen == S::every)
        return S::fma(load_values(values, at), S::load_each(x, lanes.col_idx + at), sums);
    if constexpr (requires { S::zeros_for(no_column, ids); })
      return fma_chosen<T>(load_values(values, at), S::gather(x, S::zeros_for(no_column, ids)), sums, chosen);
    else
      return fma_chosen<T>(load_values(values, at), gather_chosen(x, ids, chosen), sums, chosen);
  } else {
    return S::fma(load_values(values, at), gather_codes<S>(x, lanes.col_idx + at, false), sums);
  }
}

/// The sums of a vector of lanes with its steps from slot `at` on added, up to the last that is not all padding. Where
/// half of the lanes have ended, each of the others goes on alone: few products cost as much by vectors as all.
template <class T, class Values>
typename Simd<T>::Vector add_rest(const Lanes& lanes, std::uint64_t at, std::uint64_t steps, Values values, const T* x,
                                  typename Simd<T>::Vector sums) {
  using S = Simd<T>;
  unsigned left = 0;
  std::uint64_t k = 0;
  for (; k < steps; ++k, at += lanes.stride) {
    left = chosen_bits<T>(chosen_ids<T>(S::ids(lanes.col_idx + at), no_column));
    if (2 * std::popcount(left) <= S::lanes) break;
    sums = add_slots<true>(lanes, at, values, x, sums);
  }
  T each[S::lanes];
  S::store(each, sums);
  for (; k < steps && left != 0; left &= left - 1) {
    const auto j = static_cast<std::uint64_t>(std::countr_zero(left));
    T sum = each[j];
    for (std::uint64_t i = k, slot = at + j; i < steps && lanes.col_idx[slot] != no_column; ++i, slot += lanes.stride)
      sum = fma_one(static_cast<T>(values[slot]), x[lanes.col_idx[slot]], sum);
    each[j] = sum;
  }
  return S::load(each);
}

/// How many of N vectors have no entry in the step at slot `at`, nor in any behind it.
template <int N, class T>
[[nodiscard]] int count_ended(const Lanes& lanes, std::uint64_t at) {
  int ended = 0;
  for (std::uint64_t i = 0; i < N; ++i, at += Simd<T>::lanes)
    ended += chosen_bits<T>(chosen_ids<T>(Simd<T>::ids(lanes.col_idx + at), no_column)) == 0 ? 1 : 0;
  return ended;
}

/// The sums of N vectors of lanes with the step at slot `at` added, and the memory of a step `ahead` slots later asked
/// for.
template <bool padded, int N, class T, class Values>
[[gnu::always_inline]] inline void add_step(const Lanes& lanes, std::uint64_t at, std::uint64_t ahead, Values values,
                                            const T* x, typename Simd<T>::Vector* sums) {
  constexpr std::uint64_t width = Simd<T>::lanes;
  prefetch_values(values, at + ahead, N * width);
  prefetch(lanes.col_idx, at + ahead, N * width);
  if constexpr (N < wide_block)  // so that sums stay in registers
#pragma GCC unroll 8
    for (std::uint64_t i = 0; i < N; ++i) sums[i] = add_slots<padded>(lanes, at + i * width, values, x, sums[i]);
  else
#pragma GCC unroll 1
    for (std::uint64_t i = 0; i < N; ++i) sums[i] = add_slots<padded>(lanes, at + i * width, values, x, sums[i]);
}

/// Calls write(j, sum) for the lanes of N vectors from lane j on. They go together until padding begins in the last of
/// them, the first where rows are sorted; then each goes on alone.
template <int N, class T, class Values, class Write>
void sum_vectors(const Lanes& lanes, std::uint64_t j, Values values, const T* x, Write& write) {
  using S = Simd<T>;
  constexpr std::uint64_t last = (N - 1) * S::lanes, ahead = 512;
  typename S::Vector sums[N];
  for (auto& sum : sums) sum = S::zero();
  std::uint64_t at = lanes.first + j, k = 0;
  if constexpr (!S::has_masks)  // where to choose lanes takes instructions
    for (const std::uint64_t full = full_steps<N * S::lanes>(lanes, at); k < full; ++k, at += lanes.stride)
      add_step<false, N>(lanes, at, ahead, values, x, sums);
  else
    for (; k < lanes.steps && lanes.col_idx[at + last] != no_column; ++k, at += lanes.stride)
      add_step<true, N>(lanes, at, ahead, values, x, sums);
  T each[N * S::lanes];
  for (std::uint64_t i = 0; i < N; ++i) {
    if (k < lanes.steps) sums[i] = add_rest(lanes, at + i * S::lanes, lanes.steps - k, values, x, sums[i]);
    S::store(each + i * S::lanes, sums[i]);
  }
  for (std::uint64_t i = 0; i < N * S::lanes; ++i) write(j + i, each[i]);
}

/// The same for wide_block vectors whose steps lie far apart. They go together until all lanes of a quarter of them
/// have ended, which is looked up every few steps; then each goes on alone.
template <class T, class Values, class Write>
void sum_wide_block(const Lanes& lanes, std::uint64_t j, Values values, const T* x, Write& write) {
  using S = Simd<T>;
  constexpr std::uint64_t width = wide_block * S::lanes;
  typename S::Vector sums[wide_block];
  for (auto& sum : sums) sum = S::zero();
  std::uint64_t at = lanes.first + j;
  std::uint64_t k = 0;
  for (; k < lanes.steps; ++k, at += lanes.stride) {
    if (k % 8 == 0 && 4 * count_ended<wide_block, T>(lanes, at) >= wide_block) break;
    add_step<true, wide_block>(lanes, at, width, values, x, sums);
  }
  T each[width];
  for (std::uint64_t i = 0; i < wide_block; ++i) {
    if (k < lanes.steps) sums[i] = add_rest(lanes, at + i * S::lanes, lanes.steps - k, values, x, sums[i]);
    S::store(each + i * S::lanes, sums[i]);
  }
  for (std::uint64_t i = 0; i < width; ++i) write(j + i, each[i]);
}

/// Calls write(j, sum) for lanes j..count-1, N vectors at once, then half as many, until fewer lanes are left than a
/// vector has. Returns the first of these.
template <int N, class T, class Values, class Write>
std::uint64_t sum_blocks(const Lanes& lanes, std::uint64_t j, std::uint64_t count, Values values, const T* x,
                         Write& write) {
  constexpr std::uint64_t width = N * Simd<T>::lanes;
  for (; j + width <= count; j += width) sum_vectors<N>(lanes, j, values, x, write);
  if constexpr (N > 1) return sum_blocks<N / 2>(lanes, j, count, values, x, write);
  return j;
}

/// Calls write(j, sum) for lanes j..j+count-1, fewer than a vector has: slots behind them may lie outside the arrays.
template <class T, class Values, class Write>
void sum_rest(const Lanes& lanes, std::uint64_t j, std::uint64_t count, Values values, const T* x, Write& write) {
  using S = Simd<T>;
  T each[S::lanes] = {};
  if constexpr (S::has_masks) {
    auto sums = S::zero();
    std::uint64_t at = lanes.first + j;
    for (std::uint64_t k = 0; k < lanes.steps; ++k, at += lanes.stride) {
      const auto present = S::first(count);
      const auto ids = S::ids(lanes.col_idx + at, present);
      const auto chosen = static_cast<typename S::Mask>(present & chosen_ids<T>(ids, no_column));
      sums = fma_chosen<T>(load_values(values, at, chosen), S::gather(x, ids, chosen), sums, chosen);
    }
    S::store(each, sums);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t at = lanes.first + j + i;
      for (std::uint64_t k = 0; k < lanes.steps && lanes.col_idx[at] != no_column; ++k, at += lanes.stride)
        each[i] += values[at] * x[lanes.col_idx[at]];
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) write(j + i, each[i]);
}

/// Calls write(j, sum) for lanes 0..count-1 with the sum of each, in order. A lane is summed in the order of its steps;
/// its products may be rounded otherwise among the last `count` % lane_block lanes, so pieces are cut at multiples of
/// it.
template <class T, class Values, class Write>
void sum_lanes(const Lanes& lanes, std::uint64_t count, Values values, const T* x, Write write) {
  constexpr int width = Simd<T>::lanes, block = std::min(lane_block, vectors_at_once * width);
  std::uint64_t j = 0;
  if (lanes.wide && lanes.stride > lane_block && Simd<T>::has_masks)
    for (; j + wide_block * width <= count; j += wide_block * width) sum_wide_block(lanes, j, values, x, write);
  j = sum_blocks<block / width>(lanes, j, count, values, x, write);
  if (j < count) sum_rest(lanes, j, count - j, values, x, write);
}

SPRESS_KERNELS_END
