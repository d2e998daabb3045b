// The cut of bitmap blocks into tiles and pieces, which needs no device.
#include "kernels/cuda/bitmap/bitmap_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "encode/shared/codec.hpp"
#include "formats/bitmap/bitmap_blocks.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using cuda::BlockTile;
using cuda::BlockTileLimits;

/// Block rows of few blocks, of none, and one of hundreds; the last is not of eight rows.
Csr<Owned> mixed_rows() {
  tests::Scenario s;
  s.rows = 501, s.cols = 5000;
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    if (r / 8 % 5 == 2) continue;
    const std::uint32_t step = r == 120 ? 3 : 500 + r;
    for (std::uint32_t c = r % 3; c < s.cols; c += step) s.entries.emplace_back(r, c);
  }
  return tests::make_csr(s);
}

/// Pieces in order, then tiles in order, hold every block and every block row once.
template <class Format>
void check_tiling(const Format& a, std::uint64_t place_bytes, const BlockTileLimits& most) {
  const auto cut = cuda::cut_into_tiles(a, most);
  std::vector<int> row_seen(block_rows_of(a.rows)), block_seen(a.blocks);
  std::uint64_t pieces = 0;
  for (const BlockTile& tile : cut.tiles) {
    const std::uint64_t bytes = tile.blocks * (8 + place_bytes) + tile.entries * code_width(a.values);
    EXPECT_LE(bytes, most.bytes);
    EXPECT_LE(bytes, cut.largest_bytes);
    EXPECT_LE(tile.rows, most.rows);
    EXPECT_LE(tile.blocks, most.blocks);
    EXPECT_LE(tile.blocks, cut.largest_blocks);
    EXPECT_EQ(tile.entry, a.offsets.position(tile.block));
    EXPECT_EQ(tile.entry + tile.entries, a.offsets.position(tile.block + tile.blocks));
    for (std::uint64_t b = tile.block; b < tile.block + tile.blocks; ++b) ++block_seen[b];
    if (tile.rows == 0) {
      ASSERT_EQ(tile.row, pieces++) << "pieces stand first, in order";
    }
    for (std::uint64_t r = tile.row; r < std::uint64_t{tile.row} + tile.rows; ++r) ++row_seen[r];
  }
  EXPECT_EQ(pieces, cut.pieces);
  for (const auto& row : cut.long_rows) {
    ++row_seen[row.row];
    for (std::uint64_t p = row.first_piece + 1; p < row.first_piece + row.pieces; ++p)
      EXPECT_EQ(cut.tiles[p].block, cut.tiles[p - 1].block + cut.tiles[p - 1].blocks);
  }
  EXPECT_TRUE(std::all_of(row_seen.begin(), row_seen.end(), [](int n) { return n == 1; }));
  EXPECT_TRUE(std::all_of(block_seen.begin(), block_seen.end(), [](int n) { return n == 1; }));
}

const std::vector<BlockTileLimits> limits = {{.bytes = 700, .rows = 4, .blocks = 128},
                                             {.bytes = 9000, .rows = 16, .blocks = 32},
                                             {.bytes = 9000, .rows = 31, .blocks = 128}};

TEST(BitmapTiles, HoldEveryBlockRowAndBlockOnce) {
  const auto a = mixed_rows();
  const auto keyed = encode<BmSparse>(view_of(a), {});
  const auto pointed = encode<BmSparseCsr>(view_of(a), {});
  ASSERT_TRUE(keyed.ok() && pointed.ok());
  for (const auto& most : limits) {
    check_tiling(view_of(*keyed), 8, most);
    check_tiling(view_of(*pointed), 4, most);
  }
}

TEST(BitmapTiles, PiecesAreLongRowsOnly) {
  const auto pointed = encode<BmSparseCsr>(view_of(mixed_rows()), {});
  ASSERT_TRUE(pointed.ok());
  const auto cut = cuda::cut_into_tiles(view_of(*pointed), {.bytes = 9000, .rows = 31, .blocks = 128});
  ASSERT_EQ(cut.long_rows.size(), 1u);
  EXPECT_EQ(cut.long_rows[0].row, 15u);    // of row 120
  EXPECT_EQ(cut.long_rows[0].pieces, 5u);  // 5000 / 8 blocks
  for (std::size_t t = cut.pieces; t < cut.tiles.size(); ++t) EXPECT_GT(cut.tiles[t].rows, 0u);
}

TEST(BitmapTiles, AMatrixWithoutEntriesHasRowsOnly) {
  const auto keyed = encode<BmSparse>(view_of(tests::make_csr({"empty", 100, 9, {}, {}})), {});
  ASSERT_TRUE(keyed.ok());
  const auto cut = cuda::cut_into_tiles(view_of(*keyed), {.bytes = 9000, .rows = 10, .blocks = 128});
  ASSERT_EQ(cut.tiles.size(), 2u);
  EXPECT_EQ(cut.tiles[0].rows, 10u);
  EXPECT_EQ(cut.tiles[1].rows, 3u);
}

}  // namespace
}  // namespace spress
