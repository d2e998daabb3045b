#include "formats/slice_delta/slice_delta.hpp"
#include "kernels/cuda/shared/bytes.cuh"
#include "kernels/cuda/shared/partial_sums.cuh"
#include "kernels/cuda/shared/strided_sums.cuh"
#include "kernels/cuda/shared/wide_loads.cuh"
#include "kernels/cuda/slice_delta/slice_arrays.cuh"
#include "kernels/cuda/slice_delta/slice_pairs.cuh"

namespace spress::cuda {
namespace {

/// Steps on their way at once: those that one load of words tells of, and whose narrow codes are one load of a lane.
constexpr unsigned at_once = 4;

/// Threads of a block, two of which a multiprocessor holds: as many as have registers for all that they keep. Turns
/// with residuals need 64, others 48.
template <bool packed_turns>
constexpr unsigned item_threads = packed_turns ? 512 : 640;

/// The lowest `width` bits, 0 to 32.
__device__ __forceinline__ std::uint32_t low_bits(std::uint32_t width) { return ~__funnelshift_lc(0u, ~0u, width); }

/// The bytes of four codes of one byte each, from codes[4 * lane] on.
template <class Code>
__device__ __forceinline__ Four<Code> load_lane_codes(const Code* codes) {
  static_assert(sizeof(Code) == 1);
  const std::uint32_t word = read_bytes<4>(reinterpret_cast<const std::uint8_t*>(codes));
  Four<Code> out;
  std::memcpy(out.of, &word, 4);
  return out;
}

/// The values of items, which a product takes turn by turn.
template <class Store>
class TurnValues {
 public:
  using Code = CodeOf<Store>;
  using Codes = Four<Code>;
  static constexpr unsigned shared_bytes = NearValues<Store>::shared_bytes;

  /// What the kernel is given, and what is loaded of an item while the one before is summed.
  struct Source {
    DevicePositions value_start;
    Store values;
    std::uint32_t table_size;
    bool by_lanes;  // lane_steps is 4
  };
  struct Start {
    std::uint64_t value;
    __device__ __forceinline__ void load(const Source& from, std::uint32_t item) { value = from.value_start[item]; }
  };

  __device__ __forceinline__ TurnValues(const Source& from, void* shared)
      : near_(from.values, from.table_size, shared), by_lanes_(from.by_lanes) {}

  /// The codes of four whole steps.
  __device__ __forceinline__ Codes load_turn(std::uint64_t at) const {
    const unsigned lane = threadIdx.x % warp_size;
    if constexpr (code_bytes<Store> == 1)
      if (by_lanes_) return load_lane_codes(near_.values.codes + at + at_once * lane);
    Codes codes;
#pragma unroll
    for (unsigned u = 0; u < at_once; ++u) codes.of[u] = near_.load(at + lane + u * warp_size);
    return codes;
  }
  __device__ __forceinline__ Code load_one(std::uint64_t at) const { return near_.load(at); }
  /// Where lane and step stand in a turn that is four whole steps.
  __device__ __forceinline__ std::uint32_t entry(unsigned u, unsigned lane) const {
    return by_lanes_ ? at_once * lane + u : u * warp_size + lane;
  }
  template <class T>
  __device__ __forceinline__ void decode(const Codes& codes, T (&out)[at_once]) const {
    decode(codes.of, out);
  }
  template <class T, unsigned n>
  __device__ __forceinline__ void decode(const Code (&codes)[n], T (&out)[n]) const {
#pragma unroll
    for (unsigned u = 0; u < n; ++u) out[u] = near_.decode(codes[u]);
  }

