// What products of slices of 32 lanes need beside whole vectors: numbers of a few bits unpacked, lanes left out by a
// mask, and codes of one byte of which each lane has four together.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "formats/slice_delta/slice_delta.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

inline constexpr int step_lanes = 32;

#if SPRESS_ISA_LEVEL == 2
/// Shifts and conversions without a mask would begin from an undefined register, of which GCC 12 warns.
inline constexpr __mmask16 every16 = 0xFFFF;
#endif

/// Numbers of `width` bits (1 to 32): number k from bit first + k * stride of the words on.
struct PackedNumbers {
  const std::uint32_t* words;
  std::uint32_t size;  ///< words that may be read
  std::uint32_t first, stride, width;
};

#if SPRESS_ISA_LEVEL == 2

/// The words whose numbers are given, of which as many as `from` has may be read.
inline __m512i words_at(const PackedNumbers& from, __m512i word) {
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(),
                                     _mm512_cmplt_epu32_mask(word, _mm512_set1_epi32(static_cast<int>(from.size))),
                                     word, from.words, 4);
}

/// Numbers done to done + 15. Most lie in two vectors of words, and permutations take less time than gathers.
inline __m512i unpack_vector(const PackedNumbers& from, std::uint32_t done) {
  const std::uint32_t first = from.first + done * from.stride, skipped = first / 32;
  const __m512i at =
      _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first % 32)),
                       _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                          _mm512_set1_epi32(static_cast<int>(from.stride))));
  const __m512i word = _mm512_maskz_srli_epi32(every16, at, 5), shift = _mm512_and_epi32(at, _mm512_set1_epi32(31));
  const __m512i next = _mm512_add_epi32(word, _mm512_set1_epi32(1));
  __m512i low, high;
  if (from.stride <= 64) {
    const std::uint32_t left = from.size - skipped;
    const auto present = [](std::uint32_t n) { return static_cast<__mmask16>(_bzhi_u32(~0u, n)); };
    const std::uint32_t* words = from.words + skipped;
    const __m512i near = _mm512_maskz_loadu_epi32(present(left), words);
    const __m512i behind = left > 16 ? _mm512_maskz_loadu_epi32(present(left - 16), words + 16) : near;
    low = _mm512_permutex2var_epi32(near, word, behind);
    high = _mm512_permutex2var_epi32(near, next, behind);
  } else {
    const PackedNumbers rest = {from.words + skipped, from.size - skipped, 0, 0, 0};
    low = words_at(rest, word);
    high = words_at(rest, next);
  }
  const __m512i up = _mm512_sub_epi32(_mm512_set1_epi32(32), shift);
  const __m512i both =
      _mm512_or_epi32(_mm512_maskz_srlv_epi32(every16, low, shift), _mm512_maskz_sllv_epi32(every16, high, up));
  const std::uint32_t low_bits = from.width == 32 ? ~0u : (1u << from.width) - 1;
  return _mm512_and_epi32(both, _mm512_set1_epi32(static_cast<int>(low_bits)));
}

/// Writes numbers 0 to count - 1 to out; elements of out up to the next multiple of 16 may be written too.
inline void unpack(const PackedNumbers& from, std::uint32_t count, std::uint32_t* out) {
  for (std::uint32_t done = 0; done < count; done += 16) _mm512_storeu_si512(out + done, unpack_vector(from, done));
}

#elif SPRESS_ISA_LEVEL == 1

