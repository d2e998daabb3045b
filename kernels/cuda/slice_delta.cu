#include "formats/slice_delta.hpp"
#include "kernels/cuda/bytes.cuh"
#include "kernels/cuda/four.cuh"
#include "kernels/cuda/joints.cuh"
#include "kernels/cuda/slots.cuh"

namespace spress::cuda {
namespace {

/// Steps on their way at once: those that one load of words tells of, and whose narrow codes are one load of a lane.
constexpr unsigned at_once = 4;

constexpr unsigned item_threads = 512;  // of a block: two of them have 64 registers for each thread, and need them

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

/// A lane on its way through an item. 32 bits where they do: registers are what keeps warps off a multiprocessor.
template <class T>
struct LaneState {
  std::uint32_t column;
  std::uint32_t masks;      // words from the item's first to those of the next turn that has some
  std::uint32_t residuals;  // words of the item's residuals that are done
  std::uint64_t value;      // of the item's next entry
  T sum;
};

/// What stays the same for all lanes of an item.
struct Item {
  const std::uint32_t* words;
  const std::uint32_t* residuals;
  std::uint32_t head;
  bool piece;  // its steps are consecutive entries of one row
};

/// The lowest `width` bits, 0 to 32.
__device__ __forceinline__ std::uint32_t low_bits(std::uint32_t width) { return ~__funnelshift_lc(0u, ~0u, width); }

/// The `width` bits from bit `bit` of the words on.
__device__ __forceinline__ std::uint32_t load_residual(const std::uint32_t* words, std::uint32_t bit,
                                                       std::uint32_t width) {
  const std::uint32_t shift = bit % 32;
  const std::uint32_t* word = words + bit / 32;
  const std::uint32_t low = load_shared(word), high = shift + width > 32 ? load_shared(word + 1) : 0;
  return __funnelshift_r(low, high, shift) & low_bits(width);
}

/// The residuals of a lane in a full turn, which stand one after the other.
class TurnResiduals {
 public:
  /// bits: of all four.
  __device__ __forceinline__ TurnResiduals(const std::uint32_t* words, std::uint32_t bits) {
    const std::uint32_t bit = bits * (threadIdx.x % warp_size), shift = bit % 32;
    const std::uint32_t* at = words + bit / 32;
    // A lane's bits may begin anywhere in a word; what is read behind them belongs to the lanes behind, or is not used.
    const bool last = shift + bits > 32;
    std::uint32_t word[5] = {load_shared(at), last ? load_shared(at + 1) : 0, 0, 0, 0};
    if (bits > 32) {
      if (shift + bits > 64) word[2] = load_shared(at + 2);
      if (bits > 64) {
        if (shift + bits > 96) word[3] = load_shared(at + 3);
        if (shift + bits > 128) word[4] = load_shared(at + 4);
      }
    }
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) rest_[k] = __funnelshift_r(word[k], word[k + 1], shift);
    long_ = bits > 64;
  }
  /// The next one, `width` bits.
  __device__ __forceinline__ std::uint32_t take(std::uint32_t width) {
    const std::uint32_t out = rest_[0] & low_bits(width);
    rest_[0] = __funnelshift_rc(rest_[0], rest_[1], width);
    rest_[1] = __funnelshift_rc(rest_[1], rest_[2], width);
    if (long_) {
      rest_[2] = __funnelshift_rc(rest_[2], rest_[3], width);
      rest_[3] = __funnelshift_rc(rest_[3], 0, width);
    }
    return out;
  }

 private:
  std::uint32_t rest_[4];
  bool long_;
};

/// Four codes of a turn in which every lane takes an entry, the first at `value`. In place of steps behind the last, of
/// which there are `count`, the first is loaded again.
template <bool whole, class Store>
__device__ __forceinline__ Four<CodeOf<Store>> load_turn(const StepValues<Store>& values, bool by_lanes,
                                                         std::uint64_t value, std::uint32_t count) {
  const unsigned lane = threadIdx.x % warp_size;
  if constexpr (narrow_codes<StepValues<Store>> && whole)
    if (by_lanes) return load_lane_codes(values.near.values.codes + value + at_once * lane);
  Four<CodeOf<Store>> codes;
  value += lane;
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u)
    codes.of[u] = values.near.load(value + (whole || u < count ? u * warp_size : 0));
  return codes;
}

/// Adds up to four steps in which all lanes take an entry and move alike. whole: there are four.
template <bool whole, class T, class Store>
__device__ __forceinline__ void add_plain_steps(const StepValues<Store>& values, bool by_lanes, const uint4& words,
                                                std::uint32_t count, const T* x, LaneState<T>& state) {
  const auto codes = load_turn<whole>(values, by_lanes, state.value, count);
  const std::uint32_t word[at_once] = {words.x, words.y, words.z, words.w};
  T factors[at_once];
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    if (whole || u < count) state.column += slice_words::base(word[u]);
    factors[u] = load_shared(x + state.column);
  }
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u)
    if (whole || u < count) state.sum += values.near.decode(codes.of[u]) * factors[u];
  state.value += whole ? at_once * warp_size : count * warp_size;
}

