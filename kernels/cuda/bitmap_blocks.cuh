// The product of 8x8 bitmap blocks: a warp takes tiles of block rows and goes through the entries of one block row
// after the other, each lane with the entry behind its neighbour's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/bitmap_blocks.hpp"
#include "kernels/cuda/bitmap_tiles.hpp"
#include "kernels/cuda/bmsparse_csr.cuh"
#include "kernels/cuda/joints.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/staging.cuh"

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
  unsigned list_bytes;        // of one warp besides
  unsigned most_blocks;       // in a tile
  bool add;                   // to what stands in y
};

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
class BlockTileWork {
  using Place = typename Blocks::Place;
  static constexpr unsigned together = 4;  // entries of a lane on their way

 public:
  /// A tile as it stands in memory.
  struct Bits {
    uint4 low, high;
  };
  /// A tile on its way: bitmaps, places and values come into shared memory, the ends of its block rows into registers.
  struct Staged {
    BlockTile tile;
    std::uint32_t row_end = 0;  // not before multiply
    const std::uint64_t* bitmaps = nullptr;
    const Place* places = nullptr;
    const char* values = nullptr;
  };

  /// shared: this warp's, tiles.list_bytes and then its stages.
  __device__ BlockTileWork(const Blocks& blocks, const DeviceBlockTiles& tiles, StagedValues<Values> values, const T* x,
                           T* y, T* partial, char* shared)
      : blocks_(blocks),
        tiles_(tiles),
        values_(values),
        x_(x),
        y_(y),
        partial_(partial),
        behind_(reinterpret_cast<std::uint16_t*>(shared)),
        places_(behind_ + tiles.most_blocks),
        stages_(shared + tiles.list_bytes) {}

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

  __device__ __forceinline__ void multiply(const Staged& staged) {
    list_entries(staged);
    const unsigned lane = threadIdx.x % warp_size, rows = max(staged.tile.rows, 1u);
    unsigned last_block = blocks_.row_end(staged.tile, staged.places, staged.row_end);
    if (staged.tile.rows == 0) last_block = staged.tile.blocks;
    const unsigned row_end = lane < rows && last_block != 0 ? behind_[last_block - 1] : 0;
    for (unsigned r = 0, begin = 0; r < rows; ++r) {
      const unsigned end = __shfl_sync(whole_warp, row_end, r);
      const T sum = block_row_sum(staged, begin, end);
      if (lane % 4 == 0) write(staged.tile, r, lane / 4, sum);
      begin = end;
    }
  }

 private:
  /// Writes down of each entry the block and the bit, and of each block how many entries there are up to its end. Lanes
  /// take a block each.
  __device__ __forceinline__ void list_entries(const Staged& staged) const {
    const unsigned lane = threadIdx.x % warp_size;
    unsigned before = 0;
    for (unsigned first = 0; first < staged.tile.blocks; first += warp_size) {
      const unsigned b = first + lane;
      const bool there = b < staged.tile.blocks;
      const std::uint64_t bitmap = there ? staged.bitmaps[b] : 0;
      const auto held = static_cast<unsigned>(__popcll(bitmap));
      unsigned behind = held;
#pragma unroll
      for (unsigned step = 1; step < warp_size; step *= 2) {
        const unsigned others = __shfl_up_sync(whole_warp, behind, step);
        if (lane >= step) behind += others;
      }
      if (there) behind_[b] = static_cast<std::uint16_t>(before + behind);
      std::uint16_t* const at = places_ + (before + behind - held);
      const auto low = static_cast<std::uint32_t>(bitmap), high = static_cast<std::uint32_t>(bitmap >> 32);
      list_bits(low, b * bits_of_block, at);
      list_bits(high, b * bits_of_block + 32, at + __popc(low));
      before += __shfl_sync(whole_warp, behind, warp_size - 1);
    }
    __syncwarp();
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

  __device__ __forceinline__ void write(const BlockTile& tile, unsigned r, unsigned i, T sum) const {
    if (tile.rows == 0) {
      partial_[std::uint64_t{tile.row} * bitmap_side + i] = sum;
      return;
    }
    const std::uint64_t row = (std::uint64_t{tile.row} + r) * bitmap_side + i;
    if (row < tiles_.rows) y_[row] = tiles_.add ? y_[row] + sum : sum;
  }

  static constexpr unsigned side = static_cast<unsigned>(bitmap_side), bits_of_block = side * side;
  const Blocks& blocks_;
  const DeviceBlockTiles& tiles_;
  StagedValues<Values> values_;
  const T* x_;
  T* y_;
  T* partial_;
  std::uint16_t* behind_;  // of each block: entries up to its end
  std::uint16_t* places_;  // of each entry: bits of the blocks before its own, and its bit
  char* stages_;
  std::uint64_t policy_ = read_once_policy();
};

inline constexpr unsigned most_blocks_in_tile = 128;
inline constexpr unsigned block_tile_stages = 2;  // tiles of a warp in shared memory: one in work, others on their way

/// Shared memory: the table of values if it goes there, then each warp's list and stages.
template <class T, class Blocks, class Values>
__global__ void __launch_bounds__(staged_block_size<Values>, staged_blocks<Values>)
    multiply_block_tiles(const __grid_constant__ Blocks blocks, const __grid_constant__ DeviceBlockTiles tiles,
                         Values values, unsigned table_size, const T* x, T* y, T* partial) {
  extern __shared__ __align__(16) char shared[];
  stage_table<T>(values, table_size, shared);
  constexpr unsigned warps = staged_block_size<Values> / warp_size;
  using Staged = StagedValues<Values>;
  const unsigned warp = threadIdx.x / warp_size;
  const unsigned bytes = tiles.list_bytes + block_tile_stages * tiles.stage_bytes;
  BlockTileWork<T, Blocks, Values> work(blocks, tiles, Staged(values, shared), x, y, partial,
                                        shared + Staged::table_bytes + warp * bytes);
  walk_tiles<block_tile_stages>(work, std::uint64_t{blockIdx.x} * warps + warp, std::uint64_t{gridDim.x} * warps,
                                tiles.count);
}

/// Tiles small enough that many warps find room: their latencies hide behind each other.
template <class Format>
[[nodiscard]] BlockTileLimits block_tile_limits(const Format& host, unsigned place_bytes) {
  constexpr std::uint64_t most_rows = 8;
  const TileBytes size = staged_tile_bytes(host.values.kind);
  const std::uint64_t bytes = host.blocks * (sizeof(std::uint64_t) + place_bytes) + host.nnz * code_width(host.values);
  const std::uint64_t fit = size.wanted * block_rows_of(host.rows) / std::max<std::uint64_t>(1, bytes);
  return {.bytes = size.most,
          .rows = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fit, 1, most_rows)),
          .blocks = most_blocks_in_tile};
}

