// Stretches of arrays on their way to shared memory, brought in by a whole block while it does something else.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.cuh"

namespace spress::cuda {

/// Shared memory that `count` elements of `size` bytes take at most: they keep their place within 16 bytes.
[[nodiscard]] constexpr unsigned staged_bytes(unsigned count, unsigned size) {
  return count == 0 || size == 0 ? 0 : (count * size + 30) / 16 * 16;
}

namespace detail {

/// Starts copying `bytes` of 16 from global to shared memory, zeros for the others. What is copied so is read once: it
/// leaves x the cache.
__device__ __forceinline__ void copy_16_bytes(void* to, const void* from, unsigned bytes) {
#if __CUDA_ARCH__ >= 800
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(bytes), "l"(policy)
               : "memory");
#else
  for (unsigned b = 0; b < 16; ++b)
    static_cast<unsigned char*>(to)[b] = b < bytes ? static_cast<const unsigned char*>(from)[b] : 0;
#endif
}

}  // namespace detail

/// Starts copying `count` elements to `to` (aligned to 16 bytes, with room for staged_bytes(count, sizeof(E))) and
/// returns where they will be, behind wait_for_staged. All threads of the block take part; `from` is the same in all.
/// Requires: the array that `from` points into begins at a multiple of 16 bytes.
template <class E>
[[nodiscard]] __device__ __forceinline__ const E* stage(unsigned char* to, const E* from, unsigned count) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  const auto skip = static_cast<unsigned>(address % 16);
  const auto* source = reinterpret_cast<const unsigned char*>(address - skip);
  const unsigned bytes = skip + count * static_cast<unsigned>(sizeof(E));
  for (unsigned at = threadIdx.x * 16; at < bytes; at += blockDim.x * 16)
    detail::copy_16_bytes(to + at, source + at, bytes - at < 16 ? bytes - at : 16);
  return reinterpret_cast<const E*>(to + skip);
}

/// Waits until all that the block has staged is there for all its threads.
__device__ __forceinline__ void wait_for_staged() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncthreads();
}

}  // namespace spress::cuda
