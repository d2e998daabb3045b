// Tiles of bitmap blocks that hold next to nothing, worked on entry by entry: a warp takes one block row after the
// other, each lane the entry behind its neighbour's.
#pragma once

#include <cstdint>

#include "kernels/cuda/bitmap/bitmap_staging.cuh"

namespace spress::cuda {

/// The sums of a block row, each lane's share of all eight.
template <class T>
class SpreadSums {
 public:
  /// Rows by comparison: registers have no index.
  __device__ __forceinline__ void add(unsigned row, T value, T factor) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
      if (r == row) sums_[r] += value * factor;
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

/// One warp's work on its tiles.
template <class T, class Blocks, class Values>
class BlocksByEntries : public BlockTileStages<T, Blocks, Values> {
  using Stages = BlockTileStages<T, Blocks, Values>;
  using Stages::blocks_, Stages::values_, Stages::x_;
  static constexpr unsigned together = 2;  // entries of a lane on their way

 public:
  using typename Stages::Staged;
  /// Bytes of a warp's notes on tiles of so many blocks and entries.
  [[nodiscard]] static unsigned notes_bytes(unsigned blocks, unsigned entries) { return 2 * (blocks + entries); }

  __device__ BlocksByEntries(const Blocks& blocks, const DeviceBlockTiles& tiles, StagedValues<Values> values,
                             const T* x, T* y, T* partial, char* shared)
      : Stages(blocks, tiles, values, x, y, partial, shared),
        behind_(reinterpret_cast<std::uint16_t*>(shared)),
        places_(behind_ + tiles.most_blocks) {}

  __device__ __forceinline__ void multiply(const Staged& staged) {
    list_entries(staged);
    const unsigned lane = threadIdx.x % warp_size, rows = max(staged.tile.rows, 1u);
    unsigned last_block = blocks_.row_end(staged.tile, staged.places, staged.row_end);
    if (staged.tile.rows == 0) last_block = staged.tile.blocks;
    const unsigned row_end = lane < rows && last_block != 0 ? behind_[last_block - 1] : 0;
    for (unsigned r = 0, begin = 0; r < rows; ++r) {
      const unsigned end = __shfl_sync(whole_warp, row_end, r);
      const T sum = block_row_sum(staged, begin, end);
      if (lane % 4 == 0) this->write(staged.tile, r, lane / 4, sum);
      begin = end;
    }
  }

 private:
  /// Writes down of each entry the block and the bit, and of each block how many entries there are up to its end. Lanes
  /// take a block each.
  __device__ __forceinline__ void list_entries(const Staged& staged) const {
    Stages::for_each_block(staged, [&](unsigned b, std::uint64_t bitmap, unsigned first) {
      behind_[b] = static_cast<std::uint16_t>(first + static_cast<unsigned>(__popcll(bitmap)));
      const auto low = static_cast<std::uint32_t>(bitmap), high = static_cast<std::uint32_t>(bitmap >> 32);
      list_bits(low, b * bits_of_block, places_ + first);
      list_bits(high, b * bits_of_block + 32, places_ + first + __popc(low));
    });
  }
  static __device__ __forceinline__ void list_bits(std::uint32_t bits, unsigned first, std::uint16_t* at) {
    for (; bits != 0; bits &= bits - 1)
      *at++ = static_cast<std::uint16_t>(first + static_cast<unsigned>(__ffs(static_cast<int>(bits))) - 1);
  }

  /// What entries [begin, end) of the tile add to the row of the block row that this lane writes.
  [[nodiscard]] __device__ __forceinline__ T block_row_sum(const Staged& staged, unsigned begin, unsigned end) const {
    const unsigned lane = threadIdx.x % warp_size;
    SpreadSums<T> sums;
    for (unsigned first = begin; first < end; first += together * warp_size) {
      T factor[together];
      unsigned row[together];
#pragma unroll
      for (unsigned u = 0; u < together; ++u) {
        const unsigned e = first + u * warp_size + lane;
        row[u] = side;  // none
        if (e >= end) continue;
        const unsigned place = places_[e];
        row[u] = place / side % side;
        factor[u] =
            load_shared(x_ + (static_cast<std::uint32_t>(staged.places[place / bits_of_block]) * side + place % side));
      }
#pragma unroll
      for (unsigned u = 0; u < together; ++u)
        if (row[u] != side) sums.add(row[u], values_.read(staged.values, first + u * warp_size + lane), factor[u]);
    }
    return sums.finish();
  }

  static constexpr unsigned side = static_cast<unsigned>(bitmap_side), bits_of_block = side * side;
  std::uint16_t* behind_;  // of each block: entries up to its end
  std::uint16_t* places_;  // of each entry: bits of the blocks before its own, and its bit
};

}  // namespace spress::cuda
