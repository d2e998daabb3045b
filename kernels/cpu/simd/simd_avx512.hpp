// Simd<T>, chosen lanes and Near<T> of simd.hpp for AVX-512.
#pragma once

#include "kernels/cpu/simd/target.hpp"

#if SPRESS_ISA_LEVEL > 1

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

SPRESS_KERNELS_BEGIN

template <class T>
struct Simd;

template <>
struct Simd<double> {
  static constexpr int lanes = 8;
  static constexpr bool has_masks = true;
  using Vector = __m512d;
  using Ids = __m256i;
  using Mask = __mmask8;
  static constexpr Mask every = 0xFF;  // conversions without a mask would begin from an undefined register, too
  static Mask first(std::uint64_t n) { return static_cast<Mask>(_bzhi_u32(~0u, static_cast<unsigned>(n))); }
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector splat(double v) { return _mm512_set1_pd(v); }
  static Vector load(const double* p) { return _mm512_loadu_pd(p); }
  static Vector load(const double* p, Mask m) { return _mm512_maskz_loadu_pd(m, p); }
  static Vector load(const float* p) { return _mm512_maskz_cvtps_pd(every, _mm256_loadu_ps(p)); }
  static Vector load(const float* p, Mask m) { return _mm512_maskz_cvtps_pd(every, _mm256_maskz_loadu_ps(m, p)); }
  template <class Code>
  static Vector load(const Code* p) {
    return _mm512_maskz_cvtepi32_pd(every, ids(p));
  }
  template <class Code>
  static Vector load(const Code* p, Mask m) {
    return _mm512_maskz_cvtepi32_pd(every, ids(p, m));
  }
  static Ids ids(const std::uint32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static Ids ids(const std::int32_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static Ids ids(const std::uint16_t* p) { return _mm256_cvtepu16_epi32(load_128(p)); }
  static Ids ids(const std::int16_t* p) { return _mm256_cvtepi16_epi32(load_128(p)); }
  static Ids ids(const std::uint8_t* p) { return _mm256_cvtepu8_epi32(load_64(p)); }
  static Ids ids(const std::int8_t* p) { return _mm256_cvtepi8_epi32(load_64(p)); }
  static Ids ids(const std::uint32_t* p, Mask m) { return _mm256_maskz_loadu_epi32(m, p); }
  static Ids ids(const std::int32_t* p, Mask m) { return _mm256_maskz_loadu_epi32(m, p); }
  static Ids ids(const std::uint16_t* p, Mask m) { return _mm256_cvtepu16_epi32(_mm_maskz_loadu_epi16(m, p)); }
  static Ids ids(const std::int16_t* p, Mask m) { return _mm256_cvtepi16_epi32(_mm_maskz_loadu_epi16(m, p)); }
  static Ids ids(const std::uint8_t* p, Mask m) { return _mm256_cvtepu8_epi32(_mm_maskz_loadu_epi8(m, p)); }
  static Ids ids(const std::int8_t* p, Mask m) { return _mm256_cvtepi8_epi32(_mm_maskz_loadu_epi8(m, p)); }
  static Vector gather(const double* x, Ids i) { return gather(x, i, static_cast<Mask>(-1)); }
  static Vector gather(const double* x, Ids i, Mask m) { return _mm512_mask_i32gather_pd(zero(), m, i, x, 8); }
  /// x[codes[0]], ...: two codes of 32 bits are read by one load.
  template <class Code>
  static Vector load_each(const double* x, const Code* codes) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(load_four(x, codes)), load_four(x, codes + 4), 1);
  }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
  static void store(double* p, Vector v) { _mm512_storeu_pd(p, v); }
  static double sum(Vector v) { return _mm512_reduce_add_pd(v); }

