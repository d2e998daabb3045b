#include "analyze/blocks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/scenarios.hpp"

namespace spress::analyze {
namespace {

using Blocks = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // column, bitmap

Blocks blocks_of(const Csr<Owned>& a, std::uint64_t block_row) {
  Blocks out;
  for_each_block(view_of(a), block_row,
                 [&](std::uint32_t col, std::uint64_t bitmap) { out.emplace_back(col, bitmap); });
  return out;
}

/// All blocks from the list of entries.
std::vector<Blocks> blocks_by_definition(const tests::Scenario& s) {
  std::vector<std::map<std::uint32_t, std::uint64_t>> found((s.rows + 7) / 8);
  for (const auto& [r, c] : s.entries) found[r / 8][c / 8] |= std::uint64_t{1} << (8 * (r % 8) + c % 8);
  std::vector<Blocks> out;
  for (const auto& row : found) out.emplace_back(row.begin(), row.end());
  return out;
}

/// The same matrix with row pointers of 64 bits.
Csr<Owned> with_wide_pointers(const Csr<Owned>& a) {
  Csr<Owned> wide = a;
  wide.row_ptr = Positions<Owned>(DType::u64, a.rows + 1);
  for (std::uint64_t r = 0; r <= a.rows; ++r) wide.row_ptr.as<std::uint64_t>()[r] = a.row_ptr.position(r);
  return wide;
}

TEST(Blocks, ByHand) {
  const auto a = tests::make_csr({"", 10, 20, {{0, 0}, {0, 7}, {0, 8}, {1, 0}, {7, 7}, {7, 19}, {9, 15}}, {}});
  EXPECT_EQ(
      blocks_of(a, 0),
      (Blocks{{0, 1u | 1u << 7 | 1u << 8 | std::uint64_t{1} << 63}, {1, 1}, {2, std::uint64_t{1} << (8 * 7 + 3)}}));
  EXPECT_EQ(blocks_of(a, 1), (Blocks{{1, std::uint64_t{1} << (8 * 1 + 7)}})) << "a block row of two rows";
  const BlockStatistics statistics = blocks_8x8(view_of(a));
  EXPECT_EQ(statistics.count, 4u);
  EXPECT_DOUBLE_EQ(statistics.nnz_per_block, 7.0 / 4);
}

TEST(Blocks, AFullBlockSetsEveryBit) {
  const auto a = tests::make_csr({"", 8, 8, tests::dense(8, 8), {}});
  EXPECT_EQ(blocks_of(a, 0), (Blocks{{0, ~std::uint64_t{0}}}));
  EXPECT_DOUBLE_EQ(blocks_8x8(view_of(a)).nnz_per_block, 64);
}

TEST(Blocks, RowsThatEndEarlyDoNotHideLaterColumns) {
  // The row with the smallest next column changes at every step, and some rows are empty.
  const auto a =
      tests::make_csr({"",
                       8,
                       4294967295u,
                       {{0, 4294967294u}, {2, 0}, {2, 90}, {3, 40}, {3, 4294967288u}, {6, 8}, {6, 2000000000}},
                       {}});
  const auto bit = [](int i, std::uint64_t j) { return std::uint64_t{1} << (static_cast<std::uint64_t>(8 * i) + j); };
  EXPECT_EQ(blocks_of(a, 0), (Blocks{{0, bit(2, 0)},
                                     {1, bit(6, 0)},
                                     {5, bit(3, 0)},
                                     {11, bit(2, 2)},
                                     {250000000, bit(6, 0)},
                                     {536870911, bit(0, 6) | bit(3, 0)}}));
}

TEST(Blocks, EveryScenarioByItsDefinition) {
  for (const auto& s : tests::scenarios()) {
    const auto expected = blocks_by_definition(s);
    std::uint64_t count = 0;
    for (const Blocks& row : expected) count += row.size();
    for (const auto& a : {tests::make_csr(s), with_wide_pointers(tests::make_csr(s))}) {
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(blocks_of(a, i), expected[i]) << s.name << ", " << i;
      for (const int threads : {1, 2, 5}) {
        const BlockStatistics statistics = blocks_8x8(view_of(a), threads);
        EXPECT_EQ(statistics.count, count) << s.name;
        EXPECT_DOUBLE_EQ(statistics.nnz_per_block,
                         count == 0 ? 0 : static_cast<double>(s.entries.size()) / static_cast<double>(count))
            << s.name;
      }
    }
  }
}

TEST(Blocks, ManyBlockRows) {
  const tests::Scenario s{"", 20011, 301, tests::scattered(20011, 301, 2), {}};
  const auto expected = blocks_by_definition(s);
  std::uint64_t count = 0;
  for (const Blocks& row : expected) count += row.size();
  const auto a = tests::make_csr(s);
  for (const int threads : {1, 3}) EXPECT_EQ(blocks_8x8(view_of(a), threads).count, count);
}

}  // namespace
}  // namespace spress::analyze