/// What a product holds on the device besides the matrix.
template <class T>
struct BlockTileScratch {
  DeviceMemory tiles;
  Joints<T> long_rows;
};

template <class T>
[[nodiscard]] Result<std::shared_ptr<BlockTileScratch<T>>> make_scratch(const BlockTiling& tiling, std::uint64_t rows) {
  std::vector<Joint> joints;
  for (const LongBlockRow& row : tiling.long_rows) {
    const std::uint64_t first = row.row * bitmap_side;
    joints.push_back({row.first_piece, static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(std::min(bitmap_side, rows - first)), row.pieces, 0});
  }
  auto out = std::make_shared<BlockTileScratch<T>>();
  SPRESS_TRY(out->tiles, upload(std::span<const BlockTile>(tiling.tiles), "the list of tiles"));
  SPRESS_TRY(out->long_rows, Joints<T>::make(joints, tiling.pieces, bitmap_side));
  return out;
}

/// The product of blocks that Blocks describes to the device.
template <class T, class Blocks, class Format>
[[nodiscard]] Result<AddingProduct<T>> block_tiles_product(const Format& host, const Format& device) {
  const BlockTiling tiling = cut_into_tiles(host, block_tile_limits(host, sizeof(typename Blocks::Place)));
  SPRESS_TRY(const std::shared_ptr<BlockTileScratch<T>> scratch, make_scratch<T>(tiling, host.rows));
  const std::uint32_t most_blocks = tiling.largest_blocks;
  const std::uint32_t list_bytes = (most_blocks + tiling.largest_entries) * 2;
  const DeviceBlockTiles tiles{scratch->tiles.template as<BlockTile>(),
                               tiling.tiles.size(),
                               host.rows,
                               (tiling.largest_bytes + 6 * copy_step) / copy_step * copy_step,
                               (list_bytes + copy_step - 1) / copy_step * copy_step,
                               most_blocks,
                               false};
  const Blocks blocks(device);
  const auto table_size = static_cast<unsigned>(host.values.table.size());
  AddingProduct<T> out;
  out.kernel = "tile of block rows per warp, entry after entry";
  SPRESS_CHECK((with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) -> Status {
    constexpr unsigned block_size = staged_block_size<Values>;
    const auto kernel = multiply_block_tiles<T, Blocks, Values>;
    const std::size_t of_warp = tiles.list_bytes + std::size_t{block_tile_stages} * tiles.stage_bytes;
    const std::size_t shared = StagedValues<Values>::table_bytes + block_size / warp_size * of_warp;
    SPRESS_TRY(const auto grid, fill_device(kernel, block_size, shared, tiles.count));
    out.multiply = [=](const T* x, T* y, bool add, Stream stream) -> Status {
      DeviceBlockTiles how = tiles;
      how.add = add;
      SPRESS_CHECK(launch_with_shared(kernel, grid.blocks, block_size, grid.shared_bytes, stream, blocks, how, values,
                                      table_size, x, y, scratch->long_rows.partials()));
      return scratch->long_rows.finish(nullptr, add, y, stream);
    };
    return Ok{};
  })));
  return out;
}

/// The same, for y = A x alone.
template <class T>
[[nodiscard]] Product<T> writing_product(AddingProduct<T> product) {
  Product<T> out;
  out.kernel = std::move(product.kernel);
  out.multiply = [multiply = std::move(product.multiply)](const T* x, T* y, Stream stream) {
    return multiply(x, y, false, stream);
  };
  return out;
}

}  // namespace spress::cuda
