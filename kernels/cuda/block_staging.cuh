// Stretches of arrays on their way to shared memory, brought in by a whole block while it does something else.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.cuh"

namespace spress::cuda {

/// Shared memory that a copy of `count` elements of `size` bytes takes at most: they keep their place within 16 bytes.
[[nodiscard]] constexpr unsigned staged_bytes(unsigned count, unsigned size) {
  return count == 0 || size == 0 ? 0 : (count * size + 30) / 16 * 16;
}

/// The copies of one block, one behind the other in its shared memory. What is copied is read once: it leaves x the
/// cache. From Hopper on one thread hands whole copies to the copy engine; before, all threads take part.
class BlockCopies {
 public:
  /// In shared memory.
  using Barrier = std::uint64_t;

  /// memory: aligned to 16 bytes, with room for staged_bytes of each copy. All threads of the block construct theirs.
  __device__ __forceinline__ BlockCopies(unsigned char* memory, Barrier& barrier)
      : at_(memory), barrier_(address(&barrier)) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier_) : "memory");
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // the copy engine must see it, too
    }
#endif
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy_));
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
    if (threadIdx.x == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier_) : "memory");
    __syncthreads();  // behind the initialisation
    unsigned done = 0;
    while (done == 0)
      asm volatile(
          "{\n.reg .pred there;\n"
          "mbarrier.try_wait.parity.shared.b64 there, [%1], 0;\n"
          "selp.u32 %0, 1, 0, there;\n}"
          : "=r"(done)
          : "r"(barrier_)
          : "memory");
#else
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
#endif
  }

 private:
  [[nodiscard]] static __device__ __forceinline__ unsigned address(const void* shared) {
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
  }

  /// bytes: a multiple of 16.
  __device__ __forceinline__ void copy(const unsigned char* from, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x != 0) return;
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier_), "r"(bytes) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
            "r"(address(at_)),
        "l"(from), "r"(bytes), "r"(barrier_), "l"(policy_)
        : "memory");
#else
    for (unsigned b = threadIdx.x * 16; b < bytes; b += blockDim.x * 16) {
#if __CUDA_ARCH__ >= 800
      asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(address(at_ + b)),
                   "l"(from + b), "l"(policy_)
                   : "memory");
#else
      for (unsigned i = b; i < b + 16; ++i) at_[i] = from[i];
#endif
    }
#endif
  }

  unsigned char* at_;
  unsigned barrier_;
  std::uint64_t policy_ = 0;
};

}  // namespace spress::cuda
