// Vectors of the instruction set that a source is compiled for: kernels use them instead of intrinsics.
//
// Simd<T> has
//   lanes                      numbers in a vector
//   Vector, Ids                lanes numbers of type T; lanes 32-bit indices
//   zero() splat(v) load(p)    vectors; load reads lanes numbers, also of a smaller type, converted exactly
//   ids(p)                     indices from codes of 8, 16 or 32 bits, signed or not
//   gather(x, ids)             x[ids]; indices are taken as signed, so bases may lie inside an array
//   load_each(x, codes)        x[codes[0]], x[codes[1]], ... by a load each, where that may be better than a gather
//   fma(a, b, c) sum(v)        a * b + c; the sum of the lanes
// and, where has_masks, Mask, first(n) (the first n lanes) and variants of load, ids and gather that touch nothing
// outside a mask and give 0 there.
//
// Lanes chosen by bits:
//   choose<T>(bits)            lanes 0, 1, ... by the lowest bits
//   chosen_ids<T>(ids, none)   those whose id is not `none`
//   chosen_bits<T>(chosen)     bit i is set if lane i is chosen
//   gather_chosen, fma_chosen  leave the other lanes alone: x is not read for them, and c stays what it is
//
// Near<T> of ids and the first of them reads x through a window instead of gathering, by a load or two and
// permutations:
//   holds()                    the ids are close enough for that
//   side_by_side()             they are first, first + 1, ...: a load does
//   window(x)                  x[first..first + span), read at once; .at(t): x[ids + t] for t < columns. Requires:
//   holds()
#pragma once

#include <cmath>
#include <cstdint>

#include "formats/core/isa.hpp"
#include "formats/values/values.hpp"
#include "kernels/cpu/simd/simd_avx2.hpp"
#include "kernels/cpu/simd/simd_avx512.hpp"
#include "kernels/cpu/simd/simd_portable.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// x[ids]. far: most are far from the one before, as far_apart says. mask: nothing, or the lanes wanted.
template <class S, class T, class... Mask>
auto gather_ids(const T* x, typename S::Ids ids, bool far, Mask... mask) {
  if constexpr (requires { S::gather_far(x, ids, mask...); })
    if (far) return S::gather_far(x, ids, mask...);
  return S::gather(x, ids, mask...);
}
/// The same of a vector of codes.
template <class S, class T, class Code, class... Mask>
auto gather_codes(const T* x, const Code* codes, bool far, Mask... mask) {
  if constexpr (requires { S::gather_far(x, S::ids(codes, mask...), mask...); }) {
    if (far) return S::gather_far(x, S::ids(codes, mask...), mask...);
    return S::load_each(x, codes, mask...);
  } else {
    return S::gather(x, S::ids(codes, mask...), mask...);
  }
}

/// Whether eight doubles are gathered faster than loaded wherever they stand: on Intel's processors, not on AMD's.
inline bool gathers_fast() { return processor() == Processor::intel; }

/// Whether numbers of x may be loaded one by one instead of gathered.
template <class T>
inline constexpr bool has_loads = requires(const T* x, const std::uint32_t* ids) {
  Simd<T>::load_each(x, ids);
};

/// Whether at least half of a sample of the entries lie more than 1024 columns from the one before, in an x that is
/// larger than the first level of the cache. Not where x is so large that translations of its addresses are missing as
/// well: on Zen 5 loads and gathers take as long at about 12 MB (bench/runs/2026-11-29-zen5). gap(k): how far entry k,
/// not the first, lies from the one before. False where the instruction set leaves no choice.
template <class T, class Gap>
bool scattered(std::uint64_t entries, std::uint64_t cols, const Gap& gap) {
  constexpr std::uint64_t first_level = 32 << 10, translated = 12 << 20, sample = 64;
  const std::uint64_t bytes = cols * sizeof(T);
  if (!has_loads<T> || bytes <= first_level || bytes > translated || entries <= sample) return false;
  std::uint64_t far = 0;
  for (std::uint64_t i = 0; i < sample; ++i) far += gap(1 + entries / sample * i) > 1024 ? 1 : 0;
  return 2 * far >= sample;
}
/// scattered() of an array of columns.
template <class T>
bool scattered(std::uint64_t entries, std::uint64_t cols, const std::uint32_t* ids) {
  return scattered<T>(entries, cols,
                      [=](std::uint64_t k) { return ids[k] < ids[k - 1] ? ids[k - 1] - ids[k] : ids[k] - ids[k - 1]; });
}

