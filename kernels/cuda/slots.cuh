// The inner loop of padded formats: a lane adds up slots that stand a stride apart.
#pragma once

#include <cstdint>

#include "formats/padding.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {

/// Slots first, first + stride, ... of one lane.
struct LaneSlots {
  std::uint64_t first = 0;
  std::uint64_t stride = 0;
  std::uint32_t count = 0;
};

/// The sum of their entries times x. Columns and codes of `batch` slots are on their way at once, then those of x.
/// Padding is skipped by predicates, never multiplied. Lanes need not have the same count.
template <class T, class Values>
__device__ __forceinline__ T sum_slots(const std::uint32_t* col_idx, const Values& values, const LaneSlots& lane,
                                       const T* x) {
  constexpr unsigned batch = 8;
  using Code = decltype(values.load(0));
  T sum = 0;
  std::uint64_t slot = lane.first;
  for (std::uint32_t k = 0; k < lane.count; k += batch, slot += batch * lane.stride) {
    std::uint32_t columns[batch];
    Code codes[batch];
    T factors[batch];
#pragma unroll
    for (unsigned u = 0; u < batch; ++u)
      columns[u] = k + u < lane.count ? load_once(col_idx + slot + u * lane.stride) : no_column;
#pragma unroll
    for (unsigned u = 0; u < batch; ++u) codes[u] = k + u < lane.count ? values.load(slot + u * lane.stride) : Code{};
#pragma unroll
    for (unsigned u = 0; u < batch; ++u) factors[u] = columns[u] != no_column ? load_shared(x + columns[u]) : T(0);
#pragma unroll
    for (unsigned u = 0; u < batch; ++u)
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
