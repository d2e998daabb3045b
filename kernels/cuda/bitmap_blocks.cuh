// What the kernels of 8x8 bitmap blocks share: a warp goes through the blocks of a block row, several at a time. Where
// a block's values begin follows from the bitmaps before it, so that offsets are read once for a run of blocks.
#pragma once

#include <cstdint>

#include "formats/bitmap_blocks.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {

/// Up to 32 neighbouring blocks, one in each lane of a warp.
struct BlockBatch {
  std::uint64_t bitmap = 0;
  std::uint32_t col = 0;    // block column
  std::uint32_t first = 0;  // entries of the batch before this block

  /// The entries of all blocks. Sets `first` from the bitmaps. All lanes take part.
  __device__ __forceinline__ std::uint32_t place() {
    const auto held = static_cast<std::uint32_t>(__popcll(bitmap));
    std::uint32_t behind = held;
#pragma unroll
    for (unsigned step = 1; step < warp_size; step *= 2) {
      const std::uint32_t before = __shfl_up_sync(whole_warp, behind, step);
      if (threadIdx.x % warp_size >= step) behind += before;
    }
    first = behind - held;
    return __shfl_sync(whole_warp, behind, warp_size - 1);
  }
};

/// The eight sums of a block row, in one warp. lanes: so many share a block, each with 64 / lanes neighbouring bits of
/// its bitmap, all in one row: 8 where blocks hold few entries, 32 where they hold many.
template <unsigned lanes, class T, class Values>
class BlockRowSums {
  static constexpr unsigned bits_each = 64 / lanes;
  static constexpr unsigned blocks = warp_size / lanes;               // at a time
  static constexpr unsigned picks = bits_each == 2 ? 2 : 1;           // entries of a lane's bits in one turn
  static constexpr unsigned steps = picks == 2 ? 2 : 4;               // so many times `blocks` on their way together
  static constexpr unsigned lanes_per_row = bitmap_side / bits_each;  // of one block

 public:
  __device__ BlockRowSums(Values values, const T* x) : values_(values), x_(x) {}

  /// Adds blocks [from, to) of a batch whose entries begin at `entry`. All lanes take part.
  __device__ __forceinline__ void add(const BlockBatch& batch, unsigned from, unsigned to, std::uint64_t entry) {
    for (unsigned b = from; b < to; b += blocks * steps) {
      unsigned bits[steps];
      std::uint32_t place[steps], column[steps];
#pragma unroll
      for (unsigned s = 0; s < steps; ++s) {
        const unsigned source = b + s * blocks + threadIdx.x % warp_size / lanes;
        const std::uint64_t bitmap = __shfl_sync(whole_warp, batch.bitmap, source % warp_size);
        bits[s] = static_cast<unsigned>(bitmap >> shift_) & ((1u << bits_each) - 1);
        if (source >= to) bits[s] = 0;
        place[s] = __shfl_sync(whole_warp, batch.first, source % warp_size) +
                   static_cast<std::uint32_t>(__popcll(bitmap & ((std::uint64_t{1} << shift_) - 1)));
        column[s] = __shfl_sync(whole_warp, batch.col, source % warp_size) * bitmap_side + shift_ % bitmap_side;
      }
      while (any(bits)) take(bits, place, column, entry);
    }
  }

  /// The sum of row lane_row() in the lanes where that is below 8, and starts again from 0. All lanes take part.
  [[nodiscard]] __device__ __forceinline__ T finish() {
    T sum = sum_;
    sum_ = 0;
    if constexpr (lanes_per_row == 1) {
#pragma unroll
      for (unsigned step = warp_size / 2; step >= lanes; step /= 2) sum += __shfl_down_sync(whole_warp, sum, step);
      return sum;
    } else {
      return sum_over_lanes<lanes_per_row>(sum);
    }
  }
  /// The row of the block row whose sum finish() leaves in this lane, 8 or more for none.
  [[nodiscard]] static __device__ __forceinline__ unsigned lane_row() {
    const unsigned lane = threadIdx.x % warp_size;
    return lane % lanes_per_row == 0 ? lane / lanes_per_row : warp_size;
  }

 private:
  static __device__ __forceinline__ bool any(const unsigned (&bits)[steps]) {
    unsigned all = 0;
#pragma unroll
    for (unsigned s = 0; s < steps; ++s) all |= bits[s];
    return all != 0;
  }

  /// Takes the lowest entries off each block's bits: first all loads, then the sums.
  __device__ __forceinline__ void take(unsigned (&bits)[steps], std::uint32_t (&place)[steps],
                                       const std::uint32_t (&column)[steps], std::uint64_t entry) {
    decltype(values_.load(0)) code[steps][picks];
    T factor[steps][picks];
    bool there[steps][picks];
#pragma unroll
    for (unsigned s = 0; s < steps; ++s) {
#pragma unroll
      for (unsigned p = 0; p < picks; ++p) {
        there[s][p] = bits[s] != 0;
        code[s][p] = {};
        factor[s][p] = 0;
        if (there[s][p]) {
          code[s][p] = values_.load(entry + place[s]++);
          factor[s][p] = load_shared(
              x_ + (std::uint64_t{column[s]} + static_cast<unsigned>(__ffs(static_cast<int>(bits[s])) - 1)));
        }
        bits[s] &= bits[s] - 1;
      }
    }
#pragma unroll
    for (unsigned s = 0; s < steps; ++s) {
#pragma unroll
      for (unsigned p = 0; p < picks; ++p)
        if (there[s][p]) sum_ += values_.decode(code[s][p]) * factor[s][p];
    }
  }

  Values values_;
  const T* x_;
  T sum_ = 0;
  unsigned shift_ = threadIdx.x % lanes * bits_each;  // of the first bit of this lane
};

/// Calls use(lanes), a compile-time constant: how many lanes share a block of a matrix with so many entries and blocks.
template <class Use>
[[nodiscard]] Status with_lanes_per_block(std::uint64_t nnz, std::uint64_t blocks, Use&& use) {
  constexpr std::uint64_t many = 20;  // entries in a block: then most of 32 lanes have one
  if (nnz >= many * blocks) return use(std::integral_constant<unsigned, 32>{});
  return use(std::integral_constant<unsigned, 8>{});
}
[[nodiscard]] inline std::string name_of_lanes_per_block(std::uint64_t nnz, std::uint64_t blocks) {
  std::string lanes;
  static_cast<void>(with_lanes_per_block(nnz, blocks, [&](auto n) -> Status {
    lanes = std::to_string(n()) + " lanes a block";
    return Ok{};
  }));
  return lanes;
}

}  // namespace spress::cuda
