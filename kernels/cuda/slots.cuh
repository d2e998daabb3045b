// The inner loop of padded formats: a lane adds up slots that stand a stride apart.
#pragma once

#include <cstdint>
#include <utility>

#include "formats/padding.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {

/// Threads of a block, and blocks of a multiprocessor that have registers for three batches in each thread.
inline constexpr unsigned slot_threads = 128, slot_blocks = 6;

/// Slots first, first + stride, ... of one lane: `count` of them. No lane of the warp has more than `turns`.
struct LaneSlots {
  std::uint64_t first = 0;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
  std::uint32_t turns = 0;
};

template <class Values>
using CodeOf = decltype(std::declval<Values>().load(0));

/// Columns and codes of some slots, on their way from memory.
template <class Values, unsigned size>
struct SlotBatch {
  std::uint32_t columns[size];
  CodeOf<Values> codes[size];

  /// The first `count` of them at most.
  __device__ __forceinline__ void load(const std::uint32_t* col_idx, const Values& values, std::uint64_t slot,
                                       std::uint64_t stride, std::uint32_t count) {
#pragma unroll
    for (unsigned u = 0; u < size; ++u) {
      columns[u] = no_column;
      if (u < count) columns[u] = load_once(col_idx + slot + u * stride);
    }
#pragma unroll
    for (unsigned u = 0; u < size; ++u) {
      codes[u] = {};
      if (u < count) codes[u] = values.load(slot + u * stride);
    }
  }
};

/// Values and elements of x, on their way; both 0 for padding, which is so never multiplied.
template <class T, unsigned size>
struct FactorBatch {
  T values[size], factors[size];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (unsigned u = 0; u < size; ++u) values[u] = factors[u] = 0;
  }
  template <class Values>
  __device__ __forceinline__ void load(const SlotBatch<Values, size>& slots, const Values& decoder, const T* x) {
#pragma unroll
    for (unsigned u = 0; u < size; ++u) {
      values[u] = factors[u] = 0;
      if (slots.columns[u] != no_column) factors[u] = load_shared(x + slots.columns[u]);
      if (slots.columns[u] != no_column) values[u] = decoder.decode(slots.codes[u]);
    }
  }
  __device__ __forceinline__ void add_to(T& sum) const {
#pragma unroll
    for (unsigned u = 0; u < size; ++u) sum += values[u] * factors[u];
  }
};

/// The sum of their entries times x. Three batches are in the works: one is added up, the elements of x of the next and
/// the columns and codes of the one behind it are on their way.
template <class T, class Values>
__device__ __forceinline__ T sum_slots(const std::uint32_t* col_idx, const Values& values, const LaneSlots& lane,
                                       const T* x) {
  constexpr unsigned size = 8;
  T sum = 0;
  SlotBatch<Values, size> slots;
  FactorBatch<T, size> factors;
  factors.clear();
  if (lane.turns == 0) return sum;
  slots.load(col_idx, values, lane.first, lane.stride, lane.count);
  for (std::uint32_t turn = size;; turn += size) {
    factors.add_to(sum);
    factors.load(slots, values, x);
    if (turn >= lane.turns) break;
    slots.load(col_idx, values, lane.first + turn * lane.stride, lane.stride,
               turn < lane.count ? lane.count - turn : 0);
  }
  factors.add_to(sum);
  return sum;
}

/// The sum over `count` lanes `distance` apart, of which this one is number `index`, in number 0. The same count and
/// distance in all lanes, which all take part; those without a place among the others may have any index.
template <class T>
__device__ __forceinline__ T sum_over_places(T value, unsigned index, unsigned count, unsigned distance) {
  unsigned step = 1;
  while (step < count) step *= 2;
  for (step /= 2; step > 0; step /= 2) {
    const T other = __shfl_down_sync(whole_warp, value, step * distance);
    if (index + step < count) value += other;
  }
  return value;
}

}  // namespace spress::cuda
