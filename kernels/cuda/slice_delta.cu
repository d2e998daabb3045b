#include "formats/slice_delta.hpp"
#include "kernels/cuda/bytes.cuh"
#include "kernels/cuda/four.cuh"
#include "kernels/cuda/joints.cuh"
#include "kernels/cuda/slots.cuh"

namespace spress::cuda {
namespace {

/// Steps on their way at once: those that one load of words tells of, and whose narrow codes are one load of a lane.
constexpr unsigned at_once = 4;

/// The arrays of the matrix on the device.
struct Arrays {
  std::uint32_t rows = 0, slices = 0, items = 0;
  std::uint32_t sigma = 1;
  bool by_lanes = false;  // lane_steps is 4
  const std::uint32_t* first_word = nullptr;
  const std::uint32_t* words = nullptr;
  const std::uint32_t* residuals = nullptr;
  const std::uint32_t* long_row = nullptr;
  const std::uint16_t* row_perm = nullptr;  // null for the identity

  __device__ __forceinline__ std::uint32_t row(std::uint32_t stored) const {
    return row_perm && stored < rows ? stored - stored % sigma + load_once(row_perm + stored) : stored;
  }
};

/// A bit for each lane before this one.
__device__ __forceinline__ std::uint32_t lanes_before() {
  std::uint32_t mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

/// The codes of a turn whose values stand lane by lane: those of this lane, from codes[4 * lane] on.
template <class Code>
__device__ __forceinline__ Four<Code> load_lane_codes(const Code* codes) {
  Four<Code> out;
#pragma unroll
  for (unsigned w = 0; w < sizeof out / 4; ++w) {
    const std::uint32_t word = read_bytes<4>(reinterpret_cast<const std::uint8_t*>(codes) + 4 * w);
    std::memcpy(reinterpret_cast<std::uint8_t*>(out.of) + 4 * w, &word, 4);
  }
  return out;
}

/// True for codes of which four are one word.
template <class Values>
constexpr bool narrow_codes = code_bytes<typename Values::Values> == 1;

/// What stands for the accessor of values near a kernel.
template <class Store>
struct StepValues {
  using Values = Store;
  NearValues<Store> near;
};

/// A lane on its way through an item.
template <class T>
struct LaneState {
  std::uint32_t column;
  const uint4* masks;
  const std::uint32_t* residuals;
  std::uint64_t value;  // of the item's next entry
  T sum = 0;
};

/// The residual of a lane whose entry is number `rank` of its step.
__device__ __forceinline__ std::uint32_t load_residual(const std::uint32_t* words, std::uint32_t rank,
                                                       std::uint32_t width) {
  const std::uint32_t bit = rank * width, shift = bit % 32;
  const std::uint32_t* word = words + bit / 32;
  const std::uint32_t low = load_shared(word), high = shift + width > 32 ? load_shared(word + 1) : 0;
  return __funnelshift_r(low, high, shift) & (0xFFFFFFFFu >> (32 - width));
}

/// Adds up to four steps in which every lane takes an entry. packed: they have residuals, else all lanes move alike.
/// whole: there are four. word: of the steps. piece: the steps are consecutive entries of one row.
template <bool packed, bool whole, class T, class Store>
__device__ __forceinline__ void add_full_steps(const StepValues<Store>& values, bool by_lanes,
                                               const std::uint32_t (&word)[at_once], std::uint32_t count, bool piece,
                                               const T* x, LaneState<T>& state) {
  const unsigned lane = threadIdx.x % warp_size;
  Four<CodeOf<Store>> codes;
  bool loaded = false;
  if constexpr (narrow_codes<StepValues<Store>> && whole)
    if (by_lanes) {
      codes = load_lane_codes(values.near.values.codes + state.value + at_once * lane);
      loaded = true;
    }
  if (!loaded) {
#pragma unroll
    for (unsigned u = 0; u < at_once; ++u)
      if (whole || u < count) codes.of[u] = values.near.load(state.value + u * warp_size + lane);
  }
  std::uint32_t residual[at_once];
  if constexpr (packed) {
#pragma unroll
    for (unsigned u = 0; u < at_once; ++u) {
      residual[u] = 0;
      const std::uint32_t width = slice_words::width(word[u]);
      if (width != 0) residual[u] = load_residual(state.residuals, lane, width);
      state.residuals += width;  // a word for each bit of 32 lanes
    }
  }
  T factors[at_once];
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    if (!whole && u >= count) continue;
    state.column += slice_words::base(word[u]);
    std::uint32_t own = state.column;
    if constexpr (packed) {
      own += residual[u];
      if (!piece) state.column = own;
    }
    factors[u] = load_shared(x + own);
  }
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u)
    if (whole || u < count) state.sum += values.near.decode(codes.of[u]) * factors[u];
  state.value += (whole ? at_once : count) * warp_size;
}

/// Adds up to four steps with masks. packed: they may have residuals, too, and wide bases, which stand at `bases`; and
/// where none has a mask in truth, their values may stand lane by lane.
template <bool packed, class T, class Store>
__device__ __forceinline__ void add_masked_steps(const StepValues<Store>& values, bool lane_by_lane,
                                                 const std::uint32_t (&word)[at_once], const uint4& four_masks,
                                                 const std::uint32_t* bases, std::uint32_t count, bool piece,
                                                 const T* x, LaneState<T>& state) {
  const std::uint32_t before = lanes_before(), own_bit = 1u << (threadIdx.x % warp_size);
  const std::uint32_t mask[at_once] = {four_masks.x, count > 1 ? four_masks.y : 0, count > 2 ? four_masks.z : 0,
                                       count > 3 ? four_masks.w : 0};
  const std::uint64_t turn = state.value;
  CodeOf<Store> codes[at_once];
  std::uint32_t residual[at_once];
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    const std::uint32_t rank = __popc(mask[u] & before), entries = __popc(mask[u]);
    const std::uint64_t at =
        packed && lane_by_lane ? turn + at_once * (threadIdx.x % warp_size) + u : state.value + rank;
    if ((mask[u] & own_bit) != 0) codes[u] = values.near.load(at);
    state.value += entries;
    if constexpr (packed) {
      residual[u] = 0;
      if (const std::uint32_t width = slice_words::width(word[u]); width != 0 && mask[u] != 0) {
        if ((mask[u] & own_bit) != 0) residual[u] = load_residual(state.residuals, rank, width);
        state.residuals += slice_words::residual_words(entries, width);
      }
    }
  }
  T factors[at_once];
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    std::uint32_t base = slice_words::base(word[u]);
    if (packed && bases && u < count) base = __ldg(bases + u);
    state.column += base;
    std::uint32_t own = state.column;
    if constexpr (packed) {
      own += residual[u];
      if (!piece) state.column = own;
    }
    if ((mask[u] & own_bit) != 0) factors[u] = load_shared(x + own);
  }
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u)
    if ((mask[u] & own_bit) != 0) state.sum += values.near.decode(codes[u]) * factors[u];
}

