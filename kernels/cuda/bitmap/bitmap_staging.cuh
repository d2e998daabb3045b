// 8x8 bitmap blocks on their way to shared memory, a tile of block rows at a time, for a warp.
#pragma once

#include <cstdint>
#include <cstring>

#include "formats/bitmap/bitmap_blocks.hpp"
#include "kernels/cuda/bitmap/bitmap_tiles.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/staging.cuh"

namespace spress::cuda {

/// Blocks that know their block row: bmsparse.
struct KeyedBlocks {
  using Place = std::uint64_t;
  const std::uint64_t* places;  // keys
  const std::uint64_t* bitmaps;

  explicit KeyedBlocks(const BmSparse<Viewed>& device) : places(device.keys.data()), bitmaps(device.bitmaps.data()) {}

  /// What row_end needs, on its way while the blocks of a tile are.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t start_row_end(const BlockTile&) const { return 0; }
  /// The block behind the block row of this lane in a tile, of its staged blocks.
  [[nodiscard]] __device__ __forceinline__ unsigned row_end(const BlockTile& tile, const Place* staged,
                                                            std::uint32_t) const {
    const std::uint64_t behind = std::uint64_t{tile.row} + threadIdx.x % warp_size + 1;
    unsigned low = 0, high = tile.blocks;
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (staged[middle] >> 32 < behind)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// Blocks whose block row follows from pointers: bmsparse-csr.
struct PointedBlocks {
  using Place = std::uint32_t;
  const std::uint32_t* places;  // block columns
  const std::uint64_t* bitmaps;
  DevicePositions block_row_ptr;

  explicit PointedBlocks(const BmSparseCsr<Viewed>& device)
      : places(device.block_col.data()), bitmaps(device.bitmaps.data()), block_row_ptr(device.block_row_ptr) {}

  [[nodiscard]] __device__ __forceinline__ std::uint32_t start_row_end(const BlockTile& tile) const {
    const unsigned lane = threadIdx.x % warp_size;
    return lane < tile.rows ? low_word(block_row_ptr, std::uint64_t{tile.row} + lane + 1) : 0;
  }
  [[nodiscard]] __device__ __forceinline__ unsigned row_end(const BlockTile& tile, const Place*,
                                                            std::uint32_t end) const {
    return end - static_cast<std::uint32_t>(tile.block);
  }
};

/// What the kernel knows besides the blocks.
struct DeviceBlockTiles {
  const BlockTile* tiles;
  std::uint64_t count, rows;  // rows of the matrix
  unsigned stage_bytes;       // of one tile in shared memory
  unsigned notes_bytes;       // of a warp's notes on the tile in work, there as well
  unsigned most_blocks;       // in a tile
  bool add;                   // to what stands in y
};

/// How one warp gets at its tiles, and rid of its sums.
template <class T, class Blocks, class Values>
class BlockTileStages {
 public:
  using Place = typename Blocks::Place;
  /// A tile as it stands in memory.
  struct Bits {
    uint4 low, high;
  };
  /// A tile on its way: bitmaps, places and values come into shared memory, the ends of its block rows into registers.
  struct Staged {
    BlockTile tile;
    std::uint32_t row_end = 0;  // not before it is worked on
    const std::uint64_t* bitmaps = nullptr;
    const Place* places = nullptr;
    const char* values = nullptr;
  };

  /// shared: this warp's, tiles.notes_bytes and then its stages.
  __device__ BlockTileStages(const Blocks& blocks, const DeviceBlockTiles& tiles, StagedValues<Values> values,
                             const T* x, T* y, T* partial, char* shared)
      : blocks_(blocks),
        tiles_(tiles),
        values_(values),
        x_(x),
        y_(y),
        partial_(partial),
        stages_(shared + tiles.notes_bytes) {}

  [[nodiscard]] __device__ __forceinline__ Bits tile_at(std::uint64_t t) const {
    if (t >= tiles_.count) return {};
    const auto* const from = reinterpret_cast<const uint4*>(tiles_.tiles + t);
    return {__ldg(from), __ldg(from + 1)};
  }

  [[nodiscard]] __device__ __forceinline__ Staged start(const Bits& bits, unsigned stage) const {
    Staged out;
    memcpy(&out.tile, &bits, sizeof bits);
    const BlockTile& tile = out.tile;
    if (tile.blocks != 0) {
      StageCopies copies(stages_ + stage * tiles_.stage_bytes, policy_);
      out.values = values_.copy(copies, tile.entry, tile.entries);
      out.bitmaps = copies.copy(blocks_.bitmaps + tile.block, tile.blocks);
      out.places = copies.copy(blocks_.places + tile.block, tile.blocks);
    }
    StageCopies::end();
    out.row_end = blocks_.start_row_end(tile);
    return out;
  }

 protected:
  /// Calls use(b, bitmap, first) for each block of a tile, in one lane: first entry, counted from the tile's.
  template <class Use>
  __device__ __forceinline__ static void for_each_block(const Staged& staged, const Use& use) {
    const unsigned lane = threadIdx.x % warp_size;
    unsigned before = 0;
    for (unsigned from = 0; from < staged.tile.blocks; from += warp_size) {
      const unsigned b = from + lane;
      const bool there = b < staged.tile.blocks;
      const std::uint64_t bitmap = there ? staged.bitmaps[b] : 0;
      const auto held = static_cast<unsigned>(__popcll(bitmap));
      unsigned behind = held;
#pragma unroll
      for (unsigned step = 1; step < warp_size; step *= 2) {
        const unsigned others = __shfl_up_sync(whole_warp, behind, step);
        if (lane >= step) behind += others;
      }
      if (there) use(b, bitmap, before + behind - held);
      before += __shfl_sync(whole_warp, behind, warp_size - 1);
    }
    __syncwarp();
  }

  /// Row i of block row r of a tile.
  __device__ __forceinline__ void write(const BlockTile& tile, unsigned r, unsigned i, T sum) const {
    if (tile.rows == 0) {
      partial_[std::uint64_t{tile.row} * bitmap_side + i] = sum;
      return;
    }
    const std::uint64_t row = (std::uint64_t{tile.row} + r) * bitmap_side + i;
    if (row < tiles_.rows) y_[row] = tiles_.add ? y_[row] + sum : sum;
  }

  const Blocks& blocks_;
  const DeviceBlockTiles& tiles_;
  StagedValues<Values> values_;
  const T* x_;

 private:
  T* y_;
  T* partial_;
  char* stages_;
  std::uint64_t policy_ = read_once_policy();
};

}  // namespace spress::cuda
