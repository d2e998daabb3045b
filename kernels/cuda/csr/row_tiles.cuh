// Tiles of rows on the device.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/csr/row_tiles.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/partial_sums.cuh"

namespace spress::cuda {

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
    std::vector<Joint> joints;
    for (const SplitRow& split : host.split) {
      Joint joint;
      joint.first_row = split.row;
      joint.first_piece = split.first_piece;
      joint.pieces = split.pieces;
      joints.push_back(joint);
    }
    SPRESS_TRY(out.joints_, Joints<T>::make(joints, host.pieces, 1));
    return out;
  }

  /// One block a tile: there are fewer than a grid may have, see cut_rows.
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
