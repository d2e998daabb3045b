// How the rows of an optimized CSR are dealt out to warps: tiles of neighbouring rows, and pieces of long rows.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/csr/opt_csr.hpp"

namespace spress::cuda {

/// Neighbouring stored rows of one section, or a piece of a long row: what a warp works on at a time.
struct Tile {
  std::uint64_t entry = 0;         ///< the first
  std::uint32_t row = 0;           ///< the first stored row, or the place in the list of pieces
  std::uint16_t entries = 0;       ///< all
  std::uint8_t rows = 0;           ///< 1 to 32; 0 for a piece
  std::uint8_t section : 2 = 0;    ///< whose codes these are
  std::uint8_t log_lanes : 6 = 0;  ///< 2^log_lanes lanes share a row
};
static_assert(sizeof(Tile) == 16);

/// A piece of a long row. The column of its first entry is base + code, modulo 2^32, where codes are gaps; base is the
/// row where they are distances to the diagonal.
struct RowPiece {
  std::uint32_t base = 0;
};

/// A stored row that was cut into `pieces` pieces from first_piece on.
struct LongRow {
  std::uint64_t first_piece = 0;
  std::uint32_t row = 0, pieces = 0;
};

struct TileLimits {
  std::uint32_t bytes = 0;  ///< of codes and values; at least 64
  std::uint32_t rows = 32;  ///< 1 to 32
};

struct Tiling {
  std::vector<Tile> tiles;  ///< pieces first: they take longest
  std::vector<RowPiece> pieces;
  std::vector<LongRow> long_rows;
  std::uint32_t largest_bytes = 0;  ///< of codes and values of one tile
  std::uint64_t lane_steps = 0;     ///< entries if all rows of a tile were as long as its longest
};

/// Cuts a matrix in host memory; rows that alone need more bytes than a tile may have are cut into pieces. Rows of very
/// different lengths do not share a tile, since its lanes wait for the longest. Requires: validate(a) holds. Cost: one
/// pass over the row pointers and over the codes of long rows.
[[nodiscard]] Tiling cut_into_tiles(const OptCsr<Viewed>& a, const TileLimits& most);

}  // namespace spress::cuda
