// Rows dealt to blocks in tiles: neighbouring rows that hold at most so many entries together, so that a block brings
// a consecutive stretch of the matrix in, however long its rows are.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/array.hpp"

namespace spress::cuda {

/// What one block works off. A row longer than a tile is cut into pieces, each a tile of its own.
struct alignas(16) RowTile {
  std::uint64_t entry = 0;          ///< the first
  std::uint32_t row = 0;            ///< the first; of a piece its number among all pieces
  std::uint16_t rows : 12 = 0;      ///< 0: a piece of one row
  std::uint16_t log_lanes : 4 = 0;  ///< 2^log_lanes lanes share a row, where lanes go by rows
  std::uint16_t entries = 0;        ///< of all rows
};
static_assert(sizeof(RowTile) == 16);

/// The most that a tile may hold: 1 to 65535 entries, 1 to 4095 rows.
struct RowTileLimits {
  std::uint32_t entries = 0;
  std::uint32_t rows = 0;
};

/// A row that was cut into `pieces` pieces from first_piece on.
struct SplitRow {
  std::uint32_t row = 0, first_piece = 0, pieces = 0;
};

/// The tiles of a matrix, in order.
struct RowTiles {
  std::vector<RowTile> tiles;
  std::vector<SplitRow> split;
  std::uint32_t pieces = 0;  ///< of all split rows
};

/// Cuts rows [0, rows) into tiles, empty rows included. A tile but the last holds, with the next, more than the limits
/// allow one, or has a piece for a neighbour. row_ptr: rows + 1, in host memory. Cost: a binary search per tile.
[[nodiscard]] RowTiles cut_rows(const Positions<Viewed>& row_ptr, std::uint64_t rows, const RowTileLimits& most);

/// Gives the rows of each tile as many lanes as leave none of a block of `threads` idle, one to a warp.
void choose_lanes(RowTiles& all, unsigned threads);

/// How far the longest row of a tile stands above its others: the entries there would be if all rows of a tile were as
/// long as the longest, over those there are, from a sample of the tiles.
[[nodiscard]] double unevenness(const RowTiles& all, const Positions<Viewed>& row_ptr);

}  // namespace spress::cuda
