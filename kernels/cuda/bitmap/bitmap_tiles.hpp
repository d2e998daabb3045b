// How 8x8 bitmap blocks are dealt out to warps: tiles of neighbouring block rows, and pieces of long ones.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/bitmap/bmsparse.hpp"
#include "formats/bitmap/bmsparse_csr.hpp"

namespace spress::cuda {

/// Neighbouring block rows, those without blocks included, or a piece of a long one: what a warp works on at a time.
struct BlockTile {
  std::uint64_t block = 0;    ///< the first
  std::uint64_t entry = 0;    ///< the first
  std::uint32_t row = 0;      ///< the first block row, or the place in the list of pieces
  std::uint32_t rows = 0;     ///< block rows; 0 for a piece
  std::uint32_t blocks = 0;   ///< all
  std::uint32_t entries = 0;  ///< all
};
static_assert(sizeof(BlockTile) == 32);

/// A block row that was cut into `pieces` pieces from first_piece on.
struct LongBlockRow {
  std::uint64_t first_piece = 0;
  std::uint32_t row = 0, pieces = 0;
};

struct BlockTileLimits {
  std::uint32_t bytes = 0;  ///< of bitmaps, places and values; by entries, two more for each of them
  std::uint32_t rows = 31;  ///< block rows
  std::uint32_t blocks = 128;
  bool by_entries = false;  ///< else block rows of very different lengths do not share a tile
};

struct BlockTiling {
  std::vector<BlockTile> tiles;  ///< pieces first: they take longest
  std::vector<LongBlockRow> long_rows;
  std::uint64_t pieces = 0;
  /// Of one tile: bytes of bitmaps, places and values.
  std::uint32_t largest_bytes = 0, largest_blocks = 0, largest_entries = 0;
};

/// Cuts a matrix in host memory. Requires: validate(a) holds; most.bytes holds a full block, and entries of a tile are
/// then fewer than 2^16.
[[nodiscard]] BlockTiling cut_into_tiles(const BmSparse<Viewed>& a, const BlockTileLimits& most);
[[nodiscard]] BlockTiling cut_into_tiles(const BmSparseCsr<Viewed>& a, const BlockTileLimits& most);

}  // namespace spress::cuda