 private:
  template <class Code>
  static __m256d load_four(const double* x, const Code* codes) {
    return _mm256_set_m128d(load_two(x, codes + 2), load_two(x, codes));
  }
  template <class Code>
  static __m128d load_two(const double* x, const Code* codes) {
    if constexpr (std::is_same_v<Code, std::uint32_t>) {
      std::uint64_t two;
      std::memcpy(&two, codes, sizeof(two));
      return _mm_loadh_pd(_mm_load_sd(x + static_cast<std::uint32_t>(two)), x + (two >> 32));
    } else {
      return _mm_loadh_pd(_mm_load_sd(x + codes[0]), x + codes[1]);
    }
  }
  static __m128i load_128(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
  static __m128i load_64(const void* p) { return _mm_loadl_epi64(static_cast<const __m128i*>(p)); }
};

template <>
struct Simd<float> {
  static constexpr int lanes = 16;
  static constexpr bool has_masks = true;
  using Vector = __m512;
  using Ids = __m512i;
  using Mask = __mmask16;
  static constexpr Mask every = 0xFFFF;
  static Mask first(std::uint64_t n) { return static_cast<Mask>(_bzhi_u32(~0u, static_cast<unsigned>(n))); }
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector splat(float v) { return _mm512_set1_ps(v); }
  static Vector load(const float* p) { return _mm512_loadu_ps(p); }
  static Vector load(const float* p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
  template <class Code>
  static Vector load(const Code* p) {
    return _mm512_maskz_cvtepi32_ps(every, ids(p));
  }
  template <class Code>
  static Vector load(const Code* p, Mask m) {
    return _mm512_maskz_cvtepi32_ps(every, ids(p, m));
  }
  static Ids ids(const std::uint32_t* p) { return _mm512_loadu_si512(p); }
  static Ids ids(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static Ids ids(const std::uint16_t* p) { return _mm512_maskz_cvtepu16_epi32(every, load_256(p)); }
  static Ids ids(const std::int16_t* p) { return _mm512_maskz_cvtepi16_epi32(every, load_256(p)); }
  static Ids ids(const std::uint8_t* p) { return _mm512_maskz_cvtepu8_epi32(every, load_128(p)); }
  static Ids ids(const std::int8_t* p) { return _mm512_maskz_cvtepi8_epi32(every, load_128(p)); }
  static Ids ids(const std::uint32_t* p, Mask m) { return _mm512_maskz_loadu_epi32(m, p); }
  static Ids ids(const std::int32_t* p, Mask m) { return _mm512_maskz_loadu_epi32(m, p); }
  static Ids ids(const std::uint16_t* p, Mask m) {
    return _mm512_maskz_cvtepu16_epi32(every, _mm256_maskz_loadu_epi16(m, p));
  }
  static Ids ids(const std::int16_t* p, Mask m) {
    return _mm512_maskz_cvtepi16_epi32(every, _mm256_maskz_loadu_epi16(m, p));
  }
  static Ids ids(const std::uint8_t* p, Mask m) {
    return _mm512_maskz_cvtepu8_epi32(every, _mm_maskz_loadu_epi8(m, p));
  }
  static Ids ids(const std::int8_t* p, Mask m) { return _mm512_maskz_cvtepi8_epi32(every, _mm_maskz_loadu_epi8(m, p)); }
  static Vector gather(const float* x, Ids i) { return gather(x, i, static_cast<Mask>(-1)); }
  static Vector gather(const float* x, Ids i, Mask m) { return _mm512_mask_i32gather_ps(zero(), m, i, x, 4); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  static void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }
  static float sum(Vector v) { return _mm512_reduce_add_ps(v); }

 private:
  static __m256i load_256(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  static __m128i load_128(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
};

template <class T>
auto choose(std::uint32_t bits) {
  return static_cast<typename Simd<T>::Mask>(bits);
}
template <class T>
unsigned chosen_bits(typename Simd<T>::Mask chosen) {
  return chosen;
}
template <class T>
auto chosen_ids(typename Simd<T>::Ids ids, std::uint32_t none) {
  if constexpr (std::is_same_v<T, double>)
    return _mm256_cmpneq_epu32_mask(ids, _mm256_set1_epi32(static_cast<int>(none)));
  else
    return _mm512_cmpneq_epu32_mask(ids, _mm512_set1_epi32(static_cast<int>(none)));
}
template <class T>
auto gather_chosen(const T* x, typename Simd<T>::Ids ids, typename Simd<T>::Mask chosen) {
  return Simd<T>::gather(x, ids, chosen);
}
template <class T>
auto fma_chosen(typename Simd<T>::Vector a, typename Simd<T>::Vector b, typename Simd<T>::Vector c,
                typename Simd<T>::Mask chosen) {
  if constexpr (std::is_same_v<T, double>)
    return _mm512_mask3_fmadd_pd(a, b, c, chosen);
  else
    return _mm512_mask3_fmadd_ps(a, b, c, chosen);
}

template <class T>
struct Near;

template <>
struct Near<double> {
  static constexpr std::uint32_t columns = 4, span = 16;
  std::uint32_t first;
  __m256i offsets;
  Near(__m256i ids, std::uint32_t first_id)
      : first(first_id), offsets(_mm256_sub_epi32(ids, _mm256_set1_epi32(static_cast<int>(first_id)))) {}
  [[nodiscard]] bool side_by_side() const {
    return _mm256_cmpneq_epu32_mask(offsets, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)) == 0;
  }
  [[nodiscard]] bool holds() const {
    return _mm256_cmple_epu32_mask(offsets, _mm256_set1_epi32(span - columns)) == 0xFF;
  }
  struct Window {
    __m512d low, high;
    __m512i offsets;
    __m512d at(std::uint32_t t) const {
      return _mm512_permutex2var_pd(low, _mm512_add_epi64(offsets, _mm512_set1_epi64(t)), high);
    }
  };
  Window window(const double* x) const {
    return {_mm512_loadu_pd(x + first), _mm512_loadu_pd(x + first + 8), _mm512_cvtepu32_epi64(offsets)};
  }
};

template <>
struct Near<float> {
  static constexpr std::uint32_t columns = 4, span = 32;
  std::uint32_t first;
  __m512i offsets;
  Near(__m512i ids, std::uint32_t first_id)
      : first(first_id), offsets(_mm512_sub_epi32(ids, _mm512_set1_epi32(static_cast<int>(first_id)))) {}
  [[nodiscard]] bool side_by_side() const {
    const __m512i ascending = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_cmpneq_epu32_mask(offsets, ascending) == 0;
  }
  [[nodiscard]] bool holds() const {
    return _mm512_cmple_epu32_mask(offsets, _mm512_set1_epi32(span - columns)) == 0xFFFF;
  }
  struct Window {
    __m512 low, high;
    __m512i offsets;
    __m512 at(std::uint32_t t) const {
      return _mm512_permutex2var_ps(low, _mm512_add_epi32(offsets, _mm512_set1_epi32(static_cast<int>(t))), high);
    }
  };
  Window window(const float* x) const { return {_mm512_loadu_ps(x + first), _mm512_loadu_ps(x + first + 16), offsets}; }
};

SPRESS_KERNELS_END

#endif