/// Adds four steps in which all lanes take an entry and have residuals.
template <class T, class Store>
__device__ __forceinline__ void add_packed_steps(const StepValues<Store>& values, bool by_lanes, const uint4& words,
                                                 const Item& item, const T* x, LaneState<T>& state) {
  const auto codes = load_turn<true>(values, by_lanes, state.value, at_once);
  const std::uint32_t word[at_once] = {words.x, words.y, words.z, words.w};
  std::uint32_t bits = 0;
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) bits += slice_words::width(word[u]);
  TurnResiduals residuals(item.residuals + state.residuals, bits);
  T factors[at_once];
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    state.column += slice_words::base(word[u]);
    const std::uint32_t own = state.column + residuals.take(slice_words::width(word[u]));
    if (!item.piece) state.column = own;
    factors[u] = load_shared(x + own);
  }
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) state.sum += values.near.decode(codes.of[u]) * factors[u];
  state.residuals += bits;  // a word for each bit of 32 lanes
  state.value += at_once * warp_size;
}

/// Adds up to four steps with masks. packed: they may also have residuals or wide bases, or no mask in truth.
/// full: they have none, and are four.
template <bool packed, class T, class Store>
__device__ __forceinline__ void add_masked_steps(const StepValues<Store>& values, bool by_lanes, const uint4& words,
                                                 const uint4& masks, const std::uint32_t* bases, bool full,
                                                 const Item& item, const T* x, LaneState<T>& state) {
  const std::uint32_t before = lanes_before(), lane = threadIdx.x % warp_size, own_bit = 1u << lane;
  const std::uint32_t word[at_once] = {words.x, words.y, words.z, words.w};
  const std::uint32_t mask[at_once] = {masks.x, masks.y, masks.z, masks.w};
  CodeOf<Store> codes[at_once];
  std::uint32_t residual[at_once], taken = 0, bits = 0, seen = 0;
  if constexpr (packed)
#pragma unroll
    for (unsigned u = 0; u < at_once; ++u) bits += slice_words::width(word[u]);
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    const std::uint32_t rank = __popc(mask[u] & before), entries = __popc(mask[u]);
    const std::uint32_t at = packed && full && by_lanes ? at_once * lane + u : taken + rank;
    if ((mask[u] & own_bit) != 0) codes[u] = values.near.load(state.value + at);
    taken += entries;
    if constexpr (packed) {
      residual[u] = 0;
      if (const std::uint32_t width = slice_words::width(word[u]); width != 0 && mask[u] != 0) {
        const std::uint32_t bit = full ? lane * bits + seen : rank * width;
        if ((mask[u] & own_bit) != 0) residual[u] = load_residual(item.residuals + state.residuals, bit, width);
        if (!full) state.residuals += slice_words::residual_words(entries, width);
        seen += width;
      }
    }
  }
  if (packed && full) state.residuals += bits;
  state.value += taken;
  T factors[at_once];
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    std::uint32_t base = slice_words::base(word[u]);
    if (packed && bases) base = __ldg(bases + u);
    state.column += base;
    std::uint32_t own = state.column;
    if constexpr (packed) {
      own += residual[u];
      if (!item.piece) state.column = own;
    }
    if ((mask[u] & own_bit) != 0) factors[u] = load_shared(x + own);
  }
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u)
    if ((mask[u] & own_bit) != 0) state.sum += values.near.decode(codes[u]) * factors[u];
}

/// The sum of a lane of an item. packed_turns: some turns of the matrix have residuals or wide bases.
template <bool packed_turns, class T, class Store>
__device__ __forceinline__ T sum_item(const StepValues<Store>& values, bool by_lanes, const Item& item,
                                      std::uint32_t column, std::uint64_t value, const T* x) {
  constexpr std::uint32_t any_residual = 63u;
  LaneState<T> state{column, slice_words::words_to_masks(item.head), 0, value, 0};
  const auto* turn = reinterpret_cast<const uint4*>(item.words);
  std::uint32_t left = slice_words::steps(item.head);
#pragma unroll 1
  while (left != 0) {
    const uint4 words = __ldg(turn++);
    const std::uint32_t count = min(left, at_once);
    std::uint32_t bits = words.x | words.y | words.z | words.w;
    if (left < at_once) bits = words.x | (left > 1 ? words.y : 0) | (left > 2 ? words.z : 0);
    left -= count;
    const bool masked = (bits & slice_words::has_mask) != 0, packed = packed_turns && (bits & any_residual) != 0;
    const bool wide = packed_turns && slice_words::is_wide(item.head), full = !masked && count == at_once;
    if (!masked && !packed && !wide) {
      if (count == at_once)
        add_plain_steps<true>(values, by_lanes, words, count, x, state);
      else
        add_plain_steps<false>(values, by_lanes, words, count, x, state);
    } else if (packed_turns && full && !wide) {
      add_packed_steps(values, by_lanes, words, item, x, state);
    } else {
      uint4 masks = {~0u, count > 1 ? ~0u : 0, count > 2 ? ~0u : 0, count > 3 ? ~0u : 0};
      if (masked || !packed_turns) {
        masks = __ldg(reinterpret_cast<const uint4*>(item.words + state.masks));
        state.masks += at_once;
      }
      const auto* bases =
          wide ? reinterpret_cast<const std::uint32_t*>(turn - 1) + slice_words::words_to_bases(item.head) : nullptr;
      add_masked_steps<packed_turns>(values, by_lanes, words, masks, bases, full, item, x, state);
    }
  }
  return state.sum;
}

