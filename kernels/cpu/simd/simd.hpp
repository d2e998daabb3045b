// Vectors of the instruction set that a source is compiled for: what the kernels say instead of intrinsics. Simd<T> has
//   lanes                      numbers in a vector
//   Vector, Ids                lanes numbers of type T; lanes 32-bit indices
//   zero() splat(v) load(p)    vectors; load reads lanes numbers, also of a smaller type, converted exactly
//   ids(p)                     indices from codes of 8, 16 or 32 bits, signed or not
//   gather(x, ids)             x[ids]; indices are taken as signed, so bases may lie inside an array
//   fma(a, b, c) sum(v)        a * b + c; the sum of the lanes
// and, where has_masks, Mask, first(n) (the first n lanes) and variants of load, ids and gather that touch nothing
// outside a mask and give 0 there.
#pragma once

#include <cstdint>
#include <type_traits>

#include "formats/values/values.hpp"
#include "kernels/cpu/simd/target.hpp"

#if SPRESS_ISA_LEVEL > 0
#include <immintrin.h>
#endif

SPRESS_KERNELS_BEGIN

template <class T>
struct Simd;

#if SPRESS_ISA_LEVEL == 0

template <class T>
struct Simd {
  static constexpr int lanes = 4;
  static constexpr bool has_masks = false;
  struct Vector {
    T lane[lanes];
  };
  struct Ids {
    std::int64_t lane[lanes];
  };
  static Vector zero() { return {}; }
  static Vector splat(T v) { return {v, v, v, v}; }
  template <class Code>
  static Vector load(const Code* p) {
    return {static_cast<T>(p[0]), static_cast<T>(p[1]), static_cast<T>(p[2]), static_cast<T>(p[3])};
  }
  template <class Code>
  static Ids ids(const Code* p) {
    return {p[0], p[1], p[2], p[3]};
  }
  static Vector gather(const T* x, Ids i) { return {x[i.lane[0]], x[i.lane[1]], x[i.lane[2]], x[i.lane[3]]}; }
  static Vector fma(Vector a, Vector b, Vector c) {
    for (int i = 0; i < lanes; ++i) c.lane[i] += a.lane[i] * b.lane[i];
    return c;
  }
  static void store(T* p, Vector v) {
    for (int i = 0; i < lanes; ++i) p[i] = v.lane[i];
  }
  static T sum(Vector v) { return (v.lane[0] + v.lane[2]) + (v.lane[1] + v.lane[3]); }
};

#elif SPRESS_ISA_LEVEL == 1

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
  static Vector gather(const double* x, Ids i) {
    return _mm256_mask_i32gather_pd(zero(), x, i, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)), 8);
  }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
  static void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
  static double sum(Vector v) {
    const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)));
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

#else

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
  static Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
  static void store(double* p, Vector v) { _mm512_storeu_pd(p, v); }
  static double sum(Vector v) { return _mm512_reduce_add_pd(v); }

 private:
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

#endif

// --- Values i, i+1, ... of a store, whatever its accessor. `mask`: nothing, or the lanes wanted.
// ----------------------

template <class T, class... Mask>
auto load_values(OneAccessor<T>, std::uint64_t, Mask...) {
  return Simd<T>::splat(T(1));
}
template <class T, class... Mask>
auto load_values(IsoAccessor<T> values, std::uint64_t, Mask...) {
  return Simd<T>::splat(*values.value);
}
template <class T, class Code, class... Mask>
auto load_values(CastAccessor<T, Code> values, std::uint64_t i, Mask... mask) {
  return Simd<T>::load(values.codes + i, mask...);
}
template <class T, class Code, class... Mask>
auto load_values(TableAccessor<T, Code> values, std::uint64_t i, Mask... mask) {
  return Simd<T>::gather(values.table, Simd<T>::ids(values.codes + i, mask...), mask...);
}

/// Asks for the memory of n elements from p on, which may lie behind the end of their array.
template <class E>
void prefetch(const E* p, std::uint64_t n) {
  const char* bytes = reinterpret_cast<const char*>(p);
  for (std::uint64_t i = 0; i < n * sizeof(E); i += 64) __builtin_prefetch(bytes + i, 0, 2);
}
template <class T>
void prefetch_values(OneAccessor<T>, std::uint64_t, std::uint64_t) {}
template <class T>
void prefetch_values(IsoAccessor<T>, std::uint64_t, std::uint64_t) {}
template <class T, class Code>
void prefetch_values(CastAccessor<T, Code> values, std::uint64_t i, std::uint64_t n) {
  prefetch(values.codes + i, n);
}
template <class T, class Code>
void prefetch_values(TableAccessor<T, Code> values, std::uint64_t i, std::uint64_t n) {
  prefetch(values.codes + i, n);
}