 private:
  NearValues<Store> near_;
  bool by_lanes_;
};

/// A lane on its way through an item. 32 bits where they do: registers are what keeps warps off a multiprocessor.
template <class T>
struct LaneState {
  std::uint32_t column;
  const std::uint32_t* masks;      // of the next turn that has some
  const std::uint32_t* residuals;  // of the next turn
  std::uint64_t value;             // of the next turn, where `values` has it
  T sum;
};

/// The `width` bits from bit `bit` of the words on.
__device__ __forceinline__ std::uint32_t load_residual(const std::uint32_t* words, std::uint32_t bit,
                                                       std::uint32_t width) {
  const std::uint32_t shift = bit % 32;
  const std::uint32_t* word = words + bit / 32;
  const std::uint32_t low = load_shared(word), high = shift + width > 32 ? load_shared(word + 1) : 0;
  return __funnelshift_r(low, high, shift) & low_bits(width);
}

/// The residuals of a lane in a full turn, which stand one after the other: at most `most_bits` of all four.
class TurnResiduals {
 public:
  static constexpr std::uint32_t most_bits = 64;
  /// bits: of all four.
  __device__ __forceinline__ TurnResiduals(const std::uint32_t* words, std::uint32_t bits) {
    const std::uint32_t bit = bits * (threadIdx.x % warp_size), shift = bit % 32;
    const std::uint32_t* at = words + bit / 32;
    // A lane's bits may begin anywhere in a word; what is read behind them belongs to the lanes behind, or is not used.
    const std::uint32_t word[3] = {load_shared(at), shift + bits > 32 ? load_shared(at + 1) : 0,
                                   shift + bits > 64 ? load_shared(at + 2) : 0};
    low_ = __funnelshift_r(word[0], word[1], shift);
    high_ = __funnelshift_r(word[1], word[2], shift);
  }
  /// The next one, `width` bits.
  __device__ __forceinline__ std::uint32_t take(std::uint32_t width) {
    const std::uint32_t out = low_ & low_bits(width);
    low_ = __funnelshift_rc(low_, high_, width);
    high_ = __funnelshift_rc(high_, 0, width);
    return out;
  }

 private:
  std::uint32_t low_, high_;
};

/// Adds up to four steps in which all lanes take an entry and move alike. whole: there are four.
template <bool whole, class T, class Turns>
__device__ __forceinline__ void add_plain_steps(const Turns& turns, const uint4& words, std::uint32_t count, const T* x,
                                                LaneState<T>& state) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint32_t word[at_once] = {words.x, words.y, words.z, words.w};
  std::conditional_t<whole, typename Turns::Codes, typename Turns::Code[at_once]> codes;
  if constexpr (whole)
    codes = turns.load_turn(state.value);
  else
#pragma unroll
    for (unsigned u = 0; u < at_once; ++u)  // in place of steps behind the last, the first is loaded again
      codes[u] = turns.load_one(state.value + (lane + (u < count ? u * warp_size : 0)));
  T factors[at_once], values[at_once];
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    if (whole || u < count) state.column += slice_words::base(word[u]);
    factors[u] = load_shared(x + state.column);
  }
  turns.decode(codes, values);
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u)
    if (whole || u < count) state.sum += values[u] * factors[u];
  state.value += whole ? at_once * warp_size : count * warp_size;
}

/// Adds four steps in which all lanes take an entry and have residuals, `bits` each, at most TurnResiduals::most_bits.
/// piece: they are consecutive entries of one row.
template <class T, class Turns>
__device__ __forceinline__ void add_packed_steps(const Turns& turns, const uint4& words, std::uint32_t bits, bool piece,
                                                 const T* x, LaneState<T>& state) {
  const auto codes = turns.load_turn(state.value);
  const std::uint32_t word[at_once] = {words.x, words.y, words.z, words.w};
  TurnResiduals residuals(state.residuals, bits);
  T factors[at_once], values[at_once];
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) {
    state.column += slice_words::base(word[u]);
    const std::uint32_t own = state.column + residuals.take(slice_words::width(word[u]));
    if (!piece) state.column = own;
    factors[u] = load_shared(x + own);
  }
  turns.decode(codes, values);
#pragma unroll
  for (unsigned u = 0; u < at_once; ++u) state.sum += values[u] * factors[u];
  state.residuals += bits;  // a word for each bit of 32 lanes
  state.value += at_once * warp_size;
}

