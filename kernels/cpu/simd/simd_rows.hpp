// Vectors for rows of eight numbers of which a bitmap says which are there: what the kernels of bitmap blocks say
// instead of intrinsics. RowsOf8<T>, where the instruction set has it, has
//   per_vector                  rows that one Vector holds
//   load(p) load(p, n)          eight numbers, or the first n of them, once for each row of a vector
//   fma_spread(bits, v, x, s)   s + a * x, where a are the numbers v[0], v[1], ... put where bits are set, from the
//                               lowest on: eight bits for each row. Where no bit is set, s stays what it is. Reads
//                               Simd<T>::lanes numbers from v on
//   fma_there(bits, c, x, s)    the same with c in all places
//   sums(s, y)                  y[i] = the sum of row i, for the eight rows of the vectors s[0], s[1], ...
// EightSums<T> are eight sums to which products are added one by one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "kernels/cpu/simd/simd_sums.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

template <class T>
struct RowsOf8 {
  static constexpr int per_vector = 0;  // there is none
};

#if SPRESS_ISA_LEVEL < 2

template <class T>
struct EightSums {
  T sum[8] = {};
  void add(unsigned row, T a, T x) { sum[row] += a * x; }
  void add_to(T* y) const {
    for (int i = 0; i < 8; ++i) y[i] += sum[i];
  }
};

#else

template <class T>
struct EightSums;

/// In a register: sums in memory, added to again before they are written, would cost each product several more cycles.
template <>
struct EightSums<double> {
  __m512d sum;
  EightSums() : sum(_mm512_setzero_pd()) {}
  void add(unsigned row, double a, double x) {
    sum = _mm512_mask3_fmadd_pd(_mm512_set1_pd(a), _mm512_set1_pd(x), sum, static_cast<__mmask8>(1u << row));
  }
  void add_to(double* y) const { _mm512_storeu_pd(y, _mm512_add_pd(_mm512_loadu_pd(y), sum)); }
};

template <>
struct EightSums<float> {
  __m256 sum;
  EightSums() : sum(_mm256_setzero_ps()) {}
  void add(unsigned row, float a, float x) {
    sum = _mm256_mask3_fmadd_ps(_mm256_set1_ps(a), _mm256_set1_ps(x), sum, static_cast<__mmask8>(1u << row));
  }
  void add_to(float* y) const { _mm256_storeu_ps(y, _mm256_add_ps(_mm256_loadu_ps(y), sum)); }
};

#endif
#if SPRESS_ISA_LEVEL > 0

/// For every pattern of `lanes` bits: which number comes into which lane, as indices of `parts` for each number; those
/// of absent ones are negative.
template <class Index, int lanes, int parts>
struct SpreadTable {
  alignas(64) std::array<std::array<Index, lanes * parts>, 1 << lanes> at = {};
  constexpr SpreadTable() {
    for (unsigned bits = 0; bits < at.size(); ++bits)
      for (int lane = 0, from = 0; lane < lanes; ++lane) {
        const bool there = (bits >> lane & 1) != 0;
        for (int part = 0; part < parts; ++part)
          at[bits][lane * parts + part] = static_cast<Index>(there ? from * parts + part : -1);
        from += there;
      }
  }
};

#endif
#if SPRESS_ISA_LEVEL == 1

inline constexpr SpreadTable<std::int32_t, 4, 2> spread_of_4;
inline constexpr SpreadTable<std::int32_t, 8, 1> spread_of_8;

template <>
struct RowsOf8<double> {
  static constexpr int per_vector = 1;
  struct Row {
    __m256d low, high;
  };
  using Vector = __m256d;  // a sum may stand in any lane
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector splat(double v) { return _mm256_set1_pd(v); }
  static Row load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  static Row load(const double* p, std::uint64_t n) { return {load_half(p, n), load_half(p + 4, n < 4 ? 0 : n - 4)}; }
  static Vector fma_spread(unsigned bits, const double* v, Row x, Vector s) {
    const unsigned low = bits & 15;
    s = spread_half(low, v, x.low, s);
    return spread_half(bits >> 4, v + std::popcount(low), x.high, s);
  }
  static Vector fma_there(unsigned bits, Vector c, Row x, Vector s) {
    s = _mm256_add_pd(s, _mm256_andnot_pd(absent(indices(bits & 15)), _mm256_mul_pd(c, x.low)));
    return _mm256_add_pd(s, _mm256_andnot_pd(absent(indices(bits >> 4)), _mm256_mul_pd(c, x.high)));
  }
  static void sums(const Vector* s, double* y) {
    for (int i = 0; i < 8; i += 4) {
      const __m256d a = _mm256_hadd_pd(s[i], s[i + 1]), b = _mm256_hadd_pd(s[i + 2], s[i + 3]);
      _mm256_storeu_pd(y + i, _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31)));
    }
  }

 private:
  static __m256i indices(unsigned bits) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(spread_of_4.at[bits].data()));
  }
  static __m256d absent(__m256i indices) { return _mm256_castsi256_pd(_mm256_srai_epi32(indices, 31)); }
  static Vector spread_half(unsigned bits, const double* v, __m256d x, Vector s) {
    const __m256i from = indices(bits);
    const __m256 spread = _mm256_permutevar8x32_ps(_mm256_castpd_ps(_mm256_loadu_pd(v)), from);
    return _mm256_add_pd(s, _mm256_andnot_pd(absent(from), _mm256_mul_pd(_mm256_castps_pd(spread), x)));
  }
  static __m256d load_half(const double* p, std::uint64_t n) {
    return _mm256_maskload_pd(
        p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<std::int64_t>(n)), _mm256_setr_epi64x(0, 1, 2, 3)));
  }
};