inline void unpack(const PackedNumbers& from, std::uint32_t count, std::uint32_t* out) {
  const __m256i last = _mm256_set1_epi32(static_cast<int>(from.size) - 1);
  const std::uint32_t low_bits = from.width == 32 ? ~0u : (1u << from.width) - 1;
  const __m256i bits =
      _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<int>(from.stride)));
  const auto load = [&](__m256i word) {
    return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), reinterpret_cast<const int*>(from.words),
                                       _mm256_min_epi32(word, last), _mm256_set1_epi32(-1), 4);
  };
  for (std::uint32_t done = 0; done < count; done += 8) {
    const __m256i at = _mm256_add_epi32(bits, _mm256_set1_epi32(static_cast<int>(from.first + done * from.stride)));
    const __m256i word = _mm256_srli_epi32(at, 5), shift = _mm256_and_si256(at, _mm256_set1_epi32(31));
    const __m256i high = load(_mm256_add_epi32(word, _mm256_set1_epi32(1)));
    const __m256i both = _mm256_or_si256(_mm256_srlv_epi32(load(word), shift),
                                         _mm256_sllv_epi32(high, _mm256_sub_epi32(_mm256_set1_epi32(32), shift)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + done),
                        _mm256_and_si256(both, _mm256_set1_epi32(static_cast<int>(low_bits))));
  }
}

#else

inline void unpack(const PackedNumbers& from, std::uint32_t count, std::uint32_t* out) {
  for (std::uint32_t k = 0; k < count; ++k) out[k] = residual_at(from.words, from.first + k * from.stride, from.width);
}

#endif

/// Moves packed[0], packed[1], ... to the lanes of `mask`, in order, and 0 to the others.
inline void spread_step(const std::uint32_t* packed, std::uint32_t mask, std::uint32_t* out) {
#if SPRESS_ISA_LEVEL == 2
  const auto low = static_cast<__mmask16>(mask), high = static_cast<__mmask16>(mask >> 16);
  const int below = std::popcount(mask & 0xFFFFu);
  _mm512_storeu_si512(out, _mm512_maskz_expand_epi32(low, _mm512_loadu_si512(packed)));
  _mm512_storeu_si512(out + 16, _mm512_maskz_expand_epi32(high, _mm512_loadu_si512(packed + below)));
#else
  for (int lane = 0; lane < step_lanes; ++lane) out[lane] = (mask >> lane & 1) != 0 ? *packed++ : 0;
#endif
}

/// ids + by, modulo 2^32.
template <class T>
typename Simd<T>::Ids moved(typename Simd<T>::Ids ids, std::uint32_t by) {
#if SPRESS_ISA_LEVEL == 0
  for (std::int64_t& id : ids.lane) id = static_cast<std::uint32_t>(id) + by;
  return ids;
#else
  if constexpr (sizeof(ids) == 16) {
    return _mm_add_epi32(ids, _mm_set1_epi32(static_cast<int>(by)));
  } else if constexpr (sizeof(ids) == 32) {
    return _mm256_add_epi32(ids, _mm256_set1_epi32(static_cast<int>(by)));
  } else {
#if SPRESS_ISA_LEVEL == 2
    return _mm512_add_epi32(ids, _mm512_set1_epi32(static_cast<int>(by)));
#endif
  }
#endif
}

// --- Codes of one byte, four of each lane together -----------------------------------------------------------------

/// Byte u of each of the words from p on, as an index, signed where Code is.
template <class T, class Code>
typename Simd<T>::Ids byte_of_words(const Code* p, std::uint32_t u) {
  static_assert(sizeof(Code) == 1);
#if SPRESS_ISA_LEVEL == 0
  typename Simd<T>::Ids ids;
  for (int i = 0; i < Simd<T>::lanes; ++i) ids.lane[i] = p[4 * i + static_cast<int>(u)];
  return ids;
#else
  constexpr bool is_signed = std::is_signed_v<Code>;
  const auto up = static_cast<int>(24 - 8 * u);
  const auto words = Simd<T>::ids(reinterpret_cast<const std::uint32_t*>(p));
  if constexpr (sizeof(words) == 16) {
    const __m128i top = _mm_sll_epi32(words, _mm_cvtsi32_si128(up));
    return is_signed ? _mm_srai_epi32(top, 24) : _mm_srli_epi32(top, 24);
  } else if constexpr (sizeof(words) == 32) {
    const __m256i top = _mm256_sll_epi32(words, _mm_cvtsi32_si128(up));
    return is_signed ? _mm256_srai_epi32(top, 24) : _mm256_srli_epi32(top, 24);
  } else {
#if SPRESS_ISA_LEVEL == 2
    const __m512i top = _mm512_maskz_sll_epi32(every16, words, _mm_cvtsi32_si128(up));
    return is_signed ? _mm512_maskz_srai_epi32(every16, top, 24) : _mm512_maskz_srli_epi32(every16, top, 24);
#endif
  }
#endif
}

