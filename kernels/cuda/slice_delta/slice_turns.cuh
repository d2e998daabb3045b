// A turn of slice-delta: up to four steps of an item at once. Loads values and residuals, and adds to the sum of a
// lane.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "formats/slice_delta/slice_delta.hpp"
#include "kernels/cuda/shared/bytes.cuh"
#include "kernels/cuda/shared/strided_sums.cuh"
#include "kernels/cuda/shared/wide_loads.cuh"

namespace spress::cuda::slice_items {

/// Steps that are loaded at once: one load brings their words, and one load of a lane their narrow codes.
inline constexpr unsigned at_once = 4;

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

/// The values of items, turn by turn.
template <class Store>
class TurnValues {
 public:
  using Code = CodeOf<Store>;
  using Codes = Four<Code>;
  static constexpr unsigned shared_bytes = NearValues<Store>::shared_bytes;

  /// Source: the arguments of the kernel. Start: what is loaded of an item while the item before it is summed.
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
  /// The position of a lane's entry of step u in a turn of four whole steps.
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

/// The state of a lane within an item. 32 bits where they suffice: registers limit the warps of a multiprocessor.
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

/// The residuals of a lane in a full turn, which follow each other in memory: at most `most_bits` bits together.
class TurnResiduals {
 public:
  static constexpr std::uint32_t most_bits = 64;
  /// bits: of all four.
  __device__ __forceinline__ TurnResiduals(const std::uint32_t* words, std::uint32_t bits) {
    const std::uint32_t bit = bits * (threadIdx.x % warp_size), shift = bit % 32;
    const std::uint32_t* at = words + bit / 32;
    // A lane's bits may begin anywhere in a word. Bits after them belong to the next lanes and are not used.
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

/// Adds up to four steps without masks and residuals: all lanes take an entry. whole: there are four steps.
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
    for (unsigned u = 0; u < at_once; ++u)  // steps after the last one load the first again
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

/// Adds four steps without masks that have residuals: `bits` for each lane, at most TurnResiduals::most_bits.
/// piece: the steps are consecutive entries of one row.
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

/// A turn with masks, or one that no other function takes.
struct MaskedTurn {
  std::uint32_t entries;
  std::uint32_t bits = 0;  // of a lane's residuals in a full turn: four steps without masks
  bool full = false;
  bool piece = false;                       // steps are consecutive entries of one row
  std::uint32_t taken = 0, bits_taken = 0;  // by the steps before
};

/// Adds `steps` steps of a masked turn. packed: they may have residuals, wide bases, or full masks.
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

/// Adds up to four steps of any kind, two at a time: few turns need it, and four at once would cost all turns
/// registers.
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

}  // namespace spress::cuda::slice_items
