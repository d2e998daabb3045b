// The kernel of slice-delta: each warp sums one item after another.
#pragma once

#include <cstdint>

#include "kernels/cuda/slice_delta/slice_arrays.cuh"
#include "kernels/cuda/slice_delta/slice_turns.cuh"

namespace spress::cuda::slice_items {

/// Threads of a block, of which a multiprocessor holds two. Limited by registers: turns with residuals need 64 in each
/// thread, others 48.
template <bool packed_turns>
inline constexpr unsigned item_threads = packed_turns ? 512 : 640;

/// The sum of one lane of an item. steps: the words of its description; column: of the lane before the first step.
/// packed_turns: some turns of the matrix have residuals or wide bases. piece: steps are consecutive entries of one
/// row.
template <bool packed_turns, class T, class Turns>
__device__ __forceinline__ T sum_item(const Turns& turns, const std::uint32_t* steps, const std::uint32_t* residuals,
                                      bool piece, std::uint32_t column, std::uint64_t value, const T* x) {
  constexpr std::uint32_t any_residual = 63u;
  const std::uint32_t head = __ldg(steps - 1);
  const bool wide = packed_turns && slice_words::is_wide(head);
  LaneState<T> state{column, steps + slice_words::words_to_masks(head), residuals, value, 0};
  const auto* turn = reinterpret_cast<const uint4*>(steps);
  std::uint32_t left = slice_words::steps(head);
#pragma unroll 1
  while (left != 0) {
    const uint4 words = __ldg(turn++);
    const std::uint32_t count = min(left, at_once);
    std::uint32_t any = words.x | words.y | words.z | words.w;
    if (left < at_once) any = words.x | (left > 1 ? words.y : 0) | (left > 2 ? words.z : 0);
    left -= count;
    const bool masked = (any & slice_words::has_mask) != 0, full = !masked && count == at_once;
    const bool plain = !masked && !wide && (!packed_turns || (any & any_residual) == 0);
    std::uint32_t bits = 0;
    if (packed_turns && full && !plain)
      bits = slice_words::width(words.x) + slice_words::width(words.y) + slice_words::width(words.z) +
             slice_words::width(words.w);
    if (plain) {
      if (count == at_once)
        add_plain_steps<true>(turns, words, count, x, state);
      else
        add_plain_steps<false>(turns, words, count, x, state);
    } else if (packed_turns && full && !wide && bits <= TurnResiduals::most_bits) {
      add_packed_steps(turns, words, bits, piece, x, state);
    } else {
      uint4 masks = {~0u, count > 1 ? ~0u : 0, count > 2 ? ~0u : 0, count > 3 ? ~0u : 0};
      if (masked) {
        masks = __ldg(reinterpret_cast<const uint4*>(state.masks));
        state.masks += at_once;
      }
      if (!packed_turns || (!wide && (any & any_residual) == 0)) {
        add_masked_turn(turns, words, masks, x, state);
      } else {
        const auto* bases =
            wide ? reinterpret_cast<const std::uint32_t*>(turn - 1) + slice_words::words_to_bases(head) : nullptr;
        add_any_turn(turns, words, masks, bases, {.entries = 0, .bits = bits, .full = full, .piece = piece}, x, state);
      }
    }
  }
  return state.sum;
}

/// The part of an item that is loaded while the item before it is summed.
template <class Turns>
struct Start {
  std::uint32_t first_word;
  typename Turns::Start values;

  __device__ __forceinline__ void load(const SliceArrays& a, const typename Turns::Source& source, std::uint32_t item) {
    if (item >= a.items) return;
    first_word = __ldg(a.first_word + item);
    values.load(source, item);
  }
};

/// Each warp takes an item: the rows of slices go to y, the sums of pieces to partials.
template <bool packed_turns, class T, class Turns>
__global__ void __launch_bounds__(item_threads<packed_turns>, 2)
    multiply_items(SliceArrays a, DevicePositions residual_start, typename Turns::Source source, T* partials,
                   const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const Turns turns(source, shared_bytes);
  const unsigned lane = threadIdx.x % warp_size;
  // Blocks rotate, so that none gets the longest slices of all windows of sorted rows.
  constexpr std::uint32_t warps = item_threads<packed_turns> / warp_size;
  std::uint32_t block = blockIdx.x, begin = 0, coming = block * warps + threadIdx.x / warp_size;
  Start<Turns> next;
  next.load(a, source, coming);
  while (begin < a.items) {
    const std::uint32_t i = coming;
    const Start<Turns> start = next;
    begin += gridDim.x * warps;
    block += min(37u, gridDim.x - 1);
    if (block >= gridDim.x) block -= gridDim.x;
    coming = begin + block * warps + threadIdx.x / warp_size;
    next.load(a, source, coming);
    if (i >= a.items) continue;
    const std::uint32_t* steps = a.words + start.first_word;
    const std::uint32_t* residuals = a.residuals;
    if (packed_turns) residuals += residual_start[i];
    const bool piece = i >= a.slices;
    const std::uint32_t row = piece ? __ldg(a.long_row + (i - a.slices)) : a.row(i * slice_rows + lane);
    const std::uint32_t column = a.column(row) + (piece ? lane : 0);
    T sum = sum_item<packed_turns>(turns, steps, residuals, piece, column, start.values.value, x);
    if (piece) {
      sum = sum_over_lanes(sum);
      if (lane == 0) partials[i - a.slices] = sum;
    } else if (i * slice_rows + lane < a.rows) {
      y[row] = sum;
    }
  }
}

}  // namespace spress::cuda::slice_items
