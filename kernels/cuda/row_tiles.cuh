// Rows dealt to blocks in tiles: neighbouring rows that hold at most so many entries together, so that a block brings
// a consecutive stretch of the matrix in, however long its rows are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/joints.cuh"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {

/// What one block works off. A row longer than a tile is cut into pieces, each a tile of its own.
struct alignas(16) RowTile {
  std::uint64_t entry = 0;          // the first
  std::uint32_t row = 0;            // the first; of a piece its number among all pieces
  std::uint16_t rows : 12 = 0;      // 0: a piece of one row
  std::uint16_t log_lanes : 4 = 0;  // 2^log_lanes lanes share a row, where lanes go by rows
  std::uint16_t entries = 0;        // of all rows
};

/// The most that a tile may hold: 1 to 65535 entries, 1 to 4095 rows.
struct TileLimits {
  std::uint32_t entries = 2048;
  std::uint32_t rows = 2048;
};

/// The tiles of a matrix, in order, on the host.
struct RowTiles {
  std::vector<RowTile> tiles;
  std::vector<Joint> split;  // rows in pieces
  std::uint32_t pieces = 0;  // of all of them
};

/// Cuts rows [0, rows) into tiles, empty rows included.
/// row_ptr: rows + 1, on the host. Complexity: a binary search per tile.
template <class Position>
[[nodiscard]] RowTiles cut_rows(const Position* row_ptr, std::uint64_t rows, const TileLimits& most) {
  RowTiles out;
  for (std::uint64_t row = 0; row < rows;) {
    const std::uint64_t entry = row_ptr[row], end = std::min<std::uint64_t>(rows, row + most.rows);
    const Position* behind = std::upper_bound(row_ptr + row + 1, row_ptr + end + 1, entry + most.entries,
                                              [](std::uint64_t a, std::uint64_t b) { return a < b; });
    const auto next = static_cast<std::uint64_t>(behind - row_ptr) - 1;
    if (next > row) {
      RowTile tile = {entry, static_cast<std::uint32_t>(row)};
      tile.rows = static_cast<std::uint16_t>(next - row);
      tile.entries = static_cast<std::uint16_t>(row_ptr[next] - entry);
      out.tiles.push_back(tile);
      row = next;
      continue;
    }
    Joint joint;
    joint.first_piece = out.pieces;
    joint.first_row = static_cast<std::uint32_t>(row);
    for (std::uint64_t at = entry; at < row_ptr[row + 1]; at += most.entries, ++joint.pieces) {
      RowTile piece = {at, out.pieces++};
      piece.entries = static_cast<std::uint16_t>(std::min<std::uint64_t>(most.entries, row_ptr[row + 1] - at));
      out.tiles.push_back(piece);
    }
    out.split.push_back(joint);
    ++row;
  }
  return out;
}

/// Entries of the longest row of a tile.
template <class Position>
[[nodiscard]] std::uint64_t longest_row(const RowTile& tile, const Position* row_ptr) {
  if (tile.rows == 0) return tile.entries;
  std::uint64_t longest = 0;
  for (const Position* at = row_ptr + tile.row; at != row_ptr + tile.row + tile.rows; ++at)
    longest = std::max<std::uint64_t>(longest, at[1] - at[0]);
  return longest;
}

/// Gives the rows of each tile as few lanes as have at most `entries_each` entries of its longest row, a warp at most.
template <class Position>
void choose_lanes(RowTiles& all, const Position* row_ptr, std::uint64_t entries_each) {
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < all.tiles.size(); ++t) {
    RowTile& tile = all.tiles[t];
    const std::uint64_t longest = longest_row(tile, row_ptr);
    std::uint16_t log_lanes = 0;
    while (log_lanes < 5 && longest > entries_each << log_lanes) ++log_lanes;
    tile.log_lanes = log_lanes;
  }
}

/// How far the longest row of a tile stands above its others: the entries there would be if all rows of a tile were as
/// long as the longest, over those there are, from a sample of the tiles.
template <class Position>
[[nodiscard]] double unevenness(const RowTiles& all, const Position* row_ptr) {
  constexpr std::size_t samples = 1024;
  const std::size_t step = std::max<std::size_t>(1, all.tiles.size() / samples);
  double entries = 0, filled = 0;
  for (std::size_t t = 0; t < all.tiles.size(); t += step) {
    const RowTile& tile = all.tiles[t];
    if (tile.rows == 0) continue;
    filled += static_cast<double>(longest_row(tile, row_ptr) * tile.rows);
    entries += tile.entries;
  }
  return entries == 0 ? 1 : filled / entries;
}

/// Tiles on the device, and what finishes the rows that were cut into pieces.
template <class T>
class DeviceRowTiles {
 public:
  DeviceRowTiles() = default;

  /// Errors: as allocate and copy_to_device.
  [[nodiscard]] static Result<DeviceRowTiles> make(const RowTiles& host) {
    DeviceRowTiles out;
    SPRESS_TRY(DeviceMemory tiles, upload(std::span<const RowTile>(host.tiles), "the list of tiles"));
    out.tiles_ = std::make_shared<DeviceMemory>(std::move(tiles));
    out.count_ = host.tiles.size();
    SPRESS_TRY(out.joints_, Joints<T>::make(host.split, host.pieces, 1));
    return out;
  }

  /// One block a tile. Every tile but the last holds, with the next one, more than the limits allow one: there are
  /// fewer than a grid may have.
  [[nodiscard]] unsigned blocks() const { return static_cast<unsigned>(count_); }
  [[nodiscard]] const RowTile* data() const { return tiles_->template as<RowTile>(); }
  [[nodiscard]] T* partials() const { return joints_.partials(); }
  /// Launches what comes behind the kernel that works off the tiles.
  [[nodiscard]] Status finish(T* y, Stream stream) const { return joints_.finish(nullptr, false, y, stream); }

 private:
  std::uint64_t count_ = 0;
  std::shared_ptr<DeviceMemory> tiles_;  // shared by the copies of a product
  Joints<T> joints_;
};

/// The tile of this block.
__device__ __forceinline__ RowTile this_tile(const RowTile* tiles) {
  const uint4 bits = load_shared(reinterpret_cast<const uint4*>(tiles + blockIdx.x));
  RowTile tile;
  std::memcpy(&tile, &bits, sizeof tile);
  return tile;
}

/// Entries [begin, end) of a tile, counted from its first.
struct EntryRange {
  unsigned begin = 0, end = 0;
};

/// Rows that a tile has sums for: one for a piece.
__device__ __forceinline__ unsigned sums_of(const RowTile& tile) { return tile.rows == 0 ? 1u : tile.rows; }

/// The entries of row r of a tile; none behind its last row.
__device__ __forceinline__ EntryRange entries_of(const RowTile& tile, const DevicePositions& row_ptr, unsigned r) {
  if (tile.rows == 0) return {0, r == 0 ? tile.entries : 0u};
  if (r >= tile.rows) return {};
  const std::uint64_t row = std::uint64_t{tile.row} + r;
  return {static_cast<unsigned>(row_ptr[row] - tile.entry), static_cast<unsigned>(row_ptr[row + 1] - tile.entry)};
}

/// Where the sum of row r of a tile goes.
template <class T>
__device__ __forceinline__ T* sum_of(const RowTile& tile, unsigned r, T* y, T* partials) {
  return tile.rows == 0 ? partials + tile.row : y + tile.row + r;
}

}  // namespace spress::cuda
