// Vectors for kernels that sum short rows: RowSimd<T> is Simd<T>, and has besides
//   sums(v)            lane j: the sum of the lanes of v[j], for `lanes` vectors; every one added up in the same order
//   store(p, v, n)     stores the first n lanes
//   mul(a, b)          a * b
//   first_lane(s)      s in the first lane, 0 in the others
//   ids_at(i)          i in all lanes
//   running(ids)       lane j: the sum of the lanes up to j, itself included
//   add(a, b) last(a)  of indices; last: the last lane in all lanes
// RowSimd<T, n>, n smaller than Simd<T>::lanes, is the same with n lanes, for rows that would leave most lanes of a
// full vector idle. Only has_masks has them, and their loads and gathers take `lanes` or what a mask says.
// PaddedSimd<T> is RowSimd<T> with eight lanes and masks, for AVX2: loads under a mask read whole vectors, and gathers
// x for every lane; 0 is put into the other lanes afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

template <class T, int count = Simd<T>::lanes>
struct RowSimd;

#if SPRESS_ISA_LEVEL == 0

template <class T, int count>
struct RowSimd : Simd<T> {
  using Vector = typename Simd<T>::Vector;
  using Ids = typename Simd<T>::Ids;
  static Vector sums(const Vector* v) {
    return {Simd<T>::sum(v[0]), Simd<T>::sum(v[1]), Simd<T>::sum(v[2]), Simd<T>::sum(v[3])};
  }
  static void store(T* p, const Vector& v, std::uint64_t n = count) {
    for (std::uint64_t i = 0; i < n; ++i) p[i] = v.lane[i];
  }
  static Vector mul(const Vector& a, const Vector& b) { return Simd<T>::fma(a, b, Simd<T>::zero()); }
  static Vector first_lane(T s) { return {s, 0, 0, 0}; }
  static Ids ids_at(std::int64_t i) { return {i, i, i, i}; }
  static Ids running(Ids i) {
    for (int j = 1; j < count; ++j) i.lane[j] += i.lane[j - 1];
    return i;
  }
  static Ids add(Ids a, const Ids& b) {
    for (int j = 0; j < count; ++j) a.lane[j] += b.lane[j];
    return a;
  }
  static Ids last(const Ids& a) { return ids_at(a.lane[count - 1]); }
  static std::int64_t id(const Ids& a) { return a.lane[0]; }
};

#else

/// Four indices in a register of 128 bits.
struct FourIds {
  static __m128i ids_at(std::int64_t i) { return _mm_set1_epi32(static_cast<int>(i)); }
  static __m128i running(__m128i i) {
    i = _mm_add_epi32(i, _mm_slli_si128(i, 4));
    return _mm_add_epi32(i, _mm_slli_si128(i, 8));
  }
  static __m128i add(__m128i a, __m128i b) { return _mm_add_epi32(a, b); }
  static __m128i last(__m128i a) { return _mm_shuffle_epi32(a, 0xFF); }
  static std::int64_t id(__m128i a) { return _mm_cvtsi128_si32(a); }
};

/// Eight indices in a register of 256 bits.
struct EightIds {
  static __m256i ids_at(std::int64_t i) { return _mm256_set1_epi32(static_cast<int>(i)); }
  static __m256i running(__m256i i) {
#if SPRESS_ISA_LEVEL == 1
    i = _mm256_add_epi32(i, _mm256_slli_si256(i, 4));  // in each half
    i = _mm256_add_epi32(i, _mm256_slli_si256(i, 8));
    const __m256i totals = _mm256_shuffle_epi32(i, 0xFF);
    return _mm256_add_epi32(i, _mm256_permute2x128_si256(totals, totals, 0x08));
#else
    const __m256i none = _mm256_setzero_si256();
    i = _mm256_add_epi32(i, _mm256_alignr_epi32(i, none, 7));
    i = _mm256_add_epi32(i, _mm256_alignr_epi32(i, none, 6));
    return _mm256_add_epi32(i, _mm256_alignr_epi32(i, none, 4));
#endif
  }
  static __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
  static __m256i last(__m256i a) { return _mm256_permutevar8x32_epi32(a, _mm256_set1_epi32(7)); }
  static std::int64_t id(__m256i a) { return _mm_cvtsi128_si32(_mm256_castsi256_si128(a)); }
};