template <class T>
typename Simd<T>::Vector numbers_of(const typename Simd<T>::Ids& ids) {
#if SPRESS_ISA_LEVEL == 0
  typename Simd<T>::Vector v;
  for (int i = 0; i < Simd<T>::lanes; ++i) v.lane[i] = static_cast<T>(ids.lane[i]);
  return v;
#elif SPRESS_ISA_LEVEL == 1
  if constexpr (std::is_same_v<T, double>)
    return _mm256_cvtepi32_pd(ids);
  else
    return _mm256_cvtepi32_ps(ids);
#else
  if constexpr (std::is_same_v<T, double>)
    return _mm512_maskz_cvtepi32_pd(static_cast<__mmask8>(-1), ids);
  else
    return _mm512_maskz_cvtepi32_ps(every16, ids);
#endif
}

/// Values v to v + 4 * lanes - 1 of a store of one-byte codes: at(u) is values v + u, v + 4 + u, v + 8 + u, ...
template <class T, class Values>
struct Fourths;
template <class T, class Values>
inline constexpr bool has_fourths = requires {
  sizeof(Fourths<T, Values>);
};
template <class T>
struct Fourths<T, TableAccessor<T, std::uint8_t>> {
  TableAccessor<T, std::uint8_t> values;
  std::uint64_t v;
  auto at(std::uint32_t u) const { return Simd<T>::gather(values.table, byte_of_words<T>(values.codes + v, u)); }
};
template <class T>
struct Fourths<T, CastAccessor<T, std::int8_t>> {
  CastAccessor<T, std::int8_t> values;
  std::uint64_t v;
  auto at(std::uint32_t u) const { return numbers_of<T>(byte_of_words<T>(values.codes + v, u)); }
};

// --- Tables so small that they stay in registers -------------------------------------------------------------------

#if SPRESS_ISA_LEVEL == 2

/// A table of 8-bit codes of no more values than two vectors hold.
template <class T>
struct RegisterTable {
  static constexpr std::uint64_t largest = 2 * Simd<T>::lanes;
  const std::uint8_t* codes;
  typename Simd<T>::Vector low, high;

