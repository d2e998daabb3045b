// The cut of an optimized CSR into tiles and pieces, which needs no device.
#include "kernels/cuda/csr/opt_csr_tiles.hpp"

#include <gtest/gtest.h>

#include "encode/shared/codec.hpp"
#include "formats/csr/opt_csr_columns.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using cuda::Tile;
using cuda::Tiling;

/// Short rows, empty ones, and rows of thousands of entries, in all three sections.
Csr<Owned> mixed_rows() {
  tests::Scenario s;
  s.rows = 300, s.cols = 200000;
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    if (r % 11 == 4) continue;
    const std::uint32_t step = r == 17 ? 3 : r == 40 ? 90 : r == 41 ? 300 : 4000 + 100 * r;
    for (std::uint32_t c = r % 3 == 0 ? 0 : r; c < s.cols; c += step) {
      s.entries.emplace_back(r, c);
      if (s.entries.size() > 10 && r % 7 == 0 && r != 17) break;
    }
  }
  return tests::make_csr(s);
}

std::uint32_t code_at(const OptCsr<Viewed>& a, unsigned section, std::uint64_t k) {
  k -= a.row_ptr.position(a.section_start.position(section));
  return section == 0 ? a.col8[k] : section == 1 ? a.col16[k] : a.col32[k];
}

std::int64_t sign_extended(std::uint32_t code, unsigned section) {
  const unsigned unused = 32 - (8u << section);
  return static_cast<std::int32_t>(code << unused) >> unused;
}

std::vector<std::uint32_t> columns_of(const OptCsr<Viewed>& a) {
  std::vector<std::uint32_t> columns;
  for_each_column(a, [&](std::int64_t, std::int64_t column, std::int64_t) {
    columns.push_back(static_cast<std::uint32_t>(column));
    return true;
  });
  return columns;
}

/// A piece's columns follow from its base and its codes alone.
void check_columns(const OptCsr<Viewed>& a, const Tile& tile, std::uint32_t base,
                   const std::vector<std::uint32_t>& columns) {
  for (std::uint64_t k = tile.entry; k < tile.entry + tile.entries; ++k) {
    const std::uint32_t code = code_at(a, tile.section, k);
    const bool distances = a.index == IndexMode::diagonal;
    const auto column = static_cast<std::uint32_t>(base + (distances ? sign_extended(code, tile.section) : code));
    ASSERT_EQ(column, columns[k]);
    if (!distances) base = column;
  }
}

/// Pieces in order, then tiles of rows in order, hold every entry and every row once.
void check_tiling(const OptCsr<Viewed>& a, const cuda::TileLimits& most) {
  const Tiling cut = cuda::cut_into_tiles(a, most);
  const auto columns = columns_of(a);
  std::vector<int> row_seen(a.rows), entry_seen(a.nnz);
  std::uint64_t pieces = 0;
  for (const Tile& tile : cut.tiles) {
    const std::uint64_t size = tile.entries * ((std::uint64_t{1} << tile.section) + code_width(a.values));
    EXPECT_LE(size, most.bytes);
    EXPECT_LE(size, cut.largest_bytes);
    for (std::uint64_t k = tile.entry; k < tile.entry + tile.entries; ++k) ++entry_seen[k];
    if (tile.rows == 0) {
      ASSERT_EQ(tile.row, pieces++) << "pieces stand first, in order";
      EXPECT_EQ(tile.log_lanes, 5);
      check_columns(a, tile, cut.pieces[tile.row].base, columns);
      continue;
    }
    EXPECT_LE(tile.rows, most.rows);
    EXPECT_LE(tile.rows << tile.log_lanes, 32);
    EXPECT_GT(tile.rows << (tile.log_lanes + 1), 32);
    EXPECT_EQ(a.row_ptr.position(tile.row), tile.entry);
    EXPECT_EQ(a.row_ptr.position(tile.row + tile.rows), tile.entry + tile.entries);
    EXPECT_GE(tile.row, a.section_start.position(tile.section));
    EXPECT_LE(tile.row + tile.rows, a.section_start.position(tile.section + 1u));
    for (std::uint64_t i = tile.row; i < tile.row + std::uint64_t{tile.rows}; ++i) ++row_seen[i];
  }
  EXPECT_EQ(pieces, cut.pieces.size());
  for (const cuda::LongRow& row : cut.long_rows) {
    ++row_seen[row.row];
    const Tile &first = cut.tiles[row.first_piece], &last = cut.tiles[row.first_piece + row.pieces - 1];
    EXPECT_EQ(first.entry, a.row_ptr.position(row.row));
    EXPECT_EQ(last.entry + last.entries, a.row_ptr.position(row.row + 1));
    EXPECT_GT(row.pieces, 1u);
  }
  EXPECT_TRUE(std::all_of(row_seen.begin(), row_seen.end(), [](int n) { return n == 1; }));
  EXPECT_TRUE(std::all_of(entry_seen.begin(), entry_seen.end(), [](int n) { return n == 1; }));
}

TEST(OptCsrTiles, HoldEveryRowAndEntryOnceAndPiecesKnowTheirColumns) {
  const auto a = mixed_rows();
  for (IndexMode mode : {IndexMode::delta, IndexMode::anchored, IndexMode::diagonal}) {
    const auto encoded = encode<OptCsr>(view_of(a), {.index = mode});
    ASSERT_TRUE(encoded.ok());
    const auto view = view_of(*encoded);
    ASSERT_FALSE(view.col16.empty());
    for (const cuda::TileLimits& most : {cuda::TileLimits{64, 32}, {1000, 32}, {9000, 4}, {9000, 32}})
      check_tiling(view, most);
  }
}

TEST(OptCsrTiles, RowsOfOneLengthFillTheWarp) {
  tests::Scenario s;
  s.rows = 100, s.cols = 100;
  s.entries = tests::dense(100, 5);
  const auto a = tests::make_csr(s);
  const auto encoded = encode<OptCsr>(view_of(a), {.index = IndexMode::delta});
  ASSERT_TRUE(encoded.ok());
  const auto cut = cuda::cut_into_tiles(view_of(*encoded), {.bytes = 9000});
  ASSERT_EQ(cut.tiles.size(), 4u);
  EXPECT_EQ(cut.tiles[0].rows, 32);
  EXPECT_EQ(cut.tiles[3].rows, 4);
  EXPECT_EQ(cut.tiles[3].log_lanes, 3);
  EXPECT_EQ(cut.largest_bytes, 32u * 5 * 9);
  EXPECT_EQ(cut.lane_steps, a.nnz);
}

TEST(OptCsrTiles, TellHowLongLanesWait) {
  const auto a = tests::make_csr({"", 4, 9, {{0, 0}, {1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {3, 2}}, {}});
  const auto encoded = encode<OptCsr>(view_of(a), {.index = IndexMode::delta});
  ASSERT_TRUE(encoded.ok());
  const auto cut = cuda::cut_into_tiles(view_of(*encoded), {.bytes = 9000});
  ASSERT_EQ(cut.tiles.size(), 1u);
  EXPECT_EQ(cut.lane_steps, 4u * 5);
}

TEST(OptCsrTiles, NoRowsNoTiles) {
  const auto encoded = encode<OptCsr>(view_of(tests::make_csr({"0x9", 0, 9, {}, {}})), {});
  ASSERT_TRUE(encoded.ok());
  EXPECT_TRUE(cuda::cut_into_tiles(view_of(*encoded), {.bytes = 9000}).tiles.empty());
}

}  // namespace
}  // namespace spress