/// What the sums of several vectors are made of: neighbouring lanes of each added, and stored by turns.
inline __m256d pairs(__m256d a, __m256d b) { return _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)); }
inline __m256 pairs(__m256 a, __m256 b) { return _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b)); }

/// Lane j: the sum of the four lanes of v[j].
inline __m256d sums_of_four(const __m256d* v) {
  const __m256d low = pairs(v[0], v[1]), high = pairs(v[2], v[3]);
  return _mm256_add_pd(_mm256_permute2f128_pd(low, high, 0x20), _mm256_permute2f128_pd(low, high, 0x31));
}

/// In each four lanes: lane j: the sum of these four lanes of v[j].
inline __m256 sums_of_fours(const __m256* v) {
  const __m256 low = pairs(v[0], v[1]), high = pairs(v[2], v[3]);
  return _mm256_add_ps(_mm256_shuffle_ps(low, high, 0x44), _mm256_shuffle_ps(low, high, 0xEE));
}

/// Lane j: the sum of the eight lanes of v[j].
inline __m256 sums_of_eight(const __m256* v) {
  const __m256 low = sums_of_fours(v), high = sums_of_fours(v + 4);
  return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
}

#endif
#if SPRESS_ISA_LEVEL == 1

template <>
struct RowSimd<double> : Simd<double>, FourIds {
  static Vector mul(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
  static Vector sums(const Vector* v) { return sums_of_four(v); }
  static void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
  static void store(double* p, Vector v, std::uint64_t n) {
    alignas(32) double lane[lanes];
    _mm256_store_pd(lane, v);
    for (std::uint64_t i = 0; i < n; ++i) p[i] = lane[i];
  }
  static Vector first_lane(double s) { return _mm256_setr_pd(s, 0, 0, 0); }
};

template <>
struct RowSimd<float> : Simd<float>, EightIds {
  static Vector mul(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
  static Vector sums(const Vector* v) { return sums_of_eight(v); }
  static void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  static void store(float* p, Vector v, std::uint64_t n) {
    alignas(32) float lane[lanes];
    _mm256_store_ps(lane, v);
    for (std::uint64_t i = 0; i < n; ++i) p[i] = lane[i];
  }
  static Vector first_lane(float s) { return _mm256_setr_ps(s, 0, 0, 0, 0, 0, 0, 0); }
};

/// All bits of the first n of eight lanes.
template <class Int>
struct FirstOfEight {
  alignas(64) std::array<Int, 16> ones = {};
  constexpr FirstOfEight() {
    for (int i = 0; i < 8; ++i) ones[i] = -1;
  }
  [[nodiscard]] const Int* of(std::uint64_t n) const { return ones.data() + 8 - n; }
};
inline constexpr FirstOfEight<std::int64_t> first_of_8_wide;
inline constexpr FirstOfEight<std::int32_t> first_of_8;

template <class T>
struct PaddedSimd;

template <>
struct PaddedSimd<float> : RowSimd<float> {
  static constexpr bool has_masks = true;
  struct Mask {
    std::uint64_t n;
  };
  static Mask first(std::uint64_t n) { return {n}; }
  using RowSimd<float>::gather;
  using RowSimd<float>::ids;
  using RowSimd<float>::load;
  static Vector load(const float* p, Mask m) { return _mm256_and_ps(load(p), chosen(m)); }
  /// Distances of other lanes are those of the first: 0 might lead to where x has no element.
  template <class Code>
  static Ids ids(const Code* p, Mask m) {
    const Ids all = ids(p), mask = ids(first_of_8.of(m.n));
    if constexpr (std::is_signed_v<Code>)
      return _mm256_blendv_epi8(_mm256_broadcastd_epi32(_mm256_castsi256_si128(all)), all, mask);
    return _mm256_and_si256(all, mask);
  }
  static Vector gather(const float* x, Ids i, Mask m) { return _mm256_and_ps(gather(x, i), chosen(m)); }

