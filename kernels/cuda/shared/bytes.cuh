// Numbers that stand anywhere in a stream of bytes, little-endian. What is read lies in the aligned words of their
// bytes, for which packed_view leaves room.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

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