/// All words' bits of a turn of `count` steps.
__device__ __forceinline__ std::uint32_t bits_of(const uint4& words, std::uint32_t count) {
  return words.x | (count > 1 ? words.y : 0) | (count > 2 ? words.z : 0) | (count > 3 ? words.w : 0);
}

/// The sum of a lane of an item.
template <class T, class Store>
__device__ __forceinline__ T sum_item(const StepValues<Store>& values, bool by_lanes, const std::uint32_t* words,
                                      std::uint32_t head, bool piece, const T* x, LaneState<T> state) {
  const std::uint32_t steps = slice_words::steps(head);
  const bool wide = slice_words::is_wide(head);
  const auto* turns = reinterpret_cast<const uint4*>(words);
  state.masks = turns + slice_words::words_to_masks(head) / at_once;
#pragma unroll 1
  for (std::uint32_t k = 0; k < steps; k += at_once) {
    const uint4 four = __ldg(turns + k / at_once);
    const std::uint32_t word[at_once] = {four.x, four.y, four.z, four.w}, count = min(steps - k, at_once);
    const std::uint32_t bits = bits_of(four, count);
    const bool masked = (bits & slice_words::has_mask) != 0, packed = (bits & 63u) != 0;
    if (!wide && !masked && (count == at_once || !packed)) {
      if (packed)
        add_full_steps<true, true>(values, by_lanes, word, count, piece, x, state);
      else if (count == at_once)
        add_full_steps<false, true>(values, by_lanes, word, count, piece, x, state);
      else
        add_full_steps<false, false>(values, by_lanes, word, count, piece, x, state);
      continue;
    }
    const std::uint32_t* bases = wide ? words + slice_words::words_to_bases(head) + k : nullptr;
    uint4 masks = {~0u, ~0u, ~0u, ~0u};
    if (masked) masks = __ldg(state.masks++);
    if (wide || packed) {
      const bool lane_by_lane = by_lanes && !masked && count == at_once;
      add_masked_steps<true>(values, lane_by_lane, word, masks, bases, count, piece, x, state);
    } else {
      add_masked_steps<false>(values, false, word, masks, bases, count, piece, x, state);
    }
  }
  return state.sum;
}

/// Where an item begins, on its way while the one before is summed.
struct Start {
  std::uint32_t first_word;
  std::uint64_t value, residual;