template <>
struct RowsOf8<float> {
  static constexpr int per_vector = 1;
  using Row = __m256;
  using Vector = __m256;
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector splat(float v) { return _mm256_set1_ps(v); }
  static Row load(const float* p) { return _mm256_loadu_ps(p); }
  static Row load(const float* p, std::uint64_t n) {
    return _mm256_maskload_ps(
        p, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
  }
  static Vector fma_spread(unsigned bits, const float* v, Row x, Vector s) {
    const __m256i from = indices(bits);
    return add_there(from, _mm256_mul_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(v), from), x), s);
  }
  static Vector fma_there(unsigned bits, Vector c, Row x, Vector s) {
    return add_there(indices(bits), _mm256_mul_ps(c, x), s);
  }
  static void sums(const Vector* s, float* y) {
    const __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(s[0], s[1]), _mm256_hadd_ps(s[2], s[3]));
    const __m256 b = _mm256_hadd_ps(_mm256_hadd_ps(s[4], s[5]), _mm256_hadd_ps(s[6], s[7]));
    _mm256_storeu_ps(y, _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31)));
  }

 private:
  static __m256i indices(unsigned bits) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(spread_of_8.at[bits].data()));
  }
  static Vector add_there(__m256i from, Vector products, Vector s) {
    return _mm256_add_ps(s, _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_srai_epi32(from, 31)), products));
  }
};

#elif SPRESS_ISA_LEVEL == 2

inline constexpr SpreadTable<std::int64_t, 8, 1> spread_of_8;

template <>
struct RowsOf8<double> {
  static constexpr int per_vector = 1;
  using Row = __m512d;
  using Vector = __m512d;
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector splat(double v) { return _mm512_set1_pd(v); }
  static Row load(const double* p) { return _mm512_loadu_pd(p); }
  static Row load(const double* p, std::uint64_t n) { return _mm512_maskz_loadu_pd(Simd<double>::first(n), p); }
  /// A permutation by a table costs the shuffling port half of what an expansion does.
  static Vector fma_spread(unsigned bits, const double* v, Row x, Vector s) {
    asm("" : "+r"(bits));  // GCC would hold it in a mask register and move it back for each use as a number
    const __m512i from = _mm512_load_si512(spread_of_8.at[bits].data());
    return fma_there(bits, _mm512_permutexvar_pd(from, _mm512_loadu_pd(v)), x, s);
  }
  static Vector fma_there(unsigned bits, Vector c, Row x, Vector s) {
    return _mm512_mask3_fmadd_pd(c, x, s, static_cast<__mmask8>(bits));
  }
  static void sums(const Vector* s, double* y) { _mm512_storeu_pd(y, RowSimd<double>::sums(s)); }
};

template <>
struct RowsOf8<float> {
  static constexpr int per_vector = 2;
  using Row = __m512;
  using Vector = __m512;
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector splat(float v) { return _mm512_set1_ps(v); }
  static Row load(const float* p) { return _mm512_broadcast_f32x8(_mm256_loadu_ps(p)); }
  static Row load(const float* p, std::uint64_t n) {
    return _mm512_broadcast_f32x8(_mm256_maskz_loadu_ps(Simd<double>::first(n), p));
  }
  static Vector fma_spread(unsigned bits, const float* v, Row x, Vector s) {
    return fma_there(bits, _mm512_maskz_expand_ps(static_cast<__mmask16>(bits), _mm512_loadu_ps(v)), x, s);
  }
  static Vector fma_there(unsigned bits, Vector c, Row x, Vector s) {
    return _mm512_mask3_fmadd_ps(c, x, s, static_cast<__mmask16>(bits));
  }
  static void sums(const Vector* s, float* y) {
    const Vector low = quarters(s[0], s[1]), high = quarters(s[2], s[3]);  // rows 0 to 3, 4 to 7, four parts each
    const Vector halves = pairs(low, high);
    const Vector all = _mm512_add_ps(halves, _mm512_permute_ps(halves, 0x4E));
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 0, 0, 0, 0, 0, 0, 0);
    _mm256_storeu_ps(y, _mm512_castps512_ps256(_mm512_permutexvar_ps(order, all)));
  }
};

#endif

SPRESS_KERNELS_END