/// A turn with masks, or one that no other way takes.
struct MaskedTurn {
  std::uint32_t entries;
  std::uint32_t bits = 0;  // of the residuals of a lane, where it is full: four steps without masks
  bool full = false;
  bool piece = false;                       // steps are consecutive entries of one row
  std::uint32_t taken = 0, bits_taken = 0;  // by the steps before
};

/// Adds `steps` steps of a masked turn. packed: they may have residuals or bases of their own, or no mask in truth.
template <bool packed, unsigned steps, class T, class Turns>
__device__ __forceinline__ void add_masked_steps(const Turns& turns, const std::uint32_t (&word)[steps],
                                                 const std::uint32_t (&mask)[steps], const std::uint32_t* bases,
                                                 MaskedTurn& turn, const T* x, LaneState<T>& state) {
  const std::uint32_t before = lanes_before(), lane = threadIdx.x % warp_size, own_bit = 1u << lane;
  typename Turns::Code codes[steps] = {};
  std::uint32_t residual[steps];
#pragma unroll
  for (unsigned u = 0; u < steps; ++u) {
    const std::uint32_t rank = __popc(mask[u] & before), entries = __popc(mask[u]);
    const std::uint32_t entry = packed && turn.full ? turns.entry(turn.taken / warp_size, lane) : turn.taken + rank;
    if ((mask[u] & own_bit) != 0) codes[u] = turns.load_one(state.value + entry);
    turn.taken += entries;
    if constexpr (packed) {
      residual[u] = 0;
      if (const std::uint32_t width = slice_words::width(word[u]); width != 0 && mask[u] != 0) {
        const std::uint32_t bit = turn.full ? lane * turn.bits + turn.bits_taken : rank * width;
        if ((mask[u] & own_bit) != 0) residual[u] = load_residual(state.residuals, bit, width);
        if (!turn.full) state.residuals += slice_words::residual_words(entries, width);
        turn.bits_taken += width;
      }
    }
  }
  T factors[steps], values[steps];
#pragma unroll
  for (unsigned u = 0; u < steps; ++u) {
    std::uint32_t base = slice_words::base(word[u]);
    if (packed && bases) base = __ldg(bases + u);
    state.column += base;
    std::uint32_t own = state.column;
    if constexpr (packed) {
      own += residual[u];
      if (!turn.piece) state.column = own;
    }
    if ((mask[u] & own_bit) != 0) factors[u] = load_shared(x + own);
  }
  turns.decode(codes, values);
#pragma unroll
  for (unsigned u = 0; u < steps; ++u)
    if ((mask[u] & own_bit) != 0) state.sum += values[u] * factors[u];
}

/// Adds up to four steps with masks.
template <class T, class Turns>
__device__ __forceinline__ void add_masked_turn(const Turns& turns, const uint4& words, const uint4& masks, const T* x,
                                                LaneState<T>& state) {
  MaskedTurn turn{static_cast<std::uint32_t>(__popc(masks.x) + __popc(masks.y) + __popc(masks.z) + __popc(masks.w))};
  const std::uint32_t word[at_once] = {words.x, words.y, words.z, words.w};
  const std::uint32_t mask[at_once] = {masks.x, masks.y, masks.z, masks.w};
  add_masked_steps<false>(turns, word, mask, nullptr, turn, x, state);
  state.value += turn.entries;
}

/// Adds up to four steps of any kind, two at a time: few turns need it, and four at once would take registers from all.
template <class T, class Turns>
__device__ __forceinline__ void add_any_turn(const Turns& turns, uint4 words, uint4 masks, const std::uint32_t* bases,
                                             MaskedTurn turn, const T* x, LaneState<T>& state) {
  turn.entries = __popc(masks.x) + __popc(masks.y) + __popc(masks.z) + __popc(masks.w);
#pragma unroll 1
  for (unsigned half = 0; half < 2; ++half) {
    const std::uint32_t word[2] = {words.x, words.y}, mask[2] = {masks.x, masks.y};
    add_masked_steps<true>(turns, word, mask, bases, turn, x, state);
    words.x = words.z, words.y = words.w;
    masks.x = masks.z, masks.y = masks.w;
    if (bases) bases += 2;
  }
  if (turn.full) state.residuals += turn.bits;
  state.value += turn.entries;
}

