#include "formats/slice_delta.hpp"
#include "kernels/cuda/bytes.cuh"
#include "kernels/cuda/four.cuh"
#include "kernels/cuda/joints.cuh"
#include "kernels/cuda/powers.cuh"
#include "kernels/cuda/slice_arrays.cuh"
#include "kernels/cuda/slice_pairs.cuh"
#include "kernels/cuda/slots.cuh"

namespace spress::cuda {
namespace {

/// Steps on their way at once: those that one load of words tells of, and whose narrow codes are one load of a lane.
constexpr unsigned at_once = 4;

/// Threads of a block, two of which a multiprocessor holds: as many as have registers for all that they keep. Turns
/// with residuals or frames need 64, others 48.
template <bool packed_turns, bool framed>
constexpr unsigned item_threads = packed_turns || framed ? 512 : 640;

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

/// The values of items in a store, found by position. What brings values into a product calls use(values, at) with the
/// values of an item, of which those of its next turn begin `at`; these have load_turn, load_one, entry, decode and
/// advanced.
template <class Store>
class StoredTurns {
 public:
  using Code = CodeOf<Store>;
  using Codes = Four<Code>;
  static constexpr bool framed = false;
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

  __device__ __forceinline__ StoredTurns(const Source& from, void* shared)
      : near_(from.values, from.table_size, shared), by_lanes_(from.by_lanes) {}

  template <class Use>
  __device__ __forceinline__ auto with_item(const Start& start, Use&& use) const {
    return use(*this, start.value);
  }

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
  /// The code of entry e of a turn of `entries`.
  __device__ __forceinline__ Code load_one(std::uint64_t at, std::uint32_t, std::uint32_t e) const {
    return near_.load(at + e);
  }
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
  /// Where the values of the turn behind one of `entries` begin.
  __device__ __forceinline__ std::uint64_t advanced(std::uint64_t at, std::uint32_t entries) const {
    return at + entries;
  }

 private:
  NearValues<Store> near_;
  bool by_lanes_;
};

/// The values of an item in a frame of codes of `bytes` bytes.
template <unsigned bytes, bool decimals>
class FramedItem {
  static constexpr bool has_four = (bytes & 4) != 0, has_two = (bytes & 2) != 0, has_one = (bytes & 1) != 0;

 public:
  /// Of an entry: the lowest four bytes, if it has so many, and those above.
  struct Code {
    std::uint32_t four = 0, rest = 0;
  };
  /// Of a lane's four entries: four bytes of each, then two, then one, as far as there are; or eight of each.
  struct Codes {
    std::uint32_t word[bytes == 8 ? 8 : 7];
  };

  __device__ __forceinline__ FramedItem(const ValueFrame& frame, const std::uint8_t* codes)
      : codes_(codes),
        exception_of_0_(reinterpret_cast<std::uintptr_t>(codes) + frame.first_exception() + 8 * frame.top_code()),
        base_(frame.base),
        exceptions_(frame.exceptions),
        scale_(frame.scale),
        decimal_(frame.decimal) {}

  __device__ __forceinline__ Codes load_turn(std::uint64_t at) const {
    const unsigned lane = threadIdx.x % warp_size;
    const std::uint8_t* from = codes_ + at;
    Codes out = {};
    if constexpr (bytes == 8) {
      put(out, 0, __ldcs(reinterpret_cast<const uint4*>(from) + 2 * lane));
      put(out, 4, __ldcs(reinterpret_cast<const uint4*>(from) + 2 * lane + 1));
    } else {
      constexpr unsigned two_at = has_four ? 4 * at_once * warp_size : 0;
      constexpr unsigned one_at = two_at + (has_two ? 2 * at_once * warp_size : 0);
      if constexpr (has_four) put(out, 0, __ldcs(reinterpret_cast<const uint4*>(from) + lane));
      if constexpr (has_two) {
        const uint2 two = __ldcs(reinterpret_cast<const uint2*>(from + two_at) + lane);
        out.word[4] = two.x;
        out.word[5] = two.y;
      }
      if constexpr (has_one) out.word[6] = __ldcs(reinterpret_cast<const unsigned*>(from + one_at) + lane);
    }
    return out;
  }
  __device__ __forceinline__ Code load_one(std::uint64_t at, std::uint32_t entries, std::uint32_t e) const {
    const std::uint8_t* from = codes_ + at;
    Code out;
    if constexpr (bytes == 8) {
      const uint2 both = __ldcs(reinterpret_cast<const uint2*>(from) + e);
      out = {both.x, both.y};
    } else {
      const std::uint32_t two_at = has_four ? 4 * entries : 0, one_at = two_at + (has_two ? 2 * entries : 0);
      if constexpr (has_four) out.four = __ldcs(reinterpret_cast<const unsigned*>(from) + e);
      if constexpr (has_two) out.rest = __ldcs(reinterpret_cast<const std::uint16_t*>(from + two_at) + e);
      if constexpr (has_one) out.rest |= __ldcs(from + one_at + e) << (has_two ? 16 : 0);
    }
    return out;
  }
  __device__ __forceinline__ std::uint32_t entry(unsigned u, unsigned lane) const { return at_once * lane + u; }

