// Tuples of bccoo, one of each of eight chunks at a time: a chunk to a lane of AVX-512. Where a tuple begins depends on
// the one before it, so a chunk alone leaves the processor idle; chunks have nothing to do with one another.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/coo/bccoo.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

inline constexpr bool has_eight_chunks = SPRESS_ISA_LEVEL == 2;
template <class T>
struct EightChunks;

#if SPRESS_ISA_LEVEL == 2

/// Eight numbers of type T found by eight 64-bit addresses or indices.
template <class T>
struct Eight;

template <>
struct Eight<double> {
  using Vector = __m512d;
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector splat(double v) { return _mm512_set1_pd(v); }
  static void store(double* p, Vector v) { _mm512_storeu_pd(p, v); }
  static Vector at(__m512i address, __mmask8 m) { return _mm512_mask_i64gather_pd(zero(), m, address, nullptr, 1); }
  static Vector gather(const double* x, __m512i i, __mmask8 m) {
    return _mm512_mask_i64gather_pd(zero(), m, i, x, sizeof(double));
  }
  static Vector add_product(Vector a, Vector b, Vector sum, __mmask8 m) { return _mm512_mask3_fmadd_pd(a, b, sum, m); }
  static void scatter(__m512i address, __mmask8 m, Vector v) { _mm512_mask_i64scatter_pd(nullptr, m, address, v, 1); }
  static Vector without(Vector v, __mmask8 m) { return _mm512_mask_mov_pd(v, m, zero()); }
};

template <>
struct Eight<float> {
  using Vector = __m256;
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector splat(float v) { return _mm256_set1_ps(v); }
  static void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  static Vector at(__m512i address, __mmask8 m) { return _mm512_mask_i64gather_ps(zero(), m, address, nullptr, 1); }
  static Vector gather(const float* x, __m512i i, __mmask8 m) {
    return _mm512_mask_i64gather_ps(zero(), m, i, x, sizeof(float));
  }
  static Vector add_product(Vector a, Vector b, Vector sum, __mmask8 m) { return _mm256_mask3_fmadd_ps(a, b, sum, m); }
  static void scatter(__m512i address, __mmask8 m, Vector v) { _mm512_mask_i64scatter_ps(nullptr, m, address, v, 1); }
  static Vector without(Vector v, __mmask8 m) { return _mm256_mask_mov_ps(v, m, zero()); }
};

/// Eight chunks in work, as bccoo's Stream has one: next tuples, columns before them, sums of the rows so far, where
/// these go, the rows behind, and tuples left to take.
template <class T>
struct EightChunks {
  using E = Eight<T>;
  __m512i at, col, target, next, left;
  typename E::Vector sum;

  /// Puts chunks at their beginnings. Stream: as in bccoo.cpp; tuples: how many to take of each.
  template <class Stream>
  EightChunks(const Stream* chunks, const std::uint64_t* tuples) : col(_mm512_setzero_si512()), sum(E::zero()) {
    alignas(64) std::uint64_t begin[8], first[8], behind[8];
    for (int i = 0; i < 8; ++i) {
      begin[i] = reinterpret_cast<std::uint64_t>(chunks[i].at);
      first[i] = reinterpret_cast<std::uint64_t>(chunks[i].target);
      behind[i] = reinterpret_cast<std::uint64_t>(chunks[i].next);
    }
    at = _mm512_load_si512(begin);
    target = _mm512_load_si512(first);
    next = _mm512_load_si512(behind);
    left = _mm512_loadu_si512(tuples);
  }

  /// Leaves the chunks where they are now.
  template <class Stream>
  void leave(Stream* chunks) const {
    alignas(64) std::uint64_t here[8], column[8], goes_to[8], behind[8];
    alignas(64) T sums[8];
    _mm512_store_si512(here, at);
    _mm512_store_si512(column, col);
    _mm512_store_si512(goes_to, target);
    _mm512_store_si512(behind, next);
    E::store(sums, sum);
    for (int i = 0; i < 8; ++i)
      chunks[i] = {reinterpret_cast<const std::uint8_t*>(here[i]), column[i], sums[i], reinterpret_cast<T*>(goes_to[i]),
                   reinterpret_cast<T*>(behind[i])};
  }

  static __m512i number(long long v) { return _mm512_set1_epi64(v); }

  /// Takes a tuple of each chunk that has some left; false if none has. `width`: bytes of a value, 0 for a pattern;
  /// by_lut: some values may stand in the table. Requires: eight bytes may be read from each of those tuples on.
  template <std::size_t width, bool by_lut>
  bool step(const T* x, const T* lut) {
    const __m512i zero = _mm512_setzero_si512();
    const __mmask8 active = _mm512_cmpgt_epi64_mask(left, zero);
    if (active == 0) return false;
    const __m512i word = _mm512_mask_i64gather_epi64(zero, active, at, nullptr, 1);
    const __m512i kind = _mm512_and_epi64(word, number(bccoo::step_mask));
    const __mmask8 ends = _mm512_mask_cmpeq_epi64_mask(active, kind, number(bccoo::end_of_row));
    const __mmask8 anew = _mm512_mask_cmpeq_epi64_mask(active, kind, number(bccoo::column_follows));
    const __mmask8 wide = _mm512_mask_cmpeq_epi64_mask(active, kind, number(bccoo::step_follows));
    const auto values = static_cast<__mmask8>(active & ~ends);
    const auto narrow = static_cast<__mmask8>(values & ~(anew | wide));
    const __m512i part = _mm512_srli_epi64(word, 8);
    col = _mm512_mask_add_epi64(col, narrow, col, kind);
    col = _mm512_mask_add_epi64(col, wide, col, _mm512_and_epi64(part, number(0xFFFF)));
    col = _mm512_mask_and_epi64(col, anew, part, number(0xFFFFFFFF));

    // Bytes of key and column part, then of the value.
    const __m512i head = _mm512_mask_mov_epi64(_mm512_mask_mov_epi64(number(1), wide, number(3)), anew, number(5));
    at = _mm512_mask_add_epi64(at, active, at, head);
    typename E::Vector factor = E::splat(T(1));
    if constexpr (width != 0) {
      __m512i address = at, size = number(width);
      if constexpr (by_lut) {
        const __mmask8 table = _mm512_mask_test_epi64_mask(values, word, number(bccoo::by_table));
        const __m512i code = _mm512_and_epi64(_mm512_srlv_epi64(word, _mm512_slli_epi64(head, 3)), number(0xFF));
        constexpr int scale = sizeof(T) == 8 ? 3 : 2;
        address =
            _mm512_mask_add_epi64(at, table, _mm512_slli_epi64(code, scale), number(reinterpret_cast<long long>(lut)));
        size = _mm512_mask_mov_epi64(size, table, number(1));
      }
      factor = E::at(address, values);
      at = _mm512_mask_add_epi64(at, values, at, size);
    }
    sum = E::add_product(factor, E::gather(x, col, values), sum, values);
    if (ends != 0) {
      E::scatter(target, ends, sum);
      sum = E::without(sum, ends);
      next = _mm512_mask_add_epi64(next, ends, next, number(sizeof(T)));
      target = _mm512_mask_mov_epi64(target, ends, next);
    }
    left = _mm512_sub_epi64(left, number(1));
    return true;
  }
};

#endif

SPRESS_KERNELS_END
