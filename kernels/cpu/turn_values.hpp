// Values of a slice-delta on their way into its sums: as they stand, or turn by turn out of their frames.
#pragma once

#include <cmath>
#include <cstdint>

#include "formats/slice_delta.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/simd_steps.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

/// Values in a store, found by position.
template <class Stored>
class StoredTurns {
 public:
  using Values = Stored;
  StoredTurns(const SliceDelta<Viewed>& a, Values values) : a_(a), values_(values) {}

  [[nodiscard]] std::uint64_t lane_steps() const { return a_.lane_steps; }
  [[nodiscard]] const Values& values() const { return values_; }
  [[nodiscard]] std::uint64_t end() const { return a_.nnz; }
  /// Where the values of item i begin.
  std::uint64_t begin(std::uint64_t i) { return a_.value_start.position(i); }
  /// Where those of its next turn stand, which begin at v unless they are brought elsewhere.
  std::uint64_t next(const SliceTurn&, std::uint64_t v) { return v; }

 private:
  const SliceDelta<Viewed>& a_;
  Values values_;
};

/// Doubles in frames: those of a turn are decoded into the cache, step by step, where the sums find them.
class FramedTurns {
  static constexpr std::uint32_t lanes = slice_rows, largest = 4 * lanes;

 public:
  using Values = CastAccessor<double, double>;
  explicit FramedTurns(const SliceDelta<Viewed>& a) : a_(a) {}
  FramedTurns(const FramedTurns&) = delete;  // the sums look into it
  FramedTurns& operator=(const FramedTurns&) = delete;

  [[nodiscard]] std::uint64_t lane_steps() const { return 1; }  // what is decoded stands step by step
  [[nodiscard]] Values values() const { return {decoded_}; }
  [[nodiscard]] static std::uint64_t end() { return largest; }
  std::uint64_t begin(std::uint64_t i) {
    frame_ = frame_of(a_, i);
    at_ = a_.codes.data() + frame_.first_code();
    exceptions_ = reinterpret_cast<const double*>(a_.codes.data() + frame_.first_exception());
    return 0;
  }
  std::uint64_t next(const SliceTurn& turn, std::uint64_t) {
    const TurnCodes codes = {at_, turn.entries(), frame_.bytes};
    const std::uint32_t bytes = turn_code_bytes(codes.entries, codes.bytes);
    at_ += bytes;
    prefetch(at_ + 1024, bytes);
    with_width([&]<std::uint32_t width>(std::integral_constant<std::uint32_t, width>) {
      if (frame_.decimal)
        decode<width, true>(codes, turn.full);
      else
        decode<width, false>(codes, turn.full);
    });
    return 0;
  }

 private:
  template <class Use>
  void with_width(Use&& use) const {
    switch (frame_.bytes) {
      case 0: return use(std::integral_constant<std::uint32_t, 0>{});
      case 1: return use(std::integral_constant<std::uint32_t, 1>{});
      case 2: return use(std::integral_constant<std::uint32_t, 2>{});
      case 3: return use(std::integral_constant<std::uint32_t, 3>{});
      case 4: return use(std::integral_constant<std::uint32_t, 4>{});
      case 5: return use(std::integral_constant<std::uint32_t, 5>{});
      case 6: return use(std::integral_constant<std::uint32_t, 6>{});
      case 7: return use(std::integral_constant<std::uint32_t, 7>{});
      default: return use(std::integral_constant<std::uint32_t, 8>{});
    }
  }

#if SPRESS_ISA_LEVEL == 2
  static constexpr __mmask8 every8 = 0xFF;

  /// The bytes `part` of codes, where they belong.
  template <std::uint32_t width, std::uint32_t part>
  static __m512i in_place(__m512i bytes) {
    constexpr std::uint32_t done = width & ~(2 * part - 1);
    if constexpr (done == 0) return bytes;
    return _mm512_maskz_slli_epi64(every8, bytes, 8 * done);
  }

  /// Codes e to e + 7, those that `present` has; 0 for others.
  template <std::uint32_t width>
  static __m512i load_codes(const TurnCodes& codes, std::uint32_t e, __mmask8 present) {
    const auto plane = [&](std::uint32_t part) {
      return codes.at + std::uint64_t{width & ~(2 * part - 1)} * codes.entries + std::uint64_t{part} * e;
    };
    if constexpr (width == 8) return _mm512_maskz_loadu_epi64(present, plane(8));
    __m512i code = _mm512_setzero_si512();
    if constexpr ((width & 4) != 0)
      code = _mm512_maskz_cvtepu32_epi64(every8, _mm256_maskz_loadu_epi32(present, plane(4)));
    if constexpr ((width & 2) != 0)
      code = _mm512_or_si512(
          code, in_place<width, 2>(_mm512_maskz_cvtepu16_epi64(every8, _mm_maskz_loadu_epi16(present, plane(2)))));
    if constexpr ((width & 1) != 0)
      code = _mm512_or_si512(
          code, in_place<width, 1>(_mm512_maskz_cvtepu8_epi64(every8, _mm_maskz_loadu_epi8(present, plane(1)))));
    return code;
  }