  __device__ __forceinline__ void decode(const Codes& codes, double (&out)[at_once]) const {
    Code each[at_once];
#pragma unroll
    for (unsigned u = 0; u < at_once; ++u) {
      if constexpr (bytes == 8) {
        each[u] = {codes.word[2 * u], codes.word[2 * u + 1]};
        continue;
      }
      if constexpr (has_four) each[u].four = codes.word[u];
      if constexpr (has_two && has_one)  // bytes 2u, 2u + 1 of the two words, and byte u of the last
        each[u].rest = __byte_perm(codes.word[4 + u / 2], codes.word[6], 0x410 + 0x100 * u + u % 2 * 0x22) & 0xFFFFFF;
      else if constexpr (has_two)
        each[u].rest = __byte_perm(codes.word[4 + u / 2], 0, 0x4410 + u % 2 * 0x22);
      else if constexpr (has_one)
        each[u].rest = __byte_perm(codes.word[6], 0, 0x4440 + u);
    }
    decode(each, out);
  }
  template <unsigned n>
  __device__ __forceinline__ void decode(const Code (&codes)[n], double (&out)[n]) const {
    if (decimals && decimal_) {
      const double power = device_powers.power[scale_], inverse = device_powers.inverse[scale_];
#pragma unroll
      for (unsigned u = 0; u < n; ++u)
        out[u] = scaled_decimal(static_cast<double>(static_cast<std::int64_t>(base_ + code(codes[u]))), power, inverse,
                                [](double a, double b, double c) { return __fma_rn(a, b, c); });
    } else if (scale_ == 0) {
#pragma unroll
      for (unsigned u = 0; u < n; ++u) {
        const std::uint64_t number = base_ + code(codes[u]);
        const auto low = static_cast<std::uint32_t>(number), high = static_cast<std::uint32_t>(number >> 32);
        out[u] = __hiloint2double(static_cast<int>(__funnelshift_r(high, low, 1)),
                                  static_cast<int>(__funnelshift_r(low, high, 1)));
      }
    } else {
#pragma unroll
      for (unsigned u = 0; u < n; ++u)
        out[u] = __longlong_as_double(static_cast<long long>(bits_of_shared(base_ + code(codes[u]), scale_)));
    }
    if constexpr (bytes > 0 && bytes < 8) {
      bool strange = false;
#pragma unroll
      for (unsigned u = 0; u < n; ++u) strange = strange || is_strange(codes[u]);
      if (strange) [[unlikely]] {
#pragma unroll
        for (unsigned u = 0; u < n; ++u)
          if (is_strange(codes[u]))
            out[u] = load_shared(reinterpret_cast<const double*>(exception_of_0_ - 8 * code(codes[u])));
      }
    }
  }

  __device__ __forceinline__ std::uint64_t advanced(std::uint64_t at, std::uint32_t entries) const {
    return at + turn_code_bytes(entries, bytes);
  }

 private:
  static __device__ __forceinline__ void put(Codes& out, unsigned first, const uint4& words) {
    out.word[first] = words.x;
    out.word[first + 1] = words.y;
    out.word[first + 2] = words.z;
    out.word[first + 3] = words.w;
  }
  static __device__ __forceinline__ std::uint64_t code(const Code& code) {
    if constexpr (has_four || bytes == 8) return code.four | std::uint64_t{code.rest} << 32;
    return code.rest;
  }
  /// The code is an exception's: one of the largest, of which there are fewer than 2^16.
  __device__ __forceinline__ bool is_strange(const Code& code) const {
    if constexpr (has_four && (has_two || has_one))
      return code.rest == (1u << 8 * (bytes - 4)) - 1 && ~code.four < exceptions_;
    else if constexpr (has_four)
      return ~code.four < exceptions_;
    else
      return (1u << 8 * bytes) - 1 - code.rest < exceptions_;
  }

  const std::uint8_t* codes_;
  std::uintptr_t exception_of_0_;  // where that of code 0 would stand; those of larger codes stand before it
  std::uint64_t base_;
  std::uint32_t exceptions_, scale_;
  bool decimal_;
};

/// Doubles in frames. decimals: some may be scaled integers.
template <bool decimals>
class FramedTurns {
 public:
  static constexpr bool framed = true;
  static constexpr unsigned shared_bytes = 0;
  struct Source {
    const std::uint64_t* frames;
    const std::uint8_t* codes;
  };
  struct Start {
    ulonglong2 words;
    __device__ __forceinline__ void load(const Source& from, std::uint32_t item) {
      words = __ldg(reinterpret_cast<const ulonglong2*>(from.frames) + item);
    }
  };

  __device__ __forceinline__ FramedTurns(const Source& from, void*) : codes_(from.codes) {}

