// Simd<T>, chosen lanes and Near<T> of simd.hpp for AVX2.
#pragma once

#include "kernels/cpu/simd/target.hpp"

#if SPRESS_ISA_LEVEL == 1

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

SPRESS_KERNELS_BEGIN

template <class T>
struct Simd;

// Gathers without a mask would begin from an undefined register, of which GCC 12 warns.

/// Codes of up to 8 bytes together, loaded into the low part of a register.
template <class Code>
__m128i load_low(const Code* p, int bytes) {
  if (bytes == 4) return _mm_loadu_si32(p);
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
}

template <>
struct Simd<double> {
  static constexpr int lanes = 4;
  static constexpr bool has_masks = false;
  using Vector = __m256d;
  using Ids = __m128i;
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector splat(double v) { return _mm256_set1_pd(v); }
  static Vector load(const double* p) { return _mm256_loadu_pd(p); }
  static Vector load(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
  template <class Code>
  static Vector load(const Code* p) {
    return _mm256_cvtepi32_pd(ids(p));
  }
  static Ids ids(const std::uint32_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static Ids ids(const std::int32_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static Ids ids(const std::uint16_t* p) { return _mm_cvtepu16_epi32(load_low(p, 8)); }
  static Ids ids(const std::int16_t* p) { return _mm_cvtepi16_epi32(load_low(p, 8)); }
  static Ids ids(const std::uint8_t* p) { return _mm_cvtepu8_epi32(load_low(p, 4)); }
  static Ids ids(const std::int8_t* p) { return _mm_cvtepi8_epi32(load_low(p, 4)); }
  /// 0 for those that are `none`.
  static Ids zeros_for(std::uint32_t none, Ids ids) {
    return _mm_andnot_si128(_mm_cmpeq_epi32(ids, _mm_set1_epi32(static_cast<int>(none))), ids);
  }
  /// Four loads instead of a gather instruction, which is faster on AMD's processors wherever most loads hit the first
  /// level of the cache. Eight floats are not loaded so, because that takes 1.57 times as long on Intel's processors
  /// and 0.88 on Zen 4.
  static Vector gather(const double* x, Ids i) {
    alignas(16) std::int32_t codes[lanes];
    _mm_store_si128(reinterpret_cast<__m128i*>(codes), i);
    return load_each(x, codes);
  }
  /// The instruction, which keeps more misses of the cache on their way.
  static Vector gather_far(const double* x, Ids i) {
    return _mm256_mask_i32gather_pd(zero(), x, i, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), 8);
  }
  /// x[codes[0]], ...: two codes are read by one load, since the processor does few loads a cycle.
  template <class Code>
  static Vector load_each(const double* x, const Code* codes) {
    if constexpr (sizeof(Code) == 4) {
      const auto low = two_codes(codes), high = two_codes(codes + 2);
      return _mm256_set_m128d(load_two(x, static_cast<Code>(high), static_cast<Wide<Code>>(high) >> 32),
                              load_two(x, static_cast<Code>(low), static_cast<Wide<Code>>(low) >> 32));
    } else {
      return _mm256_set_m128d(load_two(x, codes[2], codes[3]), load_two(x, codes[0], codes[1]));
    }
  }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
  static void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
  static double sum(Vector v) {
    const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)));
  }

 private:
  template <class Code>
  using Wide = std::conditional_t<std::is_signed_v<Code>, std::int64_t, std::uint64_t>;
  template <class Code>
  static std::uint64_t two_codes(const Code* codes) {
    std::uint64_t two;
    std::memcpy(&two, codes, sizeof(two));
    return two;
  }
  static __m128d load_two(const double* x, std::int64_t first, std::int64_t second) {
    return _mm_loadh_pd(_mm_load_sd(x + first), x + second);
  }
};