// --- Lanes chosen by bits -----------------------------------------------------------------------------------------
// choose<T>(bits): lanes 0, 1, ... by the lowest bits. chosen_ids<T>(ids, none): those whose id is not `none`.
// gather_chosen and fma_chosen leave the other lanes alone: x is not read for them, and c stays what it is.

#if SPRESS_ISA_LEVEL == 0

using Chosen = unsigned;
template <class T>
Chosen choose(std::uint32_t bits) {
  return bits & ((1u << Simd<T>::lanes) - 1);
}
template <class T>
bool none_chosen(Chosen chosen) {
  return chosen == 0;
}
template <class T>
Chosen chosen_ids(const typename Simd<T>::Ids& ids, std::uint32_t none) {
  Chosen bits = 0;
  for (int i = 0; i < Simd<T>::lanes; ++i) bits |= static_cast<unsigned>(ids.lane[i] != none) << i;
  return bits;
}
template <class T>
auto gather_chosen(const T* x, const typename Simd<T>::Ids& ids, Chosen chosen) {
  typename Simd<T>::Vector v = {};
  for (int i = 0; i < Simd<T>::lanes; ++i)
    if ((chosen >> i & 1) != 0) v.lane[i] = x[ids.lane[i]];
  return v;
}
template <class T>
auto fma_chosen(typename Simd<T>::Vector a, typename Simd<T>::Vector b, typename Simd<T>::Vector c, Chosen chosen) {
  for (int i = 0; i < Simd<T>::lanes; ++i)
    if ((chosen >> i & 1) != 0) c.lane[i] += a.lane[i] * b.lane[i];
  return c;
}

#elif SPRESS_ISA_LEVEL == 1

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
bool none_chosen(__m256i chosen) {
  return _mm256_testz_si256(chosen, chosen) != 0;
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

#else

template <class T>
auto choose(std::uint32_t bits) {
  return static_cast<typename Simd<T>::Mask>(bits);
}
template <class T>
bool none_chosen(typename Simd<T>::Mask chosen) {
  return chosen == 0;
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

#endif

// --- x where the ids of a vector lie close together: a load or two and permutations instead of gathers ---------------
// Near<T> of ids and the first of them:
//   holds()       the ids are so close that x may be read through a window
//   window(x)     x[first..first + span), read at once; .at(t): x[ids + t] for t < columns. Requires: holds().

#if SPRESS_ISA_LEVEL == 0

template <class T>
struct Near {
  static constexpr std::uint32_t span = 0, columns = 4;
  std::uint32_t first;
  Near(const typename Simd<T>::Ids&, std::uint32_t first_id) : first(first_id) {}
  static bool holds() { return false; }
  struct Window {
    static auto at(std::uint32_t) { return Simd<T>::zero(); }
  };
  static Window window(const T*) { return {}; }
};

#elif SPRESS_ISA_LEVEL == 1

/// Permutations cost as much as a gather of so few lanes: only ids that ascend one by one are worth a look.
template <class T>
struct Near {
  static constexpr std::uint32_t columns = 4, span = Simd<T>::lanes + columns - 1;
  std::uint32_t first;
  typename Simd<T>::Ids ids;
  Near(typename Simd<T>::Ids i, std::uint32_t first_id) : first(first_id), ids(i) {}
  [[nodiscard]] bool holds() const {
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

#else

template <class T>
struct Near;

template <>
struct Near<double> {
  static constexpr std::uint32_t columns = 4, span = 16;
  std::uint32_t first;
  __m256i offsets;
  Near(__m256i ids, std::uint32_t first_id)
      : first(first_id), offsets(_mm256_sub_epi32(ids, _mm256_set1_epi32(static_cast<int>(first_id)))) {}
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

#endif

/// sum of values[v + k] * x[columns[k]] over k < n. Code: an unsigned column, or a signed distance from where x points.
template <class T, class Values, class Code>
T dot(Values values, std::uint64_t v, const Code* columns, std::uint64_t n, const T* x) {
  using S = Simd<T>;
  auto sums = S::zero();
  std::uint64_t k = 0;
  for (; k + S::lanes <= n; k += S::lanes)
    sums = S::fma(load_values(values, v + k), S::gather(x, S::ids(columns + k)), sums);
  if constexpr (S::has_masks) {
    const auto rest = S::first(n - k);
    sums = fma_chosen<T>(load_values(values, v + k, rest), S::gather(x, S::ids(columns + k, rest), rest), sums, rest);
    return S::sum(sums);
  } else {
    T sum = S::sum(sums);
    for (; k < n; ++k) sum += values[v + k] * x[columns[k]];
    return sum;
  }
}

SPRESS_KERNELS_END