 private:
  static Vector chosen(Mask m) { return load(reinterpret_cast<const float*>(first_of_8.of(m.n))); }
};

/// Eight lanes at once, of which a row's sum keeps four: a row of up to eight entries then takes no loop.
template <>
struct PaddedSimd<double> : EightIds {
  static constexpr int lanes = 8;
  static constexpr bool has_masks = true;
  struct Eight {
    __m256d low, high;
  };
  using Vector = __m256d;
  using Ids = __m256i;
  using Mask = PaddedSimd<float>::Mask;
  static Mask first(std::uint64_t n) { return {n}; }
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector first_lane(double s) { return _mm256_setr_pd(s, 0, 0, 0); }
  static Eight load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static Eight load(const double* p, Mask m) { return choose(load(p), m); }
  template <class Code, class... Masks>
  static Ids ids(const Code* p, Masks... m) {
    return PaddedSimd<float>::ids(p, m...);
  }
  static Eight gather(const double* x, Ids i) {
    return {Simd<double>::gather(x, _mm256_castsi256_si128(i)),
            Simd<double>::gather(x, _mm256_extracti128_si256(i, 1))};
  }
  static Eight gather(const double* x, Ids i, Mask m) { return choose(gather(x, i), m); }
  template <class Code>
  static Eight load_each(const double* x, const Code* codes) {
    return {Simd<double>::load_each(x, codes), Simd<double>::load_each(x, codes + 4)};
  }
  static Eight gather_far(const double* x, Ids i) {
    return {Simd<double>::gather_far(x, _mm256_castsi256_si128(i)),
            Simd<double>::gather_far(x, _mm256_extracti128_si256(i, 1))};
  }
  static Eight gather_far(const double* x, Ids i, Mask m) { return choose(gather_far(x, i), m); }
  /// Behind the columns of a row stand those of the next rows, which x has as well. Behind its distances stand
  /// distances from other diagonals, which may lead out of x.
  template <class Code>
  static Eight load_each(const double* x, const Code* codes, Mask m) {
    if constexpr (std::is_signed_v<Code>)
      return gather(x, ids(codes, m), m);
    else
      return choose(load_each(x, codes), m);
  }
  static Vector mul(Eight a, Eight b) { return _mm256_fmadd_pd(a.high, b.high, _mm256_mul_pd(a.low, b.low)); }
  static Vector fma(Eight a, Eight b, Vector c) {
    return _mm256_fmadd_pd(a.high, b.high, _mm256_fmadd_pd(a.low, b.low, c));
  }
  static Eight sums(const Vector* v) { return {sums_of_four(v), sums_of_four(v + 4)}; }
  static void store(double* p, Eight v) {
    _mm256_storeu_pd(p, v.low);
    _mm256_storeu_pd(p + 4, v.high);
  }
  static void store(double* p, Eight v, std::uint64_t n) {
    double lane[lanes];
    store(lane, v);
    for (std::uint64_t i = 0; i < n; ++i) p[i] = lane[i];
  }

 private:
  static Eight choose(Eight v, Mask m) {
    const Eight chosen = load(reinterpret_cast<const double*>(first_of_8_wide.of(m.n)));
    return {_mm256_and_pd(v.low, chosen.low), _mm256_and_pd(v.high, chosen.high)};
  }
};

#elif SPRESS_ISA_LEVEL == 2

inline __m128 pairs(__m128 a, __m128 b) { return _mm_add_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b)); }
inline __m512d pairs(__m512d a, __m512d b) { return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)); }
inline __m512 pairs(__m512 a, __m512 b) { return _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b)); }
/// The same with neighbouring quarters of each.
inline __m512d quarters(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xDD));
}
inline __m512 quarters(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xDD));
}

