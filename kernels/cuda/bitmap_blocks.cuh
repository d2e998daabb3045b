// The product of 8x8 bitmap blocks. Its kernel: a warp takes tiles of block rows, eight lanes a block row, each of them
// one row.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/bitmap_blocks.hpp"
#include "kernels/cuda/bitmap_lanes.cuh"
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
  unsigned most_blocks;       // in a tile
  bool add;                   // to what stands in y
};

/// A staged block as lanes read it.
struct alignas(16) BlockHead {
  std::uint32_t low, high;  // the bitmap
  std::uint32_t column;     // the first
  std::uint32_t entry;      // the first, counted from the tile's
};

/// One warp's work on its tiles.
template <class T, class Blocks, class Values>
class BlockTileWork {
  using Place = typename Blocks::Place;
  static constexpr unsigned together = 4;  // entries of a lane whose x is on its way

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

  /// shared: this warp's, tiles.most_blocks heads and then its stages.
  __device__ BlockTileWork(const Blocks& blocks, const DeviceBlockTiles& tiles, StagedValues<Values> values, const T* x,
                           T* y, T* partial, char* shared)
      : blocks_(blocks),
        tiles_(tiles),
        values_(values),
        x_(x),
        y_(y),
        partial_(partial),
        heads_(reinterpret_cast<BlockHead*>(shared)),
        stages_(shared + tiles.most_blocks * sizeof(BlockHead)) {}

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
      if (r < rows && group % parts == 0) write(staged.tile, r, lane % bitmap_side, sum);
    }
  }

 private:
  /// Finds out where each block's entries begin.
  __device__ __forceinline__ void put_heads(const Staged& staged) const {
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
      if (there)
        heads_[b] = {static_cast<std::uint32_t>(bitmap), static_cast<std::uint32_t>(bitmap >> 32),
                     static_cast<std::uint32_t>(staged.places[b]) * static_cast<std::uint32_t>(bitmap_side),
                     before + behind - held};
      before += __shfl_sync(whole_warp, behind, warp_size - 1);
    }
    __syncwarp();
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
  T* y_;
  T* partial_;
  BlockHead* heads_;
  char* stages_;
  std::uint64_t policy_ = read_once_policy();
  // Bits of the rows before this lane's in a bitmap.
  std::uint32_t low_before_ = static_cast<std::uint32_t>((std::uint64_t{1} << threadIdx.x % bitmap_side * 8) - 1);
  std::uint32_t high_before_ =
      static_cast<std::uint32_t>(((std::uint64_t{1} << threadIdx.x % bitmap_side * 8) - 1) >> 32);
};

inline constexpr unsigned most_blocks_in_tile = 128;
inline constexpr unsigned block_tile_stages = 2;  // tiles of a warp in shared memory: one in work, others on their way

/// Shared memory: the table of values if it goes there, then each warp's heads and stages.
template <class T, class Blocks, class Values>
__global__ void __launch_bounds__(staged_block_size<Values>, staged_blocks<Values>)
    multiply_block_tiles(const __grid_constant__ Blocks blocks, const __grid_constant__ DeviceBlockTiles tiles,
                         Values values, unsigned table_size, const T* x, T* y, T* partial) {
  extern __shared__ __align__(16) char shared[];
  stage_table<T>(values, table_size, shared);
  constexpr unsigned warps = staged_block_size<Values> / warp_size;
  using Staged = StagedValues<Values>;
  const unsigned warp = threadIdx.x / warp_size;
  const unsigned bytes =
      tiles.most_blocks * static_cast<unsigned>(sizeof(BlockHead)) + block_tile_stages * tiles.stage_bytes;
  BlockTileWork<T, Blocks, Values> work(blocks, tiles, Staged(values, shared), x, y, partial,
                                        shared + Staged::table_bytes + warp * bytes);
  walk_tiles<block_tile_stages>(work, std::uint64_t{blockIdx.x} * warps + warp, std::uint64_t{gridDim.x} * warps,
                                tiles.count);
}

/// Tiles small enough that many warps find room: their latencies hide behind each other. Block rows by a number that
/// the groups of lanes share evenly.
template <class Format>
[[nodiscard]] BlockTileLimits block_tile_limits(const Format& host, unsigned place_bytes) {
  constexpr std::uint64_t most_rows = 8;
  const TileBytes size = staged_tile_bytes(host.values.kind);
  const std::uint64_t bytes = host.blocks * (sizeof(std::uint64_t) + place_bytes) + host.nnz * code_width(host.values);
  const std::uint64_t fit = size.wanted * block_rows_of(host.rows) / std::max<std::uint64_t>(1, bytes);
  return {.bytes = size.most,
          .rows = static_cast<std::uint32_t>(std::bit_floor(std::clamp<std::uint64_t>(fit, 1, most_rows))),
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

/// Blocks that hold fewer entries on average are taken by a lane each.
inline constexpr std::uint64_t few_in_block = 4;

/// The product of blocks that hold few entries each.
template <class T, class Blocks, class Format>
[[nodiscard]] Result<AddingProduct<T>> sparse_blocks_product(const Format& host, const Format& device) {
  const BlockTiling tiling = cut_into_tiles(host, {.bytes = 0xFFFFFFFFu, .rows = 1, .blocks = 256});
  SPRESS_TRY(const std::shared_ptr<BlockTileScratch<T>> scratch, make_scratch<T>(tiling, host.rows));
  AddingProduct<T> out;
  out.kernel = "block row per warp, a lane a block";
  out.multiply = [scratch, blocks = Blocks(device), count = tiling.tiles.size(), rows = host.rows,
                  store = device.values](const T* x, T* y, bool add, Stream stream) -> Status {
    const unsigned grid = blocks_for(count, lanes_block_size / warp_size);
    SPRESS_CHECK((with_device_accessor<T, Status>(store, [&]<class Values>(Values values) {
      return launch(multiply_sparse_blocks<T, Blocks, Values>, grid, lanes_block_size, stream, blocks,
                    scratch->tiles.template as<BlockTile>(), count, rows, add, values, x, y,
                    scratch->long_rows.partials());
    })));
    return scratch->long_rows.finish(nullptr, add, y, stream);
  };
  return out;
}

/// The product of blocks that Blocks describes to the device.
template <class T, class Blocks, class Format>
[[nodiscard]] Result<AddingProduct<T>> block_tiles_product(const Format& host, const Format& device) {
  if (host.nnz < few_in_block * host.blocks) return sparse_blocks_product<T, Blocks>(host, device);
  const BlockTiling tiling = cut_into_tiles(host, block_tile_limits(host, sizeof(typename Blocks::Place)));
  SPRESS_TRY(const std::shared_ptr<BlockTileScratch<T>> scratch, make_scratch<T>(tiling, host.rows));
  const unsigned most_blocks = tiling.largest_blocks;
  const DeviceBlockTiles tiles{scratch->tiles.template as<BlockTile>(),
                               tiling.tiles.size(),
                               host.rows,
                               (tiling.largest_bytes + 6 * copy_step) / copy_step * copy_step,
                               most_blocks,
                               false};
  const Blocks blocks(device);
  const auto table_size = static_cast<unsigned>(host.values.table.size());
  AddingProduct<T> out;
  out.kernel = "tile of block rows per warp, eight lanes a block row";
  SPRESS_CHECK((with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) -> Status {
    constexpr unsigned block_size = staged_block_size<Values>;
    const auto kernel = multiply_block_tiles<T, Blocks, Values>;
    const std::size_t of_warp = most_blocks * sizeof(BlockHead) + std::size_t{block_tile_stages} * tiles.stage_bytes;
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