/// The sum of a lane of an item. steps: the words of the item's; column: of the lane before the first step.
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

/// What is loaded of an item while the one before is summed.
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

/// A warp an item: the rows of slices go to y, the sums of pieces to partials.
template <bool packed_turns, class T, class Turns>
__global__ void __launch_bounds__(item_threads<packed_turns>, 2)
    multiply_items(SliceArrays a, DevicePositions residual_start, typename Turns::Source source, T* partials,
                   const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const Turns turns(source, shared_bytes);
  const unsigned lane = threadIdx.x % warp_size;
  // Blocks take turns, so that none meets the longest slices of all windows of sorted rows.
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

/// The rows that are cut into pieces.
[[nodiscard]] std::vector<Joint> joints_of(const SliceDelta<Viewed>& host) {
  std::vector<Joint> out;
  for (std::uint64_t p = 0; p < host.long_row.size(); ++p) {
    if (p == 0 || host.long_row[p] != host.long_row[p - 1]) out.push_back({p, host.long_row[p], 1, 0});
    ++out.back().pieces;
  }
  return out;
}

/// True where any item has more than masks.
[[nodiscard]] bool has_packed_turns(const SliceDelta<Viewed>& host) {
  bool found = false;
  for (std::uint64_t i = 0; i < items_of(host); ++i)
    found = found || (host.words[host.first_word[i] - 1] & (slice_words::any_width | slice_words::wide_bases)) != 0;
  return found;
}

/// Calls use(tag, source), which returns R, with what brings the values of a matrix there into a product.
template <class Turns>
struct TurnsTag {
  using type = Turns;
};
template <class T, class R, class Use>
[[nodiscard]] R with_turns(const SliceDelta<Viewed>& device, Use&& use) {
  return with_device_accessor<T, R>(device.values, [&]<class Store>(Store values) {
    using Turns = TurnValues<Store>;
    return use(TurnsTag<Turns>{}, typename Turns::Source{DevicePositions(device.value_start), values,
                                                         table_size(device.values), device.lane_steps == at_once});
  });
}

template <class T, bool packed_turns>
Result<Product<T>> make_with(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& device) {
  SPRESS_TRY(const Joints<T> joints, Joints<T>::make(joints_of(host), host.long_row.size(), 1));
  constexpr unsigned threads = item_threads<packed_turns>;
  SPRESS_TRY(const unsigned resident,
             (with_turns<T, Result<unsigned>>(device, [&]<class Turns>(TurnsTag<Turns>, const auto&) {
               return resident_blocks(multiply_items<packed_turns, T, Turns>, threads, Turns::shared_bytes);
             })));
  // Sorted rows make slices of very different lengths, which the device deals out better than a fixed turn of blocks.
  unsigned blocks = blocks_for(items_of(host), threads / warp_size);
  if (host.row_perm.empty() || device.values.kind == StoreKind::lut8) blocks = std::min(blocks, resident);
  Product<T> out;
  out.kernel = joints.empty() ? "row per lane" : "row per lane, long rows in pieces";
  const SliceArrays arrays(device);
  out.multiply = [joints, blocks, arrays, device](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK(
        (with_turns<T, Status>(device, [&]<class Turns>(TurnsTag<Turns>, const typename Turns::Source& source) {
          return launch_with_shared(multiply_items<packed_turns, T, Turns>, blocks, threads, Turns::shared_bytes,
                                    stream, arrays, DevicePositions(device.residual_start), source, joints.partials(),
                                    x, y);
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
  if (has_packed_turns(host)) return make_with<T, true>(host, device);
  if (const auto pairs = pair_slices(host)) return make_pairs<T>(*pairs, device);
  return make_with<T, false>(host, device);
}

}  // namespace

SPRESS_CUDA_PRODUCT(SliceDelta, make)

}  // namespace spress::cuda
