#include "kernels/cuda/csr/row_tiles.hpp"

#include <algorithm>

namespace spress::cuda {
namespace {

/// Appends the pieces of a row with entries [at, end).
void cut_row(std::uint32_t row, std::uint64_t at, std::uint64_t end, std::uint64_t most, RowTiles& out) {
  SplitRow split = {row, out.pieces, 0};
  for (; at < end; at += most, ++split.pieces) {
    RowTile piece;
    piece.entry = at;
    piece.row = out.pieces++;
    piece.entries = static_cast<std::uint16_t>(std::min(most, end - at));
    out.tiles.push_back(piece);
  }
  out.split.push_back(split);
}

template <class Position>
RowTiles cut(const Position* row_ptr, std::uint64_t rows, const RowTileLimits& most) {
  RowTiles out;
  for (std::uint64_t row = 0; row < rows;) {
    const std::uint64_t entry = row_ptr[row], end = std::min<std::uint64_t>(rows, row + most.rows);
    const Position* behind = std::upper_bound(row_ptr + row + 1, row_ptr + end + 1, entry + most.entries,
                                              [](std::uint64_t a, std::uint64_t b) { return a < b; });
    const auto next = static_cast<std::uint64_t>(behind - row_ptr) - 1;
    if (next == row) {
      cut_row(static_cast<std::uint32_t>(row), entry, row_ptr[row + 1], most.entries, out);
      ++row;
      continue;
    }
    RowTile tile;
    tile.entry = entry;
    tile.row = static_cast<std::uint32_t>(row);
    tile.rows = static_cast<std::uint16_t>((next - row) & 0xFFF);
    tile.entries = static_cast<std::uint16_t>(row_ptr[next] - entry);
    out.tiles.push_back(tile);
    row = next;
  }
  return out;
}

/// Entries of the longest row of a tile.
template <class Position>
std::uint64_t longest_row(const RowTile& tile, const Position* row_ptr) {
  if (tile.rows == 0) return tile.entries;
  std::uint64_t longest = 0;
  for (std::uint64_t r = tile.row; r < std::uint64_t{tile.row} + tile.rows; ++r)
    longest = std::max<std::uint64_t>(longest, row_ptr[r + 1] - row_ptr[r]);
  return longest;
}

template <class Position>
double unevenness_of(const std::vector<RowTile>& tiles, const Position* row_ptr) {
  constexpr std::size_t samples = 1024;
  const std::size_t step = std::max<std::size_t>(1, tiles.size() / samples);
  double entries = 0, filled = 0;
  for (std::size_t t = 0; t < tiles.size(); t += step) {
    if (tiles[t].rows == 0) continue;
    filled += static_cast<double>(longest_row(tiles[t], row_ptr) * tiles[t].rows);
    entries += tiles[t].entries;
  }
  return entries == 0 ? 1 : filled / entries;
}

}  // namespace

RowTiles cut_rows(const Positions<Viewed>& row_ptr, std::uint64_t rows, const RowTileLimits& most) {
  return with_positions(row_ptr, [&](const auto* at) { return cut(at, rows, most); });
}

void choose_lanes(RowTiles& all, unsigned threads) {
  for (RowTile& tile : all.tiles) {
    unsigned log_lanes = 0;
    while (log_lanes < 5 && (std::max<unsigned>(tile.rows, 1) << (log_lanes + 1)) <= threads) ++log_lanes;
    tile.log_lanes = static_cast<std::uint16_t>(log_lanes & 0xF);
  }
}

double unevenness(const RowTiles& all, const Positions<Viewed>& row_ptr) {
  return with_positions(row_ptr, [&](const auto* at) { return unevenness_of(all.tiles, at); });
}

}  // namespace spress::cuda