  template <class Use>
  __device__ __forceinline__ auto with_item(const Start& start, Use&& use) const {
    const std::uint64_t words[ValueFrame::words] = {start.words.x, start.words.y};
    const ValueFrame frame = ValueFrame::read(words);
    const std::uint64_t at = frame.first_code();
    switch (frame.bytes) {
      case 0: return use(FramedItem<0, decimals>(frame, codes_), at);
      case 1: return use(FramedItem<1, decimals>(frame, codes_), at);
      case 2: return use(FramedItem<2, decimals>(frame, codes_), at);
      case 3: return use(FramedItem<3, decimals>(frame, codes_), at);
      case 4: return use(FramedItem<4, decimals>(frame, codes_), at);
      case 5: return use(FramedItem<5, decimals>(frame, codes_), at);
      case 6: return use(FramedItem<6, decimals>(frame, codes_), at);
      case 7: return use(FramedItem<7, decimals>(frame, codes_), at);
      default: return use(FramedItem<8, decimals>(frame, codes_), at);
    }
  }

 private:
  const std::uint8_t* codes_;
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
      codes[u] = turns.load_one(state.value, count * warp_size, lane + (u < count ? u * warp_size : 0));
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
  state.value = turns.advanced(state.value, whole ? at_once * warp_size : count * warp_size);
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
  state.value = turns.advanced(state.value, at_once * warp_size);
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
    if ((mask[u] & own_bit) != 0) codes[u] = turns.load_one(state.value, turn.entries, entry);
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
  state.value = turns.advanced(state.value, turn.entries);
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
  state.value = turns.advanced(state.value, turn.entries);
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
__global__ void __launch_bounds__(item_threads<packed_turns, Turns::framed>, 2)
    multiply_items(SliceArrays a, DevicePositions residual_start, typename Turns::Source source, T* partials,
                   const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const Turns turns(source, shared_bytes);
  const unsigned lane = threadIdx.x % warp_size;
  // Blocks take turns, so that none meets the longest slices of all windows of sorted rows.
  constexpr std::uint32_t warps = item_threads<packed_turns, Turns::framed> / warp_size;
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
    T sum = turns.with_item(start.values, [&](const auto& values, std::uint64_t at) {
      return sum_item<packed_turns>(values, steps, residuals, piece, column, at, x);
    });
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
[[nodiscard]] R with_turns(const SliceDelta<Viewed>& device, bool decimals, Use&& use) {
  if (!is_framed(device))
    return with_device_accessor<T, R>(device.values, [&]<class Store>(Store values) {
      return use(TurnsTag<StoredTurns<Store>>{},
                 typename StoredTurns<Store>::Source{DevicePositions(device.value_start), values,
                                                     table_size(device.values), device.lane_steps == at_once});
    });
  if constexpr (std::is_same_v<T, double>) {
    const auto framed = [&]<bool with_decimals>(std::bool_constant<with_decimals>) {
      using Turns = FramedTurns<with_decimals>;
      return use(TurnsTag<Turns>{}, typename Turns::Source{device.frames.data(), device.codes.data()});
    };
    return decimals ? framed(std::true_type{}) : framed(std::false_type{});
  } else {
    return Error{ErrorCode::unsupported, "values of this type have no product on the device", {}, 0};
  }
}

/// Any item's values are scaled integers.
[[nodiscard]] bool has_decimals(const SliceDelta<Viewed>& host) {
  bool found = false;
  for (std::uint64_t i = 0; is_framed(host) && i < items_of(host); ++i) found = found || frame_of(host, i).decimal;
  return found;
}

template <class T, bool packed_turns>
Result<Product<T>> make_with(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& device) {
  SPRESS_TRY(const Joints<T> joints, Joints<T>::make(joints_of(host), host.long_row.size(), 1));
  const bool decimals = has_decimals(host);
  const unsigned threads = is_framed(host) ? item_threads<packed_turns, true> : item_threads<packed_turns, false>;
  SPRESS_TRY(const unsigned resident,
             (with_turns<T, Result<unsigned>>(device, decimals, [&]<class Turns>(TurnsTag<Turns>, const auto&) {
               return resident_blocks(multiply_items<packed_turns, T, Turns>, threads, Turns::shared_bytes);
             })));
  // Sorted rows make slices of very different lengths, which the device deals out better than a fixed turn of blocks.
  unsigned blocks = blocks_for(items_of(host), threads / warp_size);
  if (host.row_perm.empty() || device.values.kind == StoreKind::lut8) blocks = std::min(blocks, resident);
  Product<T> out;
  out.kernel = joints.empty() ? "row per lane" : "row per lane, long rows in pieces";
  const SliceArrays arrays(device);
  out.multiply = [joints, blocks, threads, arrays, device, decimals](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK((with_turns<T, Status>(
        device, decimals, [&]<class Turns>(TurnsTag<Turns>, const typename Turns::Source& source) {
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
