#include "analyze/spy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/panels.hpp"
#include "tests/scenarios.hpp"

namespace spress::analyze {
namespace {

/// The rows of a picture, one string each.
std::vector<std::string> lines(const Spy& picture) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < picture.size; ++i)
    out.push_back(picture.cells.substr(std::size_t{i} * picture.size, picture.size));
  return out;
}

std::vector<std::string> draw(std::uint64_t rows, std::uint64_t cols, std::vector<tests::Entry> entries,
                              std::uint32_t size) {
  const auto a = tests::make_csr({"", rows, cols, std::move(entries), {}});
  return lines(spy(view_of(a), size));
}

using Lines = std::vector<std::string>;

TEST(Spy, OneCellForEachEntryOfASmallMatrix) {
  EXPECT_EQ(draw(3, 3, {{0, 0}, {1, 2}, {2, 0}, {2, 1}}, 3), (Lines{"900", "009", "990"}));
}

TEST(Spy, NoLargerThanTheMatrix) {
  EXPECT_EQ(draw(2, 2, {{0, 1}, {1, 0}}, 160), (Lines{"09", "90"}));
  EXPECT_EQ(draw(1, 1, {{0, 0}}, 160), (Lines{"9"}));
}

TEST(Spy, EachStepDownIsAFactorOfFour) {
  // Cells of 16 x 16: 256, 64, 16, 4 and 1 entries, and none.
  std::vector<tests::Entry> entries;
  const auto fill = [&](std::uint32_t at, std::uint32_t side) {
    for (const auto& [r, c] : tests::dense(side, side)) entries.emplace_back(16 * at + r, 16 * at + c);
  };
  fill(0, 16), fill(1, 8), fill(2, 4), fill(3, 2), fill(4, 1);
  EXPECT_EQ(draw(96, 96, entries, 6), (Lines{"900000", "080000", "007000", "000600", "000050", "000000"}));
}

TEST(Spy, TheSparsestCellIsStillSeen) { EXPECT_EQ(draw(1000000, 1000000, {{999999, 0}}, 2), (Lines{"00", "10"})); }

TEST(Spy, CellsThatDoNotDivideTheMatrix) {
  // Five rows in two bands: rows 0 to 2 (0*2/5, 1*2/5, 2*2/5 = 0), rows 3 and 4; columns likewise. Cells of 6.25.
  EXPECT_EQ(draw(5, 5, {{2, 2}}, 2), (Lines{"80", "00"}));
  EXPECT_EQ(draw(5, 5, {{3, 3}}, 2), (Lines{"00", "08"}));
  EXPECT_EQ(draw(5, 5, tests::dense(5, 5), 2), (Lines{"99", "99"}));
}

TEST(Spy, RectangularMatricesFillTheSquare) {
  EXPECT_EQ(draw(2, 4, {{0, 0}, {0, 1}, {1, 3}}, 2), (Lines{"90", "08"}));
  EXPECT_EQ(draw(4, 2, {{0, 0}, {1, 0}, {3, 1}}, 2), (Lines{"90", "08"}));
  // Fewer rows than cells: row r stands in band r * 4 / 2.
  EXPECT_EQ(draw(2, 4, {{0, 0}, {1, 3}}, 4), (Lines{"9000", "0000", "0009", "0000"}));
}

TEST(Spy, NothingToSee) {
  EXPECT_EQ(draw(0, 0, {}, 8), Lines{});
  EXPECT_EQ(draw(3, 0, {}, 8), (Lines{"000", "000", "000"}));
  EXPECT_EQ(draw(0, 2, {}, 8), (Lines{"00", "00"}));
  EXPECT_EQ(draw(5, 5, {}, 2), (Lines{"00", "00"}));
  EXPECT_EQ(draw(5, 5, {{1, 1}}, 0), Lines{});
}

/// The picture entry by entry.
std::string slow_cells(const tests::Scenario& s, std::uint64_t n) {
  std::vector<double> counts(n * n, 0);
  for (const auto& [r, c] : s.entries) ++counts[r * n / s.rows * n + c * n / s.cols];
  const double area = static_cast<double>(s.rows * s.cols) / static_cast<double>(n * n);
  std::string out;
  for (const double count : counts) {
    const double share = std::min(1.0, count / std::max(1.0, area));
    out += count == 0 ? '0' : static_cast<char>('0' + std::max(1L, 9 + std::lround(std::log2(share) / 2)));
  }
  return out;
}

TEST(Spy, EntryByEntryOnAnyNumberOfThreads) {
  for (const auto& [rows, cols, size] :
       {std::array<std::uint32_t, 3>{300, 300, 37}, {1500, 1400, 64}, {41, 500, 160}, {7, 300, 32}}) {
    const tests::Scenario s{"", rows, cols, tests::scattered(rows, cols, 9), {}};
    const auto a = tests::make_csr(s);
    for (const int threads : {1, 2, 7}) {
      const Spy picture = spy(view_of(a), size, threads);
      ASSERT_EQ(picture.size, size);
      EXPECT_EQ(picture.cells, slow_cells(s, size)) << rows << " x " << cols << ", threads " << threads;
    }
  }
}

TEST(Spy, IsPanelByPanelThatOfTheWhole) {
  for (const auto& scenario : tests::scenarios())
    for (const std::uint32_t size : {1, 7, 256}) {
      const auto a = tests::make_csr(scenario);
      SpyCounter counter(a.rows, a.cols, size);
      tests::for_each_panel(a, 8, [&](const RowPanel& panel) { counter.add(panel); });
      const Spy whole = spy(view_of(a), size);
      EXPECT_EQ(counter.picture().cells, whole.cells) << scenario.name;
      EXPECT_EQ(counter.picture().size, whole.size) << scenario.name;
    }
}

}  // namespace
}  // namespace spress::analyze