template <>
struct Simd<float> {
  static constexpr int lanes = 8;
  static constexpr bool has_masks = false;
  using Vector = __m256;
  using Ids = __m256i;
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector splat(float v) { return _mm256_set1_ps(v); }
  static Vector load(const float* p) { return _mm256_loadu_ps(p); }
  template <class Code>
  static Vector load(const Code* p) {
    return _mm256_cvtepi32_ps(ids(p));
  }
  static Ids ids(const std::uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static Ids ids(const std::int32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static Ids ids(const std::uint16_t* p) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Ids ids(const std::int16_t* p) {
    return _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Ids ids(const std::uint8_t* p) { return _mm256_cvtepu8_epi32(load_low(p, 8)); }
  static Ids ids(const std::int8_t* p) { return _mm256_cvtepi8_epi32(load_low(p, 8)); }
  static Vector gather(const float* x, Ids i) {
    return _mm256_mask_i32gather_ps(zero(), x, i, _mm256_castsi256_ps(_mm256_set1_epi64x(-1)), 4);
  }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  static void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  static float sum(Vector v) {
    __m128 halves = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    halves = _mm_add_ps(halves, _mm_movehl_ps(halves, halves));
    return _mm_cvtss_f32(_mm_add_ss(halves, _mm_movehdup_ps(halves)));
  }
};

template <class T>
auto choose(std::uint32_t bits) {
  if constexpr (std::is_same_v<T, double>) {
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), bit), bit);
  } else {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), bit), bit);
  }
}
template <class T>
unsigned chosen_bits(__m256i chosen) {
  if constexpr (std::is_same_v<T, double>)
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(chosen)));
  else
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(chosen)));
}
template <class T>
__m256i chosen_ids(typename Simd<T>::Ids ids, std::uint32_t none) {
  if constexpr (std::is_same_v<T, double>) {
    const __m128i same = _mm_cmpeq_epi32(ids, _mm_set1_epi32(static_cast<int>(none)));
    return _mm256_cvtepi32_epi64(_mm_xor_si128(same, _mm_set1_epi32(-1)));
  } else {
    const __m256i same = _mm256_cmpeq_epi32(ids, _mm256_set1_epi32(static_cast<int>(none)));
    return _mm256_xor_si256(same, _mm256_set1_epi32(-1));
  }
}
inline __m256d gather_chosen(const double* x, __m128i ids, __m256i chosen) {
  return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, ids, _mm256_castsi256_pd(chosen), 8);
}
inline __m256 gather_chosen(const float* x, __m256i ids, __m256i chosen) {
  return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, ids, _mm256_castsi256_ps(chosen), 4);
}
template <class T>
auto fma_chosen(typename Simd<T>::Vector a, typename Simd<T>::Vector b, typename Simd<T>::Vector c, __m256i chosen) {
  const auto sum = Simd<T>::fma(a, b, c);
  if constexpr (std::is_same_v<T, double>)
    return _mm256_blendv_pd(c, sum, _mm256_castsi256_pd(chosen));
  else
    return _mm256_blendv_ps(c, sum, _mm256_castsi256_ps(chosen));
}

/// Permutations cost as much as a gather of so few lanes: only ids that ascend one by one are worth a look.
template <class T>
struct Near {
  static constexpr std::uint32_t columns = 4, span = Simd<T>::lanes + columns - 1;
  std::uint32_t first;
  typename Simd<T>::Ids ids;
  Near(typename Simd<T>::Ids i, std::uint32_t first_id) : first(first_id), ids(i) {}
  [[nodiscard]] bool holds() const { return side_by_side(); }
  [[nodiscard]] bool side_by_side() const {
    const int base = static_cast<int>(first);
    if constexpr (std::is_same_v<T, double>) {
      const __m128i ascending = _mm_add_epi32(_mm_set1_epi32(base), _mm_setr_epi32(0, 1, 2, 3));
      return _mm_movemask_epi8(_mm_cmpeq_epi32(ids, ascending)) == 0xFFFF;
    } else {
      const __m256i ascending = _mm256_add_epi32(_mm256_set1_epi32(base), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
      return _mm256_movemask_epi8(_mm256_cmpeq_epi32(ids, ascending)) == -1;
    }
  }
  struct Window {
    const T* x;
    auto at(std::uint32_t t) const { return Simd<T>::load(x + t); }
  };
  Window window(const T* x) const { return {x + first}; }
};

SPRESS_KERNELS_END

#endif
