// The product of 8x8 bitmap blocks: by tiles of block rows, which warps bring in ahead of the work.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/bitmap/bitmap_blocks.hpp"
#include "kernels/cuda/bitmap/bitmap_entries.cuh"
#include "kernels/cuda/bitmap/bitmap_rows.cuh"
#include "kernels/cuda/bitmap/bitmap_tiles.hpp"
#include "kernels/cuda/bitmap/bmsparse_csr.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/partial_sums.cuh"
#include "kernels/cuda/shared/staging.cuh"

namespace spress::cuda {

inline constexpr unsigned most_blocks_in_tile = 128;
inline constexpr unsigned block_tile_stages = 2;  // tiles of a warp in shared memory: one in work, others on their way

/// Shared memory: the table of values if it goes there, then each warp's notes and stages.
template <template <class, class, class> class Work, class T, class Blocks, class Values>
__global__ void __launch_bounds__(staged_block_size<Values>, staged_blocks<Values>)
    multiply_block_tiles(const __grid_constant__ Blocks blocks, const __grid_constant__ DeviceBlockTiles tiles,
                         Values values, unsigned table_size, const T* x, T* y, T* partial) {
  extern __shared__ __align__(16) char shared[];
  stage_table<T>(values, table_size, shared);
  constexpr unsigned warps = staged_block_size<Values> / warp_size;
  using Staged = StagedValues<Values>;
  const unsigned warp = threadIdx.x / warp_size;
  const unsigned bytes = tiles.notes_bytes + block_tile_stages * tiles.stage_bytes;
  Work<T, Blocks, Values> work(blocks, tiles, Staged(values, shared), x, y, partial,
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

/// The product by one way of working on tiles, of which out.kernel tells.
template <template <class, class, class> class Work, class T, class Blocks, class Format>
[[nodiscard]] Result<AddingProduct<T>> block_tiles_product(const Format& host, const Format& device,
                                                           const BlockTileLimits& most, const char* kernel_name) {
  const BlockTiling tiling = cut_into_tiles(host, most);
  SPRESS_TRY(const std::shared_ptr<BlockTileScratch<T>> scratch, make_scratch<T>(tiling, host.rows));
  AddingProduct<T> out;
  out.kernel = kernel_name;
  SPRESS_CHECK((with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) -> Status {
    using Working = Work<T, Blocks, Values>;
    const unsigned notes = Working::notes_bytes(tiling.largest_blocks, tiling.largest_entries);
    DeviceBlockTiles tiles{scratch->tiles.template as<BlockTile>(),
                           tiling.tiles.size(),
                           host.rows,
                           (tiling.largest_bytes + 6 * copy_step) / copy_step * copy_step,
                           (notes + copy_step - 1) / copy_step * copy_step,
                           tiling.largest_blocks,
                           false};
    constexpr unsigned block_size = staged_block_size<Values>;
    const auto kernel = multiply_block_tiles<Work, T, Blocks, Values>;
    const std::size_t of_warp = tiles.notes_bytes + std::size_t{block_tile_stages} * tiles.stage_bytes;
    const std::size_t shared = StagedValues<Values>::table_bytes + block_size / warp_size * of_warp;
    SPRESS_TRY(const auto grid, fill_device(kernel, block_size, shared, tiles.count));
    out.multiply = [=, blocks = Blocks(device), table_size = static_cast<unsigned>(host.values.table.size())](
                       const T* x, T* y, bool add, Stream stream) -> Status {
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

/// The product of blocks that Blocks describes to the device.
template <class T, class Blocks, class Format>
[[nodiscard]] Result<AddingProduct<T>> blocks_product(const Format& host, const Format& device) {
  constexpr std::uint64_t full_block = 4;  // entries on average
  BlockTileLimits most = block_tile_limits(host, sizeof(typename Blocks::Place));
  if (host.nnz >= full_block * host.blocks)
    return block_tiles_product<BlocksByRows, T, Blocks>(host, device, most,
                                                        "tile of block rows per warp, eight lanes a block row");
  most.by_entries = true;
  return block_tiles_product<BlocksByEntries, T, Blocks>(host, device, most,
                                                         "tile of block rows per warp, entry by entry");
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
