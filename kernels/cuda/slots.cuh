// The inner loop of padded formats: a lane adds up slots that stand a stride apart.
#pragma once

#include <cstdint>
#include <utility>

#include "formats/padding.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tables.cuh"

namespace spress::cuda {

/// Slots of a lane on their way at once. More would take registers, of which a multiprocessor has enough for all the
/// warps that it can hold only if a thread needs no more than 32; other warps do the waiting.
inline constexpr unsigned slot_batch = 8;
inline constexpr unsigned slot_threads = 512, slot_blocks = 4;  // of a block, of a multiprocessor

/// Blocks of a kernel for `items` warps: where blocks fill a table first, no more than the device holds at once.
template <class Values, class Kernel>
[[nodiscard]] Result<unsigned> slot_blocks_for(Kernel kernel, std::uint64_t items) {
  constexpr unsigned shared_bytes = NearValues<Values>::shared_bytes;
  const unsigned blocks = blocks_for(items, slot_threads / warp_size);
  if (shared_bytes == 0) return blocks;
  SPRESS_TRY(const unsigned resident, resident_blocks(kernel, slot_threads, shared_bytes));
  return std::min(blocks, resident);
}

/// Values in the table of a store on the device.
[[nodiscard]] inline std::uint32_t table_size(const ValueStore<Viewed>& values) {
  return static_cast<std::uint32_t>(values.table.size());
}

/// Slots first, first + stride, ... of one lane: `count` of them.
struct LaneSlots {
  std::uint64_t first = 0;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
};

template <class Values>
using CodeOf = decltype(std::declval<Values>().load(0));

/// The sum of a lane's entries times x. Padding is skipped by predicates, never multiplied.
template <class T, class Values>
__device__ __forceinline__ T sum_slots(const std::uint32_t* col_idx, const Values& values, const LaneSlots& lane,
                                       const T* x) {
  T sum = 0;
  std::uint64_t slot = lane.first;
  for (std::uint32_t k = 0; k < lane.count; k += slot_batch, slot += slot_batch * lane.stride) {
    std::uint32_t columns[slot_batch];
    CodeOf<Values> codes[slot_batch];
    T factors[slot_batch];
#pragma unroll
    for (unsigned u = 0; u < slot_batch; ++u)
      columns[u] = k + u < lane.count ? load_once(col_idx + slot + u * lane.stride) : no_column;
#pragma unroll
    for (unsigned u = 0; u < slot_batch; ++u)
      codes[u] = k + u < lane.count ? values.load(slot + u * lane.stride) : CodeOf<Values>{};
#pragma unroll
    for (unsigned u = 0; u < slot_batch; ++u) factors[u] = columns[u] != no_column ? load_shared(x + columns[u]) : T(0);
#pragma unroll
    for (unsigned u = 0; u < slot_batch; ++u)
      if (columns[u] != no_column) sum += values.decode(codes[u]) * factors[u];
  }
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
