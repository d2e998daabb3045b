// Value codes and columns by fours: loads as wide as neighbouring elements allow.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/cuda/launch.cuh"

namespace spress::cuda {

/// The codes of a device accessor; NoCode where it has none.
template <class Values>
using CodeOf = decltype(std::declval<const Values&>().load(0));
template <class Values>
inline constexpr bool has_codes = !std::is_same_v<CodeOf<Values>, NoCode>;
/// Bytes of one.
template <class Values>
inline constexpr unsigned code_bytes = has_codes<Values> ? static_cast<unsigned>(sizeof(CodeOf<Values>)) : 0;

/// The value of codes[i], codes being a copy of the accessor's; of any entry where there are none.
template <class Values, class Code>
__device__ __forceinline__ auto decode_at(const Values& values, const Code* codes, unsigned i) {
  if constexpr (has_codes<Values>)
    return values.decode(codes[i]);
  else
    return values.decode({});
}

template <class E>
struct Four {
  E of[4];
};

/// Elements at[0] to at[3], which are read once.
/// Requires: at is a multiple of four elements from a place aligned to 16 bytes. At the end of an array, what stands up
/// to the next such multiple may be read: packed_view leaves room for it.
template <class E>
[[nodiscard]] __device__ __forceinline__ Four<E> load_four(const E* at) {
  using Word = std::conditional_t<sizeof(E) == 1, unsigned, std::conditional_t<sizeof(E) == 2, uint2, uint4>>;
  Four<E> out;
#pragma unroll
  for (unsigned w = 0; w < sizeof out / sizeof(Word); ++w) {
    const Word word = __ldcs(reinterpret_cast<const Word*>(at) + w);
    std::memcpy(out.of + w * (4 * sizeof(Word) / sizeof out), &word, sizeof word);
  }
  return out;
}

/// The codes of entries k to k + 3. Requires: as load_four.
template <class Values>
[[nodiscard]] __device__ __forceinline__ Four<CodeOf<Values>> load_four_codes(const Values& values, std::uint64_t k) {
  if constexpr (has_codes<Values>)
    return load_four(values.codes + k);
  else
    return {};
}

}  // namespace spress::cuda
