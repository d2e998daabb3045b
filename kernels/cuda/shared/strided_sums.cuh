// The inner loop of padded formats: a lane adds up slots that stand a stride apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "formats/padded/padding.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/tables.cuh"

namespace spress::cuda {

/// Slots of a lane on their way at once. More would take registers: a multiprocessor has enough for all the warps that
/// it can hold only where a thread needs no more than 32, and many warps wait better than few with many loads.
inline constexpr unsigned slot_batch = 4;
inline constexpr unsigned slot_threads = 512, slot_blocks = 4;  // of a block, of a multiprocessor

/// Units (what one warp takes) of many turns keep a warp busy for long, and there are fewer of them: half as many warps
/// at a time, each with more slots on their way, need fewer rounds and lose less where the last warps are alone. 9
/// slots: rows of 27 and 81 entries are common, and none takes more batches than with 8.
inline constexpr unsigned long_unit_batch = 9, long_unit_blocks = 2;
inline constexpr std::uint64_t long_unit_turns = 24;

/// turns: of all units together; a turn is one slot of each lane.
[[nodiscard]] constexpr bool are_long_units(std::uint64_t turns, std::uint64_t units) {
  return turns >= long_unit_turns * units;
}

/// Slots on their way where units are long: tables in shared memory leave no room for more than usual.
template <class Values>
inline constexpr unsigned batch_of_long_units = NearValues<Values>::shared_bytes != 0 ? slot_batch : long_unit_batch;

/// A warp takes items first_item(), + item_stride(), ... of fewer than most_items. 32 bits, since registers are short.
/// threads: of a block, at most slot_threads.
template <unsigned threads = slot_threads>
__device__ __forceinline__ std::uint32_t first_item() {
  return blockIdx.x * (threads / warp_size) + threadIdx.x / warp_size;
}
template <unsigned threads = slot_threads>
__device__ __forceinline__ std::uint32_t item_stride() {
  return gridDim.x * (threads / warp_size);
}
inline constexpr unsigned most_blocks = 1u << 24;
inline constexpr std::uint64_t most_items =
    (std::uint64_t{1} << 32) - std::uint64_t{most_blocks} * slot_threads / warp_size;

/// Blocks of a kernel for `items` warps: where blocks fill a table first, no more than the device holds at once.
/// Errors: too_large for more than most_items, of which no device has the memory.
template <class Values, class Kernel>
[[nodiscard]] Result<unsigned> slot_blocks_for(Kernel kernel, std::uint64_t items, unsigned threads = slot_threads) {
  constexpr unsigned shared_bytes = NearValues<Values>::shared_bytes;
  if (items > most_items)
    return Error{ErrorCode::too_large, std::to_string(items) + " warps: at most " + std::to_string(most_items)};
  const unsigned blocks = std::min(blocks_for(items, threads / warp_size), most_blocks);
  if (shared_bytes == 0) return blocks;
  SPRESS_TRY(const unsigned resident, resident_blocks(kernel, threads, shared_bytes));
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

/// The codes of a batch, one load for each.
template <class Values, unsigned batch>
class BatchCodes {
 public:
  __device__ __forceinline__ void load(const Values& values, const LaneSlots& lane) {
    if (lane.count >= batch) {
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) codes_[u] = values.load(lane.first + u * lane.stride);
    } else {
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) {
        codes_[u] = {};
        if (u < lane.count) codes_[u] = values.load(lane.first + u * lane.stride);
      }
    }
  }
  __device__ __forceinline__ auto decode(const Values& values, unsigned u) const { return values.decode(codes_[u]); }

 private:
  CodeOf<Values> codes_[batch];
};

/// The 8-bit codes of a batch where the slots of four steps stand side by side: one word a lane. The codes of step u
/// are in the lanes from 8 * u on, those of four neighbouring lanes in each.
template <class Values>
class BatchWords {
  static_assert(slot_batch == sizeof(std::uint32_t));

 public:
  __device__ __forceinline__ void load(const Values& values, const LaneSlots& lane) {
    const unsigned own = threadIdx.x % warp_size;
    word_ = 0;
    if (own / 8 < lane.count)
      word_ = load_once(reinterpret_cast<const std::uint32_t*>(values.codes() + (lane.first - own)) + own);
  }
  /// All lanes take part.
  __device__ __forceinline__ auto decode(const Values& values, unsigned u) const {
    const unsigned own = threadIdx.x % warp_size;
    const std::uint32_t word = __shfl_sync(whole_warp, word_, 8 * u + own / 4);
    return values.decode(static_cast<std::uint8_t>(__byte_perm(word, 0, 0x4440 | own % 4)));
  }

 private:
  std::uint32_t word_;
};

/// The sum of a lane's entries times x. Padding is never multiplied: batches in which any lane meets some take a way of
/// their own, so that all others are free of conditions. All lanes take part; none has more slots than `turns`.
/// side_by_side: the slots of a step are those of the 32 lanes in their order, those of the next step follow, and the
/// first is a multiple of 4. batch: slots of a lane on their way at once.
template <bool side_by_side, unsigned batch = slot_batch, class T, class Values>
__device__ __forceinline__ T sum_slots(const std::uint32_t* col_idx, const Values& values, LaneSlots lane,
                                       std::uint32_t turns, const T* x) {
  constexpr bool words = side_by_side && has_near_table<Values> && batch == slot_batch;
  T sum = 0;
  for (std::uint32_t turn = 0; turn < turns; turn += batch) {
    std::uint32_t columns[batch], together = 0;
    std::conditional_t<words, BatchWords<Values>, BatchCodes<Values, batch>> codes;
    T factors[batch];
    if (lane.count >= batch) {
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) columns[u] = load_once(col_idx + lane.first + u * lane.stride);
    } else {
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) {
        columns[u] = no_column;
        if (u < lane.count) columns[u] = load_once(col_idx + lane.first + u * lane.stride);
      }
    }
    codes.load(values, lane);
#pragma unroll
    for (unsigned u = 0; u < batch; ++u) together |= columns[u];
    static_assert(static_cast<std::int32_t>(no_column) < 0);  // columns of matrices have 31 bits
    if (__any_sync(whole_warp, static_cast<std::int32_t>(together) < 0)) {
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) factors[u] = columns[u] != no_column ? load_shared(x + columns[u]) : T(0);
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) {
        const T value = codes.decode(values, u);
        if (columns[u] != no_column) sum += value * factors[u];
      }
    } else {
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) factors[u] = load_shared(x + columns[u]);
#pragma unroll
      for (unsigned u = 0; u < batch; ++u) sum += codes.decode(values, u) * factors[u];
    }
    lane.first += batch * lane.stride;
    lane.count -= min(lane.count, batch);
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