  RegisterTable(TableAccessor<T, std::uint8_t> table, std::uint64_t size)
      : codes(table.codes),
        low(Simd<T>::load(table.table, Simd<T>::first(std::min<std::uint64_t>(size, Simd<T>::lanes)))),
        high(Simd<T>::load(table.table + Simd<T>::lanes,
                           Simd<T>::first(size > Simd<T>::lanes ? size - Simd<T>::lanes : 0))) {}
  /// In double, lane j: the value of byte j of its eight. Loads put the same eight bytes everywhere, and shifts leave
  /// the port alone that permutes.
  [[nodiscard]] __m512d look_up_each(__m512i bytes) const requires std::is_same_v<T, double> {
    const __m512i shift = _mm512_setr_epi64(0, 8, 16, 24, 32, 40, 48, 56);
    return _mm512_permutex2var_pd(low, _mm512_maskz_srlv_epi64(static_cast<__mmask8>(-1), bytes, shift), high);
  }
  /// The values of the lowest bytes.
  [[nodiscard]] auto look_up(__m128i bytes) const {
    if constexpr (std::is_same_v<T, double>)
      return _mm512_permutex2var_pd(low, _mm512_maskz_cvtepu8_epi64(static_cast<__mmask8>(-1), bytes), high);
    else
      return _mm512_permutex2var_ps(low, _mm512_maskz_cvtepu8_epi32(every16, bytes), high);
  }
};
template <class T>
auto load_values(const RegisterTable<T>& values, std::uint64_t i) {
  if constexpr (std::is_same_v<T, double>) {
    std::int64_t codes;
    std::memcpy(&codes, values.codes + i, 8);
    return values.look_up_each(_mm512_set1_epi64(codes));
  } else {
    return values.look_up(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values.codes + i)));
  }
}
template <class T>
auto load_values(const RegisterTable<T>& values, std::uint64_t i, typename Simd<T>::Mask mask) {
  return values.look_up(_mm_maskz_loadu_epi8(mask, values.codes + i));
}
/// Permutations look at the lowest bits of their indices only: codes need no mask, just to be shifted there.
template <>
struct Fourths<double, RegisterTable<double>> {
  const RegisterTable<double>& values;
  __m512i words;
  Fourths(const RegisterTable<double>& table, std::uint64_t v)
      : values(table),
        words(_mm512_maskz_cvtepu32_epi64(
            static_cast<__mmask8>(-1), Simd<double>::ids(reinterpret_cast<const std::uint32_t*>(table.codes + v)))) {}
  __m512d at(std::uint32_t u) const {
    return _mm512_permutex2var_pd(
        values.low,
        _mm512_maskz_srl_epi64(static_cast<__mmask8>(-1), words, _mm_cvtsi32_si128(static_cast<int>(8 * u))),
        values.high);
  }
};
template <>
struct Fourths<float, RegisterTable<float>> {
  const RegisterTable<float>& values;
  __m512i words;
  Fourths(const RegisterTable<float>& table, std::uint64_t v)
      : values(table), words(Simd<float>::ids(reinterpret_cast<const std::uint32_t*>(table.codes + v))) {}
  __m512 at(std::uint32_t u) const {
    return _mm512_permutex2var_ps(
        values.low, _mm512_maskz_srl_epi32(every16, words, _mm_cvtsi32_si128(static_cast<int>(8 * u))), values.high);
  }
};
template <class T>
[[gnu::always_inline]] inline void prefetch_values(const RegisterTable<T>& values, std::uint64_t i, std::uint64_t n) {
  prefetch(values.codes, i, n);
}

/// A table that is read by a load for each code instead of gathers. On Zen 5 slice-delta takes 0.6 to 0.85 of the time
/// so, on Intel's processors 1.1 to 1.2. Formats that read x by loads as well lose.
struct LoadedTable : TableAccessor<double, std::uint8_t> {};

inline __m512d load_values(const LoadedTable& values, std::uint64_t i) {
  return Simd<double>::load_each(values.table, values.codes + i);
}
template <>
struct Fourths<double, LoadedTable> : Fourths<double, TableAccessor<double, std::uint8_t>> {};

/// Calls use(values), with the table in registers where it is small enough.
template <class T, class Values, class Use>
void with_near_table(Values values, std::uint64_t size, Use&& use) {
  if constexpr (std::is_same_v<Values, TableAccessor<T, std::uint8_t>>) {
    if (size <= RegisterTable<T>::largest) return use(RegisterTable<T>(values, size));
    if constexpr (std::is_same_v<T, double>)
      if (!gathers_fast()) return use(LoadedTable{values});
  }
  use(values);
}

#else

template <class T, class Values, class Use>
void with_near_table(Values values, std::uint64_t, Use&& use) {
  use(values);
}

#endif

// --- Values of some lanes -------------------------------------------------------------------------------------------
// load_spread<T>(values, v, lanes, end): the values v, v + 1, ... of a store that has `end`, in the lanes chosen by the
// lowest bits of `lanes`; what the others have means nothing.

