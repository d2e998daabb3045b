// Stretches of arrays on their way to shared memory, brought in by a whole block while it does something else.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/copy_engine.cuh"

namespace spress::cuda {

/// Shared memory that a copy of `count` elements of `size` bytes takes at most: they keep their place within 16 bytes.
[[nodiscard]] constexpr unsigned staged_bytes(unsigned count, unsigned size) {
  return count == 0 || size == 0 ? 0 : (count * size + 30) / 16 * 16;
}

/// The copies of one block, one behind the other in its shared memory.
class BlockCopies {
 public:
  /// In shared memory.
  using Barrier = std::uint64_t;

  /// memory: aligned to 16 bytes, with room for staged_bytes of each copy. All threads of the block construct theirs.
  __device__ __forceinline__ BlockCopies(unsigned char* memory, Barrier& barrier)
      : at_(memory), barrier_(copy_engine::address(&barrier)), policy_(copy_engine::read_once()) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) copy_engine::make_barrier(barrier_);
#endif
  }

  /// Starts copying `count` elements; returns where they will be, behind wait. All threads take part with the same
  /// arguments. Requires: `from` lies in an array that begins at a multiple of 16 bytes; what stands up to the next
  /// such multiple behind its end may be read: packed_view leaves room for it.
  template <class E>
  [[nodiscard]] __device__ __forceinline__ const E* start(const E* from, unsigned count) {
    const auto skipped = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
    const auto bytes = (skipped + count * static_cast<unsigned>(sizeof(E)) + 15) / 16 * 16;
    if (count != 0) copy(reinterpret_cast<const unsigned char*>(from) - skipped, bytes);
    const auto* there = reinterpret_cast<const E*>(at_ + skipped);
    at_ += staged_bytes(count, static_cast<unsigned>(sizeof(E)));
    return there;
  }

  /// Waits until all that was started is there for all threads of the block.
  __device__ __forceinline__ void wait() const {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) copy_engine::arrive(barrier_);
    __syncthreads();  // behind the initialisation
    copy_engine::wait(barrier_, 0);
#else
    copy_engine::wait_for_own();
    __syncthreads();
#endif
  }

 private:
  /// bytes: a multiple of 16.
  __device__ __forceinline__ void copy(const unsigned char* from, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x != 0) return;
    copy_engine::expect(barrier_, bytes);
    copy_engine::copy(copy_engine::address(at_), from, bytes, barrier_, policy_);
#else
    for (unsigned b = threadIdx.x * 16; b < bytes; b += blockDim.x * 16)
      copy_engine::copy_16(copy_engine::address(at_ + b), from + b, policy_);
#endif
  }

  unsigned char* at_;
  unsigned barrier_;
  std::uint64_t policy_;
};

}  // namespace spress::cuda
