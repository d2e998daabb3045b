// Loads descriptors and tuples of a bccoo-gpu from memory for a warp.
#pragma once

#include <cstdint>

#include "kernels/cuda/coo/tuple_pieces.hpp"
#include "kernels/cuda/device/copy_engine.cuh"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

inline constexpr unsigned copy_unit = 16;  // bytes; copies to shared memory are multiples
inline constexpr unsigned tuples_at = 32;  // in a warp's shared memory, after its barrier

/// A descriptor that is being loaded: one word in each of the first eight lanes, so that it takes one register and not
/// eight.
class PieceOnItsWay {
 public:
  /// All lanes of the warp take part, here and below.
  __device__ __forceinline__ explicit PieceOnItsWay(const TuplePiece* at)
      : word_(threadIdx.x % warp_size < words
                  ? load_once(reinterpret_cast<const std::uint32_t*>(at) + threadIdx.x % warp_size)
                  : 0) {}

  __device__ __forceinline__ TuplePiece get() const {
    TuplePiece out;
    out.begin = begin();
    out.first_row = word(2), out.next_row = word(3);
    out.column = word(4), out.next_column = word(5);
    const std::uint32_t counts = word(6), rest = word(7);
    out.entries = static_cast<std::uint16_t>(counts), out.here = static_cast<std::uint16_t>(counts >> 16);
    out.next_chunk_row = static_cast<std::uint8_t>(rest);
    out.rows_less_one = static_cast<std::uint8_t>(rest >> 8);
    out.lane_bits = static_cast<std::uint8_t>(rest >> 16);
    out.format_and_begun = static_cast<std::uint8_t>(rest >> 24);
    return out;
  }
  /// Single fields.
  __device__ __forceinline__ std::uint64_t begin() const { return word(0) | std::uint64_t{word(1)} << 32; }
  __device__ __forceinline__ std::uint32_t entries() const { return word(6) & 0xFFFF; }
  __device__ __forceinline__ unsigned format() const { return word(7) >> 24 & (begun_bit - 1); }
  __device__ __forceinline__ bool begun() const { return (word(7) >> 24 & begun_bit) != 0; }
  __device__ __forceinline__ unsigned lane_bits() const { return word(7) >> 16 & 0xFF; }
  __device__ __forceinline__ std::uint32_t first_row() const { return word(2); }
  __device__ __forceinline__ std::uint32_t next_row() const { return word(3); }

 private:
  [[nodiscard]] __device__ __forceinline__ std::uint32_t word(int w) const { return __shfl_sync(whole_warp, word_, w); }

  static constexpr int words = sizeof(TuplePiece) / sizeof(std::uint32_t);
  static_assert(words == 8);
  std::uint32_t word_;
};

/// The shared memory of the block. A warp's part is given as an offset in bytes from here, so that addresses are one
/// number.
__device__ __forceinline__ std::uint8_t* block_memory() {
  extern __shared__ uint4 shared_units[];
  return reinterpret_cast<std::uint8_t*>(shared_units);
}

/// The copies of one warp to its part of the shared memory.
class WarpCopies {
 public:
  /// barrier: in shared memory. All lanes of the warp construct theirs.
  __device__ __forceinline__ explicit WarpCopies(std::uint64_t* barrier)
      : barrier_(copy_engine::address(barrier)), policy_(copy_engine::read_once()) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x % warp_size == 0) copy_engine::make_barrier(barrier_);
    __syncwarp();
#endif
  }

  /// Starts to copy `bytes`, a multiple of copy_unit; the data is there after wait().
  /// Requires: `to` and `from` are multiples of copy_unit; the warp no longer uses what was at `to`.
  __device__ __forceinline__ void start(std::uint8_t* to, const std::uint8_t* from, std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x % warp_size == 0) {
      copy_engine::order_copies();
      copy_engine::arrive_and_expect(barrier_, bytes);
      copy_engine::copy(copy_engine::address(to), from, bytes, barrier_, policy_);
    }
#else
    for (std::uint32_t at = threadIdx.x % warp_size * copy_unit; at < bytes; at += warp_size * copy_unit)
      copy_engine::copy_16(copy_engine::address(to + at), from + at, policy_);
#endif
  }

  __device__ __forceinline__ void wait() {
#if __CUDA_ARCH__ >= 900
    copy_engine::wait(barrier_, phase_);
    phase_ ^= 1;
#else
    copy_engine::wait_for_own();
    __syncwarp();
#endif
  }

 private:
  unsigned barrier_, phase_ = 0;
  std::uint64_t policy_;
};

}  // namespace spress::cuda