  __device__ __forceinline__ void load(const Arrays& a, const DevicePositions& value_start,
                                       const DevicePositions& residual_start, std::uint32_t item) {
    if (item >= a.items) return;
    first_word = __ldg(a.first_word + item);
    value = value_start[item];
    residual = residual_start[item];
  }
};

/// The item that a warp takes in a round. Blocks take turns, so that none meets the longest slices of all windows of
/// sorted rows.
__device__ __forceinline__ std::uint32_t item_of_round(std::uint32_t round) {
  const std::uint32_t block = (blockIdx.x + round * 37) % gridDim.x;
  return round * item_stride() + block * (slot_threads / warp_size) + threadIdx.x / warp_size;
}

/// A warp an item: the rows of slices go to y, the sums of pieces to partials.
template <class T, class Store>
__global__ void __launch_bounds__(slot_threads, 2)
    multiply_items(Arrays a, DevicePositions value_start, DevicePositions residual_start, Store stored_values,
                   std::uint32_t table_size, T* partials, const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const StepValues<Store> values{NearValues<Store>(stored_values, table_size, shared_bytes)};
  const unsigned lane = threadIdx.x % warp_size;
  Start next;
  std::uint32_t coming = first_item();
  next.load(a, value_start, residual_start, coming);
  for (std::uint32_t round = 1; coming < a.items || round * item_stride() < a.items; ++round) {
    const std::uint32_t item = coming;
    const Start start = next;
    coming = item_of_round(round);
    next.load(a, value_start, residual_start, coming);
    if (item >= a.items) continue;
    const bool piece = item >= a.slices;
    const std::uint32_t* words = a.words + start.first_word;
    const std::uint32_t head = __ldg(words - 1), stored = item * slice_rows + lane;
    const std::uint32_t row = piece ? __ldg(a.long_row + (item - a.slices)) + lane : a.row(stored);
    LaneState<T> state{row, nullptr, a.residuals + start.residual, start.value};
    T sum = sum_item(values, a.by_lanes, words, head, piece, x, state);
    if (piece) {
      sum = sum_over_lanes(sum);
      if (lane == 0) partials[item - a.slices] = sum;
    } else if (stored < a.rows) {
      y[row] = sum;
    }
  }
}

/// The rows that are cut into pieces.
[[nodiscard]] std::vector<Joint> joints_of(const SliceDelta<Viewed>& host) {
  std::vector<Joint> out;
  for (std::uint64_t p = 0; p < host.long_row.size(); ++p) {
    if (p == 0 || host.long_row[p] != host.long_row[p - 1]) out.push_back({p, host.long_row[p], 1, 0});
    ++out.back().pieces;
  }
  return out;
}

[[nodiscard]] Arrays arrays_of(const SliceDelta<Viewed>& device) {
  Arrays a;
  a.rows = static_cast<std::uint32_t>(device.rows);
  a.slices = static_cast<std::uint32_t>(slices_of(device));
  a.items = static_cast<std::uint32_t>(items_of(device));
  a.sigma = static_cast<std::uint32_t>(device.sigma);
  a.by_lanes = device.lane_steps == at_once;
  a.first_word = device.first_word.data();
  a.words = device.words.data();
  a.residuals = device.residuals.data();
  a.long_row = device.long_row.data();
  a.row_perm = device.row_perm.empty() ? nullptr : device.row_perm.data();
  return a;
}

template <class T>
Result<Product<T>> make(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& device) {
  if (items_of(host) > most_items)
    return Error{
        ErrorCode::too_large, std::to_string(items_of(host)) + " warps: at most " + std::to_string(most_items), {}, 0};
  SPRESS_TRY(const Joints<T> joints, Joints<T>::make(joints_of(host), host.long_row.size(), 1));
  SPRESS_TRY(const unsigned blocks, (with_device_accessor<T, Result<unsigned>>(device.values, [&]<class Store>(Store) {
               return slot_blocks_for<Store>(multiply_items<T, Store>, items_of(host), host.row_perm.empty());
             })));
  Product<T> out;
  out.kernel = joints.empty() ? "row per lane" : "row per lane, long rows in pieces";
  const Arrays arrays = arrays_of(device);
  out.multiply = [joints, blocks, arrays, device](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK((with_device_accessor<T, Status>(device.values, [&]<class Store>(Store values) {
      return launch_with_shared(multiply_items<T, Store>, blocks, slot_threads, NearValues<Store>::shared_bytes, stream,
                                arrays, DevicePositions(device.value_start), DevicePositions(device.residual_start),
                                values, table_size(device.values), joints.partials(), x, y);
    })));
    return joints.finish(nullptr, false, y, stream);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(SliceDelta, make)

}  // namespace spress::cuda