  template <std::uint32_t width, bool decimal>
  [[nodiscard]] __m512d decode_vector(const TurnCodes& codes, std::uint32_t e, __mmask8 present) const {
    const __m512i code = load_codes<width>(codes, e, present);
    const __m512i u = _mm512_add_epi64(code, _mm512_set1_epi64(static_cast<std::int64_t>(frame_.base)));
    __m512d out;
    if constexpr (decimal) {
      const __m512d number = _mm512_maskz_cvtepi64_pd(every8, u);
      const __m512d power = _mm512_set1_pd(powers_of_ten.power[frame_.scale]);
      const __m512d inverse = _mm512_set1_pd(powers_of_ten.inverse[frame_.scale]);
      const __m512d near = _mm512_mul_pd(number, inverse);
      out = _mm512_fmadd_pd(_mm512_fnmadd_pd(near, power, number), inverse, near);
    } else {
      const __m128i scale = _mm_cvtsi32_si128(static_cast<int>(frame_.scale));
      const __m512i magnitude = _mm512_maskz_sll_epi64(every8, _mm512_maskz_srli_epi64(every8, u, 1), scale);
      out = _mm512_castsi512_pd(_mm512_or_si512(magnitude, _mm512_maskz_slli_epi64(every8, u, 63)));
    }
    if constexpr (width < 8) {
      const auto last = _mm512_set1_epi64(static_cast<std::int64_t>(frame_.last_code()));
      const __mmask8 strange = _mm512_mask_cmpgt_epu64_mask(present, code, last);
      if (strange != 0) [[unlikely]] {
        const __m512i rank = _mm512_sub_epi64(_mm512_set1_epi64(static_cast<std::int64_t>(frame_.top_code())), code);
        out = _mm512_mask_i64gather_pd(out, strange, rank, exceptions_, 8);
      }
    }
    return out;
  }

  template <std::uint32_t width, bool decimal>
  void decode(const TurnCodes& codes, bool full) {
    if (!full) {
      for (std::uint32_t e = 0; e < codes.entries; e += 8)
        _mm512_store_pd(decoded_ + e, decode_vector<width, decimal>(codes, e, present(codes.entries - e)));
      return;
    }
    const __m512i first_two = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i last_two = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    for (std::uint32_t lane = 0; lane < lanes; lane += 8) {  // four values of each of eight lanes
      __m512d v[4];
      for (std::uint32_t k = 0; k < 4; ++k) v[k] = decode_vector<width, decimal>(codes, 4 * lane + 8 * k, every8);
      const __m512d low01 = _mm512_permutex2var_pd(v[0], first_two, v[1]);
      const __m512d high01 = _mm512_permutex2var_pd(v[2], first_two, v[3]);
      const __m512d low23 = _mm512_permutex2var_pd(v[0], last_two, v[1]);
      const __m512d high23 = _mm512_permutex2var_pd(v[2], last_two, v[3]);
      _mm512_store_pd(decoded_ + lane, _mm512_maskz_shuffle_f64x2(every8, low01, high01, 0x44));
      _mm512_store_pd(decoded_ + lanes + lane, _mm512_maskz_shuffle_f64x2(every8, low01, high01, 0xEE));
      _mm512_store_pd(decoded_ + 2 * lanes + lane, _mm512_maskz_shuffle_f64x2(every8, low23, high23, 0x44));
      _mm512_store_pd(decoded_ + 3 * lanes + lane, _mm512_maskz_shuffle_f64x2(every8, low23, high23, 0xEE));
    }
  }

  static __mmask8 present(std::uint32_t entries) { return static_cast<__mmask8>(_bzhi_u32(0xFF, entries)); }
#else
  template <std::uint32_t width, bool decimal>
  void decode(const TurnCodes& turn, bool full) {
    const std::uint32_t digits = decimal ? frame_.scale : 0;
    const double power = powers_of_ten.power[digits], inverse = powers_of_ten.inverse[digits];
    const std::uint64_t last = frame_.last_code();
    const TurnCodes codes = {turn.at, turn.entries, width};
    bool strange = false;
    double values[largest];
    for (std::uint32_t e = 0; e < codes.entries; ++e) {
      const std::uint64_t code = codes[e], u = frame_.base + code;
      strange = strange || code > last;
      if constexpr (decimal) {  // scaled_decimal, in instructions of this set
        const auto number = static_cast<double>(static_cast<std::int64_t>(u));
        const double near = number * inverse;
        values[e] = std::fma(std::fma(-near, power, number), inverse, near);
      } else {
        values[e] = std::bit_cast<double>(bits_of_shared(u, frame_.scale));
      }
    }
    if (strange)
      for (std::uint32_t e = 0; e < codes.entries; ++e)
        if (codes[e] > last) values[e] = exceptions_[frame_.top_code() - codes[e]];
    for (std::uint32_t e = 0; e < codes.entries; ++e) decoded_[full ? e % 4 * lanes + e / 4 : e] = values[e];
  }
#endif

  const SliceDelta<Viewed>& a_;
  ValueFrame frame_;
  const std::uint8_t* at_ = nullptr;
  const double* exceptions_ = nullptr;
  alignas(64) double decoded_[largest] = {};
};

SPRESS_KERNELS_END