/// Whether a gather instruction is better than a load for each element: eight doubles always where gathers_fast(),
/// others where they are scattered, since a gather keeps more misses of the cache on their way.
template <class T>
bool gathers_best(bool are_scattered) {
  return are_scattered || (has_loads<T> && Simd<T>::lanes == 8 && gathers_fast());
}
/// gathers_best() of columns, which are given as scattered() takes them.
template <class T, class Columns>
bool far_apart(std::uint64_t entries, std::uint64_t cols, const Columns& columns) {
  return gathers_best<T>(false) || scattered<T>(entries, cols, columns);
}

// Values i, i+1, ... of a store, whatever its accessor. `mask`: nothing, or the lanes wanted.

template <class T, class... Mask>
auto load_values(IsoAccessor<T> values, std::uint64_t, Mask...) {
  return Simd<T>::splat(values.value);
}
template <class T, class Code, class... Mask>
auto load_values(CastAccessor<T, Code> values, std::uint64_t i, Mask... mask) {
  return Simd<T>::load(values.codes + i, mask...);
}
template <class T, class Code, class... Mask>
auto load_values(TableAccessor<T, Code> values, std::uint64_t i, Mask... mask) {
  return gather_codes<Simd<T>>(values.table, values.codes + i, false, mask...);
}

/// Asks for the memory of array[i, i + n), which may lie behind the end of the array; so addresses are numbers here.
/// Inline: a call that does nothing else is removed as one without effect.
template <class E>
[[gnu::always_inline]] inline void prefetch(const E* array, std::uint64_t i, std::uint64_t n) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(array) + i * sizeof(E);
  for (std::uint64_t byte = 0; byte < n * sizeof(E); byte += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(first + byte), 0, 2);
}
template <class T>
[[gnu::always_inline]] inline void prefetch_values(IsoAccessor<T>, std::uint64_t, std::uint64_t) {}
template <class T, class Code>
[[gnu::always_inline]] inline void prefetch_values(CastAccessor<T, Code> values, std::uint64_t i, std::uint64_t n) {
  prefetch(values.codes, i, n);
}
template <class T, class Code>
[[gnu::always_inline]] inline void prefetch_values(TableAccessor<T, Code> values, std::uint64_t i, std::uint64_t n) {
  prefetch(values.codes, i, n);
}

/// a * b + c as Simd<T>::fma rounds it.
template <class T>
T fma_one(T a, T b, T c) {
#if SPRESS_ISA_LEVEL == 0
  return a * b + c;
#else
  return std::fma(a, b, c);
#endif
}

/// sum of values[v + k] * x[columns[k]] over k < n. Code: an unsigned column, or a signed distance from where x points.
template <class T, class Values, class Code>
T dot(Values values, std::uint64_t v, const Code* columns, std::uint64_t n, const T* x, bool far = false) {
  using S = Simd<T>;
  auto sums = S::zero();
  std::uint64_t k = 0;
  for (; k + S::lanes <= n; k += S::lanes)
    sums = S::fma(load_values(values, v + k), gather_codes<S>(x, columns + k, far), sums);
  if constexpr (S::has_masks) {
    const auto rest = S::first(n - k);
    sums = fma_chosen<T>(load_values(values, v + k, rest), gather_codes<S>(x, columns + k, far, rest), sums, rest);
    return S::sum(sums);
  } else {
    T sum = S::sum(sums);
    for (; k < n; ++k) sum += values[v + k] * x[columns[k]];
    return sum;
  }
}

SPRESS_KERNELS_END