template <>
struct RowSimd<double> : Simd<double>, EightIds {
  static Vector mul(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
  static Vector sums(const Vector* v) {
    const Vector low = quarters(pairs(v[0], v[1]), pairs(v[2], v[3]));
    return quarters(low, quarters(pairs(v[4], v[5]), pairs(v[6], v[7])));
  }
  static void store(double* p, Vector v) { _mm512_storeu_pd(p, v); }
  static void store(double* p, Vector v, std::uint64_t n) { _mm512_mask_storeu_pd(p, first(n), v); }
  static Vector first_lane(double s) { return _mm512_zextpd128_pd512(_mm_set_sd(s)); }

  /// Indices of 64 bits: bytes are added up into such by one instruction.
  using WideIds = __m512i;
  using EightIds::add;
  using EightIds::last;
  using EightIds::running;
  using Simd<double>::gather;
  static WideIds wide_ids_at(std::int64_t i) { return _mm512_set1_epi64(i); }
  static WideIds running(const std::uint8_t* p) {
    return running_of(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static WideIds running(const std::uint8_t* p, Mask m) { return running_of(_mm_maskz_loadu_epi8(m, p)); }
  static WideIds add(WideIds a, WideIds b) { return _mm512_add_epi64(a, b); }
  static WideIds last(WideIds a) { return _mm512_permutexvar_epi64(_mm512_set1_epi64(7), a); }
  static Vector gather(const double* x, WideIds i) { return gather(x, i, static_cast<Mask>(-1)); }
  static Vector gather(const double* x, WideIds i, Mask m) { return _mm512_mask_i64gather_pd(zero(), m, i, x, 8); }

 private:
  static WideIds running_of(__m128i bytes) {
    const __m512i up_to_lane =
        _mm512_setr_epi64(0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, -1);
    return _mm512_sad_epu8(_mm512_and_si512(_mm512_broadcastq_epi64(bytes), up_to_lane), _mm512_setzero_si512());
  }
};

template <>
struct RowSimd<float> : Simd<float> {
  static Vector mul(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
  static Vector sums(const Vector* v) {
    return quarters(quarters(fours(v), fours(v + 4)), quarters(fours(v + 8), fours(v + 12)));
  }
  static void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }
  static void store(float* p, Vector v, std::uint64_t n) { _mm512_mask_storeu_ps(p, first(n), v); }
  static Vector first_lane(float s) { return _mm512_zextps128_ps512(_mm_set_ss(s)); }
  static Ids ids_at(std::int64_t i) { return _mm512_set1_epi32(static_cast<int>(i)); }
  static Ids running(Ids i) {
    const Ids none = _mm512_setzero_si512();
    i = _mm512_add_epi32(i, _mm512_alignr_epi32(i, none, 15));
    i = _mm512_add_epi32(i, _mm512_alignr_epi32(i, none, 14));
    i = _mm512_add_epi32(i, _mm512_alignr_epi32(i, none, 12));
    return _mm512_add_epi32(i, _mm512_alignr_epi32(i, none, 8));
  }
  static Ids add(Ids a, Ids b) { return _mm512_add_epi32(a, b); }
  static Ids last(Ids a) { return _mm512_permutexvar_epi32(_mm512_set1_epi32(15), a); }

 private:
  static Vector fours(const Vector* v) {  // in each four lanes: lane j: the sum of these four lanes of v[j]
    const Vector low = pairs(v[0], v[1]), high = pairs(v[2], v[3]);
    return _mm512_add_ps(_mm512_shuffle_ps(low, high, 0x44), _mm512_shuffle_ps(low, high, 0xEE));
  }
};

template <>
struct RowSimd<double, 4> : FourIds {
  static constexpr int lanes = 4;
  static constexpr bool has_masks = true;
  using Vector = __m256d;
  using Ids = __m128i;
  using Mask = __mmask8;
  static constexpr Mask all = 15;
  static Mask first(std::uint64_t n) { return static_cast<Mask>(_bzhi_u32(~0u, static_cast<unsigned>(n))); }
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector load(const double* p, Mask m = all) { return _mm256_maskz_loadu_pd(m, p); }
  static Ids ids(const std::uint32_t* p, Mask m = all) { return _mm_maskz_loadu_epi32(m, p); }
  static Ids ids(const std::int32_t* p, Mask m = all) { return _mm_maskz_loadu_epi32(m, p); }
  static Ids ids(const std::uint16_t* p, Mask m = all) { return _mm_cvtepu16_epi32(_mm_maskz_loadu_epi16(m, p)); }
  static Ids ids(const std::int16_t* p, Mask m = all) { return _mm_cvtepi16_epi32(_mm_maskz_loadu_epi16(m, p)); }
  static Ids ids(const std::uint8_t* p, Mask m = all) { return _mm_cvtepu8_epi32(_mm_maskz_loadu_epi8(m, p)); }
  static Ids ids(const std::int8_t* p, Mask m = all) { return _mm_cvtepi8_epi32(_mm_maskz_loadu_epi8(m, p)); }
  static Vector gather(const double* x, Ids i, Mask m = all) { return _mm256_mmask_i32gather_pd(zero(), m, i, x, 8); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
  static Vector mul(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
  static Vector sums(const Vector* v) { return sums_of_four(v); }
  static void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
  static void store(double* p, Vector v, std::uint64_t n) { _mm256_mask_storeu_pd(p, first(n), v); }
  static Vector first_lane(double s) { return _mm256_setr_pd(s, 0, 0, 0); }
};

template <>
struct RowSimd<float, 8> : EightIds {
  static constexpr int lanes = 8;
  static constexpr bool has_masks = true;
  using Vector = __m256;
  using Ids = __m256i;
  using Mask = __mmask8;
  static constexpr Mask all = 255;
  static Mask first(std::uint64_t n) { return static_cast<Mask>(_bzhi_u32(~0u, static_cast<unsigned>(n))); }
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector load(const float* p, Mask m = all) { return _mm256_maskz_loadu_ps(m, p); }
  template <class Code>
  static Ids ids(const Code* p, Mask m = all) {
    return Simd<double>::ids(p, m);
  }
  static Vector gather(const float* x, Ids i, Mask m = all) { return _mm256_mmask_i32gather_ps(zero(), m, i, x, 4); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  static Vector mul(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
  static Vector sums(const Vector* v) { return sums_of_eight(v); }
  static void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  static void store(float* p, Vector v, std::uint64_t n) { _mm256_mask_storeu_ps(p, first(n), v); }
  static Vector first_lane(float s) { return _mm256_setr_ps(s, 0, 0, 0, 0, 0, 0, 0); }
};

template <>
struct RowSimd<float, 4> : FourIds {
  static constexpr int lanes = 4;
  static constexpr bool has_masks = true;
  using Vector = __m128;
  using Ids = __m128i;
  using Mask = __mmask8;
  static constexpr Mask all = 15;
  static Mask first(std::uint64_t n) { return static_cast<Mask>(_bzhi_u32(~0u, static_cast<unsigned>(n))); }
  static Vector zero() { return _mm_setzero_ps(); }
  static Vector load(const float* p, Mask m = all) { return _mm_maskz_loadu_ps(m, p); }
  template <class Code>
  static Ids ids(const Code* p, Mask m = all) {
    return RowSimd<double, 4>::ids(p, m);
  }
  static Vector gather(const float* x, Ids i, Mask m = all) { return _mm_mmask_i32gather_ps(zero(), m, i, x, 4); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm_fmadd_ps(a, b, c); }
  static Vector mul(Vector a, Vector b) { return _mm_mul_ps(a, b); }
  static Vector sums(const Vector* v) {
    const Vector low = pairs(v[0], v[1]), high = pairs(v[2], v[3]);
    return _mm_add_ps(_mm_movelh_ps(low, high), _mm_movehl_ps(high, low));
  }
  static void store(float* p, Vector v) { _mm_storeu_ps(p, v); }
  static void store(float* p, Vector v, std::uint64_t n) { _mm_mask_storeu_ps(p, first(n), v); }
  static Vector first_lane(float s) { return _mm_setr_ps(s, 0, 0, 0); }
};

#endif

// --- Where ids change ------------------------------------------------------------------------------------------------

/// Puts into `at` every i, 0 < i < n, with p[i] != p[i - 1], and returns how many there are. Up to 16 elements of `at`
/// behind them are overwritten. Requires: p never falls.
inline std::uint64_t find_changes(const std::uint32_t* p, std::uint64_t n, std::uint32_t* at) {
  std::uint64_t found = 0, i = 1;
#if SPRESS_ISA_LEVEL == 2
  __m512i position = _mm512_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  for (; i < n; i += 16) {
    const __mmask16 there = n - i < 16 ? Simd<float>::first(n - i) : static_cast<__mmask16>(-1);
    const __mmask16 changed = _mm512_mask_cmpneq_epi32_mask(there, _mm512_maskz_loadu_epi32(there, p + i),
                                                            _mm512_maskz_loadu_epi32(there, p + i - 1));
    _mm512_storeu_si512(at + found, _mm512_maskz_compress_epi32(changed, position));
    found += static_cast<std::uint64_t>(_mm_popcnt_u32(changed));
    position = _mm512_add_epi32(position, _mm512_set1_epi32(16));
  }
#else
  const auto look_at = [&](std::uint64_t position) {
    at[found] = static_cast<std::uint32_t>(position);
    found += p[position] != p[position - 1] ? 1 : 0;
  };
  for (; i + 4 <= n; i += 4)
    if (p[i + 3] != p[i - 1])
      for (std::uint64_t j = 0; j < 4; ++j) look_at(i + j);
  for (; i < n; ++i) look_at(i);
#endif
  return found;
}

SPRESS_KERNELS_END
