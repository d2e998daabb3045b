// The cut of rows into tiles and pieces, which needs no device.
#include "kernels/cuda/csr/row_tiles.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace spress {
namespace {

using cuda::RowTiles;

/// Row pointers of rows of these lengths, from `first` on.
template <class Position>
AnyArray<Owned> row_pointers(std::initializer_list<Position> lengths, Position first = 0) {
  HostArray<Position> out(lengths.size() + 1);
  out[0] = first;
  std::size_t r = 0;
  for (Position length : lengths) {
    out[r + 1] = static_cast<Position>(out[r] + length);
    ++r;
  }
  return AnyArray<Owned>(out);
}

Positions<Viewed> seen(const AnyArray<Owned>& owned) {
  Positions<Viewed> view;
  view.bind(owned.dtype(), owned.raw(), owned.size());
  return view;
}

struct Expected {
  std::uint64_t entry;
  std::uint32_t row;
  unsigned rows, entries;
};

void expect_tiles(const RowTiles& found, std::initializer_list<Expected> expected) {
  ASSERT_EQ(found.tiles.size(), expected.size());
  auto tile = found.tiles.begin();
  for (const Expected& e : expected) {
    SCOPED_TRACE(tile - found.tiles.begin());
    EXPECT_EQ(tile->entry, e.entry);
    EXPECT_EQ(tile->row, e.row);
    EXPECT_EQ(tile->rows, e.rows);
    EXPECT_EQ(tile->entries, e.entries);
    ++tile;
  }
}

TEST(RowTiles, HoldAsManyRowsAsFit) {
  const auto row_ptr = row_pointers<std::uint32_t>({3, 0, 4, 1, 8, 0, 0, 2});
  expect_tiles(cuda::cut_rows(seen(row_ptr), 8, {8, 100}), {{0, 0, 4, 8}, {8, 4, 3, 8}, {16, 7, 1, 2}});
  expect_tiles(cuda::cut_rows(seen(row_ptr), 8, {100, 3}), {{0, 0, 3, 7}, {7, 3, 3, 9}, {16, 6, 2, 2}});
}

TEST(RowTiles, CutLongRowsIntoPieces) {
  const auto row_ptr = row_pointers<std::uint32_t>({1, 9, 2, 12});
  const RowTiles found = cuda::cut_rows(seen(row_ptr), 4, {4, 100});
  // Of a piece, `row` is its number.
  expect_tiles(found, {{0, 0, 1, 1},
                       {1, 0, 0, 4},
                       {5, 1, 0, 4},
                       {9, 2, 0, 1},
                       {10, 2, 1, 2},
                       {12, 3, 0, 4},
                       {16, 4, 0, 4},
                       {20, 5, 0, 4}});
  EXPECT_EQ(found.pieces, 6u);
  ASSERT_EQ(found.split.size(), 2u);
  EXPECT_EQ(found.split[0].row, 1u);
  EXPECT_EQ(found.split[0].first_piece, 0u);
  EXPECT_EQ(found.split[0].pieces, 3u);
  EXPECT_EQ(found.split[1].row, 3u);
  EXPECT_EQ(found.split[1].first_piece, 3u);
  EXPECT_EQ(found.split[1].pieces, 3u);
}

TEST(RowTiles, AreThereForEmptyMatrices) {
  const auto none = row_pointers<std::uint32_t>({}), empty = row_pointers<std::uint32_t>({0, 0, 0});
  EXPECT_TRUE(cuda::cut_rows(seen(none), 0, {8, 8}).tiles.empty());
  expect_tiles(cuda::cut_rows(seen(empty), 3, {8, 2}), {{0, 0, 2, 0}, {0, 2, 1, 0}});
  EXPECT_EQ(cuda::unevenness(cuda::cut_rows(seen(empty), 3, {8, 2}), seen(empty)), 1);
}

TEST(RowTiles, TakePositionsOf64Bits) {
  constexpr std::uint64_t far = std::uint64_t{1} << 33;
  const auto row_ptr = row_pointers<std::uint64_t>({5, 5, 20}, far);
  expect_tiles(cuda::cut_rows(seen(row_ptr), 3, {16, 8}), {{far, 0, 2, 10}, {far + 10, 0, 0, 16}, {far + 26, 1, 0, 4}});
}

TEST(RowTiles, GetAsManyLanesAsThereAreThreads) {
  const auto row_ptr = row_pointers<std::uint32_t>({50, 1, 1, 1, 1, 30, 30, 30, 30, 30, 300});
  RowTiles found = cuda::cut_rows(seen(row_ptr), 11, {100, 4});
  cuda::choose_lanes(found, 16);
  expect_tiles(found,
               {{0, 0, 4, 53}, {53, 4, 4, 91}, {144, 8, 2, 60}, {204, 0, 0, 100}, {304, 1, 0, 100}, {404, 2, 0, 100}});
  const unsigned expected[] = {2, 2, 3, 4, 4, 4};
  for (std::size_t t = 0; t < found.tiles.size(); ++t) EXPECT_EQ(found.tiles[t].log_lanes, expected[t]) << t;
  cuda::choose_lanes(found, 3);
  EXPECT_EQ(found.tiles.front().log_lanes, 0);
  cuda::choose_lanes(found, 1024);
  EXPECT_EQ(found.tiles.back().log_lanes, 5);  // a warp at most
}

TEST(RowTiles, MeasureUnevenness) {
  const auto even = row_pointers<std::uint32_t>({4, 4, 4, 4}), uneven = row_pointers<std::uint32_t>({1, 1, 1, 5});
  EXPECT_EQ(cuda::unevenness(cuda::cut_rows(seen(even), 4, {16, 4}), seen(even)), 1);
  EXPECT_EQ(cuda::unevenness(cuda::cut_rows(seen(uneven), 4, {16, 4}), seen(uneven)), 20.0 / 8);
}

}  // namespace
}  // namespace spress
