// The kernel of 8x8 bitmap blocks that hold next to nothing: a warp takes a block row, each lane a block of it at a
// time.
#pragma once

#include <cstdint>
#include <cstring>

#include "formats/bitmap_blocks.hpp"
#include "kernels/cuda/bitmap_tiles.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {

inline constexpr unsigned lanes_block_size = 128;

/// The sums of a block row, each lane's share of all eight.
template <class T>
class SpreadSums {
 public:
  /// Rows by comparison: registers have no index.
  __device__ __forceinline__ void add(unsigned row, T product) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
      if (r == row) sums_[r] += product;
  }

  /// The sum of row lane / 4 over all lanes. In each of three turns a lane gives half of its rows to another, for the
  /// other half of that one's.
  [[nodiscard]] __device__ __forceinline__ T finish() {
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
    for (unsigned half = rows / 2; half > 0; half /= 2) {
      const bool upper = (lane & (4 * half)) != 0;
#pragma unroll
      for (unsigned r = 0; r < half; ++r) {
        const T given = upper ? sums_[r] : sums_[r + half], kept = upper ? sums_[r + half] : sums_[r];
        sums_[r] = kept + __shfl_xor_sync(whole_warp, given, 4 * half);
      }
    }
    T sum = sums_[0];
    sum += __shfl_xor_sync(whole_warp, sum, 2);
    return sum + __shfl_xor_sync(whole_warp, sum, 1);
  }

 private:
  static constexpr unsigned rows = static_cast<unsigned>(bitmap_side);
  T sums_[rows] = {};
};

/// The blocks of one lane among some neighbouring ones: `many` of them, a warp apart.
template <unsigned many, class T, class Values>
class LaneBlocks {
 public:
  /// Of `count` blocks from b on, whose entries begin at `entry`, counted from the tile's first; it becomes that behind
  /// them. All lanes take part.
  template <class Blocks>
  __device__ __forceinline__ void load(const Blocks& blocks, std::uint64_t b, unsigned count, unsigned& entry) {
    const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
    for (unsigned u = 0; u < many; ++u) {
      bits_[u] = 0;
      column_[u] = 0;
      const unsigned i = u * warp_size + lane;
      if (i >= count) continue;
      bits_[u] = load_once(blocks.bitmaps + b + i);
      column_[u] = static_cast<std::uint32_t>(load_once(blocks.places + b + i)) * side;
    }
#pragma unroll
    for (unsigned u = 0; u < many; ++u) {
      const auto held = static_cast<unsigned>(__popcll(bits_[u]));
      unsigned behind = held;
#pragma unroll
      for (unsigned step = 1; step < warp_size; step *= 2) {
        const unsigned before = __shfl_up_sync(whole_warp, behind, step);
        if (lane >= step) behind += before;
      }
      entry_[u] = entry + behind - held;
      entry += __shfl_sync(whole_warp, behind, warp_size - 1);
    }
  }

  [[nodiscard]] __device__ __forceinline__ bool left() const {
    std::uint64_t all = 0;
#pragma unroll
    for (unsigned u = 0; u < many; ++u) all |= bits_[u];
    return all != 0;
  }

  /// Takes one entry off each block that has some left: first all loads, then the sums. first: entry of the tile.
  __device__ __forceinline__ void take(const Values& values, std::uint64_t first, const T* x, SpreadSums<T>& sums) {
    CodeOf<Values> code[many];
    T factor[many];
    unsigned place[many];
#pragma unroll
    for (unsigned u = 0; u < many; ++u) {
      place[u] = static_cast<unsigned>(__ffsll(static_cast<long long>(bits_[u])) - 1);
      code[u] = {};
      factor[u] = 0;
      if (bits_[u] == 0) continue;
      code[u] = values.load(first + entry_[u]++);
      factor[u] = load_shared(x + column_[u] + place[u] % side);
    }
#pragma unroll
    for (unsigned u = 0; u < many; ++u) {
      if (bits_[u] != 0) sums.add(place[u] / side, values.decode(code[u]) * factor[u]);
      bits_[u] &= bits_[u] - 1;
    }
  }

 private:
  static constexpr unsigned side = static_cast<unsigned>(bitmap_side);
  std::uint64_t bits_[many];
  unsigned entry_[many];
  std::uint32_t column_[many];
};

/// tiles: of one block row each, or pieces; count: of them. rows: of the matrix. add: to what stands in y.
template <class T, class Blocks, class Values>
__global__ void __launch_bounds__(lanes_block_size)
    multiply_sparse_blocks(const __grid_constant__ Blocks blocks, const BlockTile* tiles, std::uint64_t count,
                           std::uint64_t rows, bool add, Values values, const T* x, T* y, T* partial) {
  constexpr unsigned many = 2;
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (lanes_block_size / warp_size);
  std::uint64_t t = (std::uint64_t{blockIdx.x} * lanes_block_size + threadIdx.x) / warp_size;
  for (; t < count; t += stride) {
    BlockTile tile;
    const auto* const from = reinterpret_cast<const uint4*>(tiles + t);
    const uint4 bits[2] = {load_shared(from), load_shared(from + 1)};
    std::memcpy(&tile, bits, sizeof tile);
    SpreadSums<T> sums;
    unsigned entry = 0;
    for (unsigned b = 0; b < tile.blocks; b += many * warp_size) {
      LaneBlocks<many, T, Values> some;
      some.load(blocks, tile.block + b, tile.blocks - b, entry);
      while (some.left()) some.take(values, tile.entry, x, sums);
      __syncwarp();
    }
    const T sum = sums.finish();
    if (lane % 4 != 0) continue;
    const std::uint64_t row = std::uint64_t{tile.row} * bitmap_side + lane / 4;
    if (tile.rows == 0)
      partial[row] = sum;
    else if (row < rows)
      y[row] = add ? y[row] + sum : sum;
  }
}

}  // namespace spress::cuda
