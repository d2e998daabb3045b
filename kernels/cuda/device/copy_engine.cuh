// Copies to shared memory that go on while threads do something else: from Hopper on by the copy engine, which one
// thread asks for whole stretches; before, by 16 bytes a thread. What is copied is read once: it leaves x the cache.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda::copy_engine {

[[nodiscard]] __device__ __forceinline__ unsigned address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

[[nodiscard]] __device__ __forceinline__ std::uint64_t read_once() {
  std::uint64_t policy = 0;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

/// 16 bytes. Both ends are multiples of that.
__device__ __forceinline__ void copy_16(unsigned to, const unsigned char* from, std::uint64_t policy) {
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "l"(policy)
               : "memory");
}
/// Until all that this thread copied is there.
__device__ __forceinline__ void wait_for_own() { asm volatile("cp.async.wait_all;" ::: "memory"); }

#if __CUDA_ARCH__ >= 900
/// A barrier for one thread that arrives. The copy engine sees it, too.
__device__ __forceinline__ void make_barrier(unsigned barrier) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// `bytes` more are to come before the barrier's phase ends; with them, or apart, the thread that arrives.
__device__ __forceinline__ void expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ __forceinline__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void arrive_and_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
/// What the threads did with shared memory before is over when a copy that is asked for now comes there.
__device__ __forceinline__ void order_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
/// bytes, and both ends: multiples of 16.
__device__ __forceinline__ void copy(unsigned to, const unsigned char* from, unsigned bytes, unsigned barrier,
                                     std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
      : "memory");
}
/// Until the phase of this parity ends.
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{\n.reg .pred there;\n"
        "mbarrier.try_wait.parity.shared.b64 there, [%1], %2;\n"
        "selp.u32 %0, 1, 0, there;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
}
#endif

}  // namespace spress::cuda::copy_engine