template <class T, class Values>
typename Simd<T>::Vector load_spread(const Values& values, std::uint64_t v, std::uint32_t lanes, std::uint64_t) {
#if SPRESS_ISA_LEVEL == 2
  using S = Simd<T>;
  const auto packed = load_values(values, v, S::first(static_cast<std::uint64_t>(std::popcount(lanes))));
  if constexpr (std::is_same_v<T, double>)
    return _mm512_maskz_expand_pd(static_cast<__mmask8>(lanes), packed);
  else
    return _mm512_maskz_expand_ps(static_cast<__mmask16>(lanes), packed);
#else
  T each[Simd<T>::lanes] = {};
  for (; lanes != 0; lanes &= lanes - 1) each[std::countr_zero(lanes)] = values[v++];
  return Simd<T>::load(each);
#endif
}

#if SPRESS_ISA_LEVEL == 2

/// Bytes p[0], p[1], ... in the bytes of a word chosen by the eight bits of `lanes`, 0 in the others. left: bytes that
/// may be read from p on.
inline std::uint64_t spread_bytes(const void* p, std::uint32_t lanes, std::uint64_t left) {
  std::uint64_t bytes = 0;
  if (left >= 8) [[likely]]
    std::memcpy(&bytes, p, 8);
  else
    std::memcpy(&bytes, p, left);
  return _pdep_u64(bytes, _pdep_u64(lanes, 0x0101010101010101) * 0xFF);
}

/// The codes of as many lanes as a vector has.
template <class T>
__m128i spread_codes(const void* codes, std::uint32_t lanes, std::uint64_t left) {
  const auto low = static_cast<std::int64_t>(spread_bytes(codes, lanes & 0xFF, left));
  if constexpr (std::is_same_v<T, double>) {
    return _mm_cvtsi64_si128(low);
  } else {
    const auto below = static_cast<std::uint64_t>(std::popcount(lanes & 0xFF));
    const auto* above = static_cast<const std::uint8_t*>(codes) + below;
    return _mm_set_epi64x(static_cast<std::int64_t>(spread_bytes(above, lanes >> 8, left - below)), low);
  }
}

template <class T>
auto load_spread(const TableAccessor<T, std::uint8_t>& values, std::uint64_t v, std::uint32_t lanes,
                 std::uint64_t end) {
  const __m128i codes = spread_codes<T>(values.codes + v, lanes, end - v);
  if constexpr (std::is_same_v<T, double>)
    return Simd<T>::gather(values.table, _mm256_cvtepu8_epi32(codes));
  else
    return Simd<T>::gather(values.table, _mm512_maskz_cvtepu8_epi32(every16, codes));
}
template <class T>
auto load_spread(const LoadedTable& values, std::uint64_t v, std::uint32_t lanes, std::uint64_t end) {
  return load_spread<T>(static_cast<const TableAccessor<T, std::uint8_t>&>(values), v, lanes, end);
}
template <class T>
auto load_spread(const CastAccessor<T, std::int8_t>& values, std::uint64_t v, std::uint32_t lanes, std::uint64_t end) {
  const __m128i codes = spread_codes<T>(values.codes + v, lanes, end - v);
  if constexpr (std::is_same_v<T, double>)
    return numbers_of<T>(_mm256_cvtepi8_epi32(codes));
  else
    return numbers_of<T>(_mm512_maskz_cvtepi8_epi32(every16, codes));
}
template <class T>
auto load_spread(const RegisterTable<T>& values, std::uint64_t v, std::uint32_t lanes, std::uint64_t end) {
  if constexpr (std::is_same_v<T, double>)
    return values.look_up_each(
        _mm512_set1_epi64(static_cast<std::int64_t>(spread_bytes(values.codes + v, lanes, end - v))));
  else
    return values.look_up(spread_codes<T>(values.codes + v, lanes, end - v));
}

#endif

SPRESS_KERNELS_END
