// Value codes and columns by fours: loads as wide as neighbouring elements allow.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

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

/// Stores elements 4i to 4i + 3 of an array in shared memory, lane i of each warp after the other, at `at` (aligned to
/// 16 bytes). Of eight neighbouring lanes, which store 16 bytes each at a time, four begin with the second half where
/// elements have 8 bytes: so they all meet different banks.
template <class T>
__device__ __forceinline__ void store_four(T* at, const Four<T>& four) {
  if constexpr (sizeof(T) == 4) {
    *reinterpret_cast<float4*>(at) = {four.of[0], four.of[1], four.of[2], four.of[3]};
  } else {
    static_assert(sizeof(T) == 8);
    const bool second = (threadIdx.x & 4) != 0;
    auto* halves = reinterpret_cast<double2*>(at);
    const double2 low = {four.of[0], four.of[1]}, high = {four.of[2], four.of[3]};
    halves[second ? 1 : 0] = second ? high : low;
    halves[second ? 0 : 1] = second ? low : high;
  }
}

}  // namespace spress::cuda