/// Where an item begins, on its way while the one before is summed.
struct Start {
  std::uint32_t first_word;
  std::uint64_t value;

  __device__ __forceinline__ void load(const Arrays& a, const DevicePositions& value_start, std::uint32_t item) {
    if (item >= a.items) return;
    first_word = __ldg(a.first_word + item);
    value = value_start[item];
  }
};

/// A warp an item: the rows of slices go to y, the sums of pieces to partials.
template <bool packed_turns, class T, class Store>
__global__ void __launch_bounds__(item_threads, 2)
    multiply_items(Arrays a, DevicePositions value_start, DevicePositions residual_start, Store stored_values,
                   std::uint32_t table_size, T* partials, const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const StepValues<Store> values{NearValues<Store>(stored_values, table_size, shared_bytes)};
  const unsigned lane = threadIdx.x % warp_size;
  // Blocks take turns, so that none meets the longest slices of all windows of sorted rows.
  constexpr std::uint32_t warps = item_threads / warp_size;
  std::uint32_t block = blockIdx.x, begin = 0, coming = block * warps + threadIdx.x / warp_size;
  Start next;
  next.load(a, value_start, coming);
  while (begin < a.items) {
    const std::uint32_t i = coming;
    const Start start = next;
    begin += gridDim.x * warps;
    block += min(37u, gridDim.x - 1);
    if (block >= gridDim.x) block -= gridDim.x;
    coming = begin + block * warps + threadIdx.x / warp_size;
    next.load(a, value_start, coming);
    if (i >= a.items) continue;
    Item item;
    item.words = a.words + start.first_word;
    item.head = __ldg(item.words - 1);
    item.piece = i >= a.slices;
    item.residuals = a.residuals;
    if ((item.head & slice_words::any_width) != 0) item.residuals += residual_start[i];
    const std::uint32_t row = item.piece ? __ldg(a.long_row + (i - a.slices)) + lane : a.row(i * slice_rows + lane);
    T sum = sum_item<packed_turns>(values, a.by_lanes, item, row, start.value, x);
    if (item.piece) {
      sum = sum_over_lanes(sum);
      if (lane == 0) partials[i - a.slices] = sum;
    } else if (i * slice_rows + lane < a.rows) {
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

/// True where any item has more than masks.
[[nodiscard]] bool has_packed_turns(const SliceDelta<Viewed>& host) {
  bool found = false;
  for (std::uint64_t i = 0; i < items_of(host); ++i)
    found = found || (host.words[host.first_word[i] - 1] & (slice_words::any_width | slice_words::wide_bases)) != 0;
  return found;
}

template <class T, bool packed_turns>
Result<Product<T>> make_with(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& device) {
  SPRESS_TRY(const Joints<T> joints, Joints<T>::make(joints_of(host), host.long_row.size(), 1));
  SPRESS_TRY(
      const unsigned resident, (with_device_accessor<T, Result<unsigned>>(device.values, [&]<class Store>(Store) {
        return resident_blocks(multiply_items<packed_turns, T, Store>, item_threads, NearValues<Store>::shared_bytes);
      })));
  // Sorted rows make slices of very different lengths, which the device deals out better than a fixed turn of blocks.
  unsigned blocks = blocks_for(items_of(host), item_threads / warp_size);
  if (host.row_perm.empty() || device.values.kind == StoreKind::lut8) blocks = std::min(blocks, resident);
  Product<T> out;
  out.kernel = joints.empty() ? "row per lane" : "row per lane, long rows in pieces";
  const Arrays arrays = arrays_of(device);
  out.multiply = [joints, blocks, arrays, device](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK((with_device_accessor<T, Status>(device.values, [&]<class Store>(Store values) {
      return launch_with_shared(multiply_items<packed_turns, T, Store>, blocks, item_threads,
                                NearValues<Store>::shared_bytes, stream, arrays, DevicePositions(device.value_start),
                                DevicePositions(device.residual_start), values, table_size(device.values),
                                joints.partials(), x, y);
    })));
    return joints.finish(nullptr, false, y, stream);
  };
  return out;
}

template <class T>
Result<Product<T>> make(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& device) {
  if (items_of(host) > most_items)
    return Error{
        ErrorCode::too_large, std::to_string(items_of(host)) + " warps: at most " + std::to_string(most_items), {}, 0};
  return has_packed_turns(host) ? make_with<T, true>(host, device) : make_with<T, false>(host, device);
}

}  // namespace

SPRESS_CUDA_PRODUCT(SliceDelta, make)

}  // namespace spress::cuda
