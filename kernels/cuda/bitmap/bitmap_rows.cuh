// Tiles of bitmap blocks worked on by rows: eight lanes take a block row, each of them one row.
#pragma once

#include <cstdint>

#include "kernels/cuda/bitmap/bitmap_staging.cuh"

namespace spress::cuda {

/// A staged block as lanes read it.
struct alignas(16) BlockHead {
  std::uint32_t low, high;  // the bitmap
  std::uint32_t column;     // the first
  std::uint32_t entry;      // the first, counted from the tile's
};

/// One warp's work on its tiles.
template <class T, class Blocks, class Values>
class BlocksByRows : public BlockTileStages<T, Blocks, Values> {
  using Stages = BlockTileStages<T, Blocks, Values>;
  using Stages::blocks_, Stages::values_, Stages::x_;
  static constexpr unsigned together = 4;  // entries of a lane whose x is on its way

 public:
  using typename Stages::Staged;
  /// Bytes of a warp's notes on tiles of so many blocks and entries.
  [[nodiscard]] static unsigned notes_bytes(unsigned blocks, unsigned) {
    return blocks * static_cast<unsigned>(sizeof(BlockHead));
  }

  __device__ BlocksByRows(const Blocks& blocks, const DeviceBlockTiles& tiles, StagedValues<Values> values, const T* x,
                          T* y, T* partial, char* shared)
      : Stages(blocks, tiles, values, x, y, partial, shared), heads_(reinterpret_cast<BlockHead*>(shared)) {}

  __device__ __forceinline__ void multiply(const Staged& staged) {
    put_heads(staged);
    const unsigned lane = threadIdx.x % warp_size;
    const bool piece = staged.tile.rows == 0;
    const unsigned rows = piece ? 1 : staged.tile.rows;
    const unsigned row_end = blocks_.row_end(staged.tile, staged.places, staged.row_end);
    const unsigned parts = rows == 1 ? 4 : rows == 2 ? 2 : 1;  // groups of eight lanes for a block row
    const unsigned group = lane / bitmap_side, at_once = warp_size / bitmap_side / parts;
    for (unsigned first = 0; first < rows; first += at_once) {
      const unsigned r = first + group / parts;
      unsigned begin = __shfl_sync(whole_warp, row_end, (r - 1) % warp_size);
      unsigned end = __shfl_sync(whole_warp, row_end, r % warp_size);
      if (r == 0) begin = 0;
      if (piece) end = staged.tile.blocks;
      if (r >= rows) begin = end = 0;
      T sum = row_sum(begin + 2 * (group % parts), end, 2 * parts, staged.values);
      if (parts == 4) sum += __shfl_down_sync(whole_warp, sum, 2 * bitmap_side);
      if (parts >= 2) sum += __shfl_down_sync(whole_warp, sum, bitmap_side);
      if (r < rows && group % parts == 0) this->write(staged.tile, r, lane % bitmap_side, sum);
    }
  }

 private:
  /// Finds out where each block's entries begin.
  __device__ __forceinline__ void put_heads(const Staged& staged) const {
    Stages::for_each_block(staged, [&](unsigned b, std::uint64_t bitmap, unsigned first) {
      heads_[b] = {static_cast<std::uint32_t>(bitmap), static_cast<std::uint32_t>(bitmap >> 32),
                   static_cast<std::uint32_t>(staged.places[b]) * static_cast<std::uint32_t>(bitmap_side), first};
    });
  }

  /// What blocks b, b + 1, b + step, b + step + 1, ... before `end` add to this lane's row.
  [[nodiscard]] __device__ __forceinline__ T row_sum(unsigned b, unsigned end, unsigned step,
                                                     const char* values) const {
    T sum = 0;
    for (; b < end; b += step) {
      const BlockHead one = heads_[b];
      BlockHead other{};
      if (b + 1 < end) other = heads_[b + 1];
      const unsigned bits = byte_of_row(one) | byte_of_row(other) << 8;
      sum += pair_sum(bits, entry_of_row(one), entry_of_row(other), one.column, other.column - 8, values);
    }
    return sum;
  }

  /// The sum over the set bits of a row in two blocks, the last first: entries from one_entry on and from other_entry
  /// on, bit p at column one_column + p or, from the eighth on, other_column + p.
  [[nodiscard]] __device__ __forceinline__ T pair_sum(unsigned bits, unsigned one_entry, unsigned other_entry,
                                                      std::uint32_t one_column, std::uint32_t other_column,
                                                      const char* values) const {
    T sum = 0;
    const auto of_one = static_cast<unsigned>(__popc(bits & 0xFF));
    other_entry -= of_one;
    for (auto left = static_cast<unsigned>(__popc(bits)); left != 0;) {
      T factor[together];
      unsigned entry[together];
#pragma unroll
      for (unsigned u = 0; u < together; ++u) {
        factor[u] = 0;
        entry[u] = 0;
        if (u < left) {
          const unsigned rank = left - u - 1, p = 31 - static_cast<unsigned>(__clz(static_cast<int>(bits)));
          bits ^= 1u << p;
          entry[u] = rank + (rank < of_one ? one_entry : other_entry);
          factor[u] = load_shared(x_ + ((rank < of_one ? one_column : other_column) + p));
        }
      }
#pragma unroll
      for (unsigned u = 0; u < together; ++u)
        if (u < left) sum += values_.read(values, entry[u]) * factor[u];
      left -= min(left, together);
    }
    return sum;
  }

  [[nodiscard]] __device__ __forceinline__ unsigned byte_of_row(const BlockHead& head) const {
    return __byte_perm(head.low, head.high, threadIdx.x % bitmap_side) & 0xFF;
  }
  [[nodiscard]] __device__ __forceinline__ unsigned entry_of_row(const BlockHead& head) const {
    return head.entry + static_cast<unsigned>(__popc(head.low & low_before_) + __popc(head.high & high_before_));
  }

  BlockHead* heads_;
  // Bits of the rows before this lane's in a bitmap.
  std::uint32_t low_before_ = static_cast<std::uint32_t>((std::uint64_t{1} << threadIdx.x % bitmap_side * 8) - 1);
  std::uint32_t high_before_ =
      static_cast<std::uint32_t>(((std::uint64_t{1} << threadIdx.x % bitmap_side * 8) - 1) >> 32);
};

}  // namespace spress::cuda
