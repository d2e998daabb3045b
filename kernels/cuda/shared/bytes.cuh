// Numbers that stand anywhere in a stream of bytes, little-endian. What is read from memory lies in the aligned words
// of their bytes, for which packed_view leaves room.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

/// The number of `size` bytes, at most 4, from byte `at` of these words on.
template <unsigned at, unsigned size, unsigned n>
__device__ __forceinline__ std::uint32_t bytes_of(const std::uint32_t (&words)[n]) {
  constexpr unsigned word = at / 4, shift = 8 * (at % 4);
  std::uint32_t number;
  if constexpr (at % 4 + size <= 4)
    number = words[word] >> shift;
  else
    number = __funnelshift_r(words[word], words[word + 1], shift);
  return size == 4 ? number : number & ((1u << (8 * size % 32)) - 1);
}

/// The number of `bytes` bytes, at most 4, from any address on, read by whole words of the memory around.
template <unsigned bytes>
__device__ __forceinline__ std::uint32_t read_bytes(const std::uint8_t* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const auto* word = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
  const unsigned from = address & 3;
  const std::uint32_t low = __ldg(word), high = from + bytes > 4 ? __ldg(word + 1) : 0;
  const std::uint32_t number = __funnelshift_r(low, high, 8 * from);
  return bytes == 4 ? number : number & ((1u << (8 * bytes % 32)) - 1);
}

/// The bits of a value that stands anywhere.
template <class Bits>
__device__ __forceinline__ Bits read_value(const std::uint8_t* at) {
  if constexpr (sizeof(Bits) == 4) {
    return read_bytes<4>(at);
  } else if constexpr (sizeof(Bits) == 8) {
    return read_bytes<4>(at) | std::uint64_t{read_bytes<4>(at + 4)} << 32;
  } else {
    return {read_value<std::uint64_t>(at), read_value<std::uint64_t>(at + 8)};
  }
}

}  // namespace spress::cuda
