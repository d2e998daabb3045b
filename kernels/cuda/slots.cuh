// The inner loop of padded formats: a lane adds up slots that stand a stride apart.
#pragma once

#include <cstdint>
#include <utility>

#include "formats/padding.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tables.cuh"

namespace spress::cuda {

/// How the slots of a lane are summed. deep: three batches in the works, for many slots; else a batch after the other
/// and few registers, so that other warps do the waiting, for slots that fill hardly more than one batch.
enum class Depth { shallow, deep };
inline constexpr unsigned slot_batch = 8;

/// `mean`: slots of a lane.
[[nodiscard]] constexpr Depth depth_for(std::uint64_t mean) { return mean > slot_batch ? Depth::deep : Depth::shallow; }

/// Threads of a block, and how many blocks a multiprocessor shall have registers for at least. Blocks that fill a table
/// first are large, so that few tables take the room of x in the cache.
template <Depth depth, class Values>
struct SlotBlock {
  static constexpr bool table = NearValues<Values>::shared_bytes != 0;
  static constexpr unsigned threads = !table ? 128 : depth == Depth::deep ? 384 : 512;
  static constexpr unsigned blocks = depth == Depth::deep ? 768 / threads : table ? 3 : 1;
};

/// A kernel with what its launch needs to know.
template <class Kernel>
struct SlotKernel {
  Kernel kernel;
  unsigned threads, shared_bytes;
  bool table;

  template <Depth depth, class Values>
  SlotKernel(Kernel k, SlotBlock<depth, Values> block)
      : kernel(k), threads(block.threads), shared_bytes(NearValues<Values>::shared_bytes), table(block.table) {}
};

/// Blocks for `items` warps: all at once, but where blocks fill a table first, no more than the device holds.
template <class Kernel>
[[nodiscard]] Result<unsigned> slot_blocks(const SlotKernel<Kernel>& kernel, std::uint64_t items) {
  const unsigned blocks = blocks_for(items, kernel.threads / warp_size);
  if (!kernel.table) return blocks;
  SPRESS_TRY(const unsigned resident, resident_blocks(kernel.kernel, kernel.threads, kernel.shared_bytes));
  return std::min(blocks, resident);
}

/// Values in the table of a store on the device.
[[nodiscard]] inline std::uint32_t table_size(const ValueStore<Viewed>& values) {
  return static_cast<std::uint32_t>(values.table.size());
}

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

/// One batch is added up while the elements of x of the next and the columns and codes of the one behind it are on
/// their way.
template <class T, class Values>
__device__ __forceinline__ T sum_many_slots(const std::uint32_t* col_idx, const Values& values, const LaneSlots& lane,
                                            const T* x) {
  T sum = 0;
  SlotBatch<Values, slot_batch> slots;
  FactorBatch<T, slot_batch> factors;
  factors.clear();
  if (lane.turns == 0) return sum;
  slots.load(col_idx, values, lane.first, lane.stride, lane.count);
  for (std::uint32_t turn = slot_batch;; turn += slot_batch) {
    factors.add_to(sum);
    factors.load(slots, values, x);
    if (turn >= lane.turns) break;
    slots.load(col_idx, values, lane.first + turn * lane.stride, lane.stride,
               turn < lane.count ? lane.count - turn : 0);
  }
  factors.add_to(sum);
  return sum;
}

/// A batch after the other.
template <class T, class Values>
__device__ __forceinline__ T sum_few_slots(const std::uint32_t* col_idx, const Values& values, const LaneSlots& lane,
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

/// The sum of a lane's entries times x. Padding is skipped by predicates, never multiplied.
template <Depth depth, class T, class Values>
__device__ __forceinline__ T sum_slots(const std::uint32_t* col_idx, const Values& values, const LaneSlots& lane,
                                       const T* x) {
  if constexpr (depth == Depth::deep) return sum_many_slots(col_idx, values, lane, x);
  return sum_few_slots(col_idx, values, lane, x);
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
