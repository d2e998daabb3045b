// How rows are dealt out for the direct way, which needs no device.
#include "kernels/cuda/csr/direct_rows.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace spress {
namespace {

using cuda::DirectRows;

constexpr std::uint64_t threads = 100'000;

template <class Position = std::uint32_t>
DirectRows deal(const std::vector<Position>& lengths, std::uint64_t for_threads = threads) {
  HostArray<Position> row_ptr(lengths.size() + 1);
  row_ptr[0] = 0;
  for (std::size_t r = 0; r < lengths.size(); ++r) row_ptr[r + 1] = row_ptr[r] + lengths[r];
  const AnyArray<Owned> owned(row_ptr);
  Positions<Viewed> seen;
  seen.bind(owned.dtype(), owned.raw(), owned.size());
  return cuda::deal_directly(seen, lengths.size(), for_threads);
}
std::vector<std::uint32_t> equal(std::size_t rows, std::uint32_t length) {
  return std::vector<std::uint32_t>(rows, length);
}

TEST(DirectRows, ARowHasAsManyLanesAsEntriesInTheMean) {
  const std::vector<std::pair<std::uint32_t, unsigned>> expected = {{0, 0}, {1, 0}, {2, 1},  {3, 2},  {4, 2},
                                                                    {5, 3}, {9, 4}, {17, 5}, {33, 5}, {900, 5}};
  for (const auto& [length, log_lanes] : expected) {
    EXPECT_EQ(deal(equal(100, length)).log_lanes, log_lanes) << length;
    EXPECT_EQ(deal(equal(100, length)).most_by_lanes, 4u << log_lanes);
  }
}

TEST(DirectRows, LanesOfAllRowsKeepToTheThreadsUnlessTheyHaveMoreThanABatchThen) {
  EXPECT_EQ(deal(equal(100, 16), 1600).log_lanes, 4u);
  EXPECT_EQ(deal(equal(100, 16), 1599).log_lanes, 3u);
  EXPECT_EQ(deal(equal(100, 16), 400).log_lanes, 2u);
  EXPECT_EQ(deal(equal(100, 16), 1).log_lanes, 2u);
  EXPECT_EQ(deal(equal(100, 17), 1).log_lanes, 3u);
  EXPECT_EQ(deal(equal(100, 4), 1).log_lanes, 0u);
}

TEST(DirectRows, LongRowsGoToWarpsAndBlocks) {
  std::vector<std::uint32_t> lengths = equal(1000, 1);
  lengths[3] = 16;
  lengths[5] = 17;
  lengths[10] = 128;
  lengths[11] = 129;
  lengths[999] = 2048;
  const DirectRows found = deal(lengths);
  EXPECT_EQ(found.most_by_lanes, 16u);  // 3.3 entries a row
  EXPECT_EQ(found.by_warp, (std::vector<std::uint32_t>{5, 10}));
  ASSERT_EQ(found.by_block.size(), 2u);
  EXPECT_EQ(found.by_block[0].row, 11u);
  EXPECT_EQ(found.by_block[0].entry, 8 + 16 + 17 + 128u);
  EXPECT_EQ(found.by_block[0].entries, 129u);
  EXPECT_EQ(found.by_block[0].pieces, 1u);
  EXPECT_EQ(found.by_block[1].row, 999u);
  EXPECT_EQ(found.by_block[1].entries, 2048u);
  EXPECT_EQ(found.split_rows, 0u);
}

TEST(DirectRows, LanesTakeTwoBatchesWhereWarpsWouldBeTooMany) {
  std::vector<std::uint32_t> lengths = equal(1000, 2);
  for (std::size_t r = 0; r < 100; ++r) lengths[10 * r] = r == 0 ? 17 : 9;  // two lanes: 8 entries, or 16
  EXPECT_EQ(deal(lengths, 3200).most_by_lanes, 8u);
  EXPECT_EQ(deal(lengths, 3200).by_warp.size(), 100u);
  EXPECT_EQ(deal(lengths, 3199).most_by_lanes, 16u);
  EXPECT_EQ(deal(lengths, 3199).by_warp, (std::vector<std::uint32_t>{0}));
}

TEST(DirectRows, TheLongestAreCutIntoPieces) {
  const DirectRows found = deal<std::uint64_t>({4097, 0, 2049, 300, 4096});
  ASSERT_EQ(found.by_block.size(), 5u + 3 + 1 + 4);
  EXPECT_EQ(found.split_rows, 3u);
  std::uint64_t entry = 0;
  for (const auto& piece : found.by_block) {
    EXPECT_EQ(piece.entry, entry);
    entry += piece.entries;
    EXPECT_LE(piece.entries, 1024u);
    EXPECT_GT(piece.entries, 0u);
  }
  EXPECT_EQ(entry, 4097u + 2049 + 300 + 4096);
  const auto& last = found.by_block.back();
  EXPECT_EQ(last.row, 4u);
  EXPECT_EQ(last.first, 9u);
  EXPECT_EQ(last.pieces, 4u);
  EXPECT_EQ(last.split, 2u);
  EXPECT_EQ(found.by_block[8].pieces, 1u);
}

TEST(DirectRows, OfNothing) {
  EXPECT_EQ(deal({}).log_lanes, 0u);
  EXPECT_TRUE(deal(equal(5, 0)).by_block.empty());
}

}  // namespace
}  // namespace spress
