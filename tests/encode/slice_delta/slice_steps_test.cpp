// Steps of a slice: the layouts that a plain walk finds, whatever numbers the lanes are held in.
#include "encode/slice_delta/slice_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace spress {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;  // 32, their columns ascending

Lanes lanes_of(const Rows& rows, std::uint32_t first_row) {
  Lanes lanes;
  for (std::uint32_t j = 0; j < slice_rows; ++j) {
    lanes.next[j] = rows[j].data();
    lanes.end[j] = rows[j].data() + rows[j].size();
    lanes.column[j] = std::int64_t{first_row} + j;
  }
  return lanes;
}

/// As SliceDelta tells it, step by step: every lane stands at a column, which each step moves by its base.
Steps plain_walk(const Rows& rows, std::uint32_t first_row, std::int64_t reach) {
  Steps out;
  std::vector<std::size_t> at(slice_rows);
  std::vector<std::int64_t> column(slice_rows);
  std::iota(column.begin(), column.end(), std::int64_t{first_row});
  while (true) {
    Step step{.base = std::numeric_limits<std::int64_t>::max()};
    for (std::uint32_t j = 0; j < slice_rows; ++j)
      if (at[j] < rows[j].size()) step.base = std::min(step.base, rows[j][at[j]] - column[j]);
    if (step.base == std::numeric_limits<std::int64_t>::max()) return out;
    std::uint32_t taken = 0;
    for (std::uint32_t j = 0; j < slice_rows; ++j) {
      column[j] += step.base;
      if (at[j] == rows[j].size() || rows[j][at[j]] - column[j] > reach) continue;
      step.width =
          std::max(step.width,
                   static_cast<std::uint32_t>(std::bit_width(rows[j][at[j]] - static_cast<std::uint64_t>(column[j]))));
      step.mask |= 1u << j;
      column[j] = rows[j][at[j]++];
      ++taken;
    }
    out.add(step, taken);
  }
}

void expect_same(const Steps& x, const Steps& y) {
  ASSERT_EQ(x.list.size(), y.list.size());
  for (std::size_t k = 0; k < x.list.size(); ++k) {
    EXPECT_EQ(x.list[k].base, y.list[k].base) << k;
    EXPECT_EQ(x.list[k].width, y.list[k].width) << k;
    EXPECT_EQ(x.list[k].mask, y.list[k].mask) << k;
  }
  EXPECT_EQ(x.cost(), y.cost());
  EXPECT_EQ(x.entries, y.entries);
}

void expect_cheapest(const Rows& rows, std::uint32_t first_row) {
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  Steps best, other, wanted = plain_walk(rows, first_row, any);
  for (const std::int64_t reach : {0, 7, 255})
    if (const Steps walk = plain_walk(rows, first_row, reach);
        walk.cost() < wanted.cost() && walk.list.size() <= most_slice_steps && !wanted.is_uniform())
      wanted = walk;
  lay_slice(lanes_of(rows, first_row), best, other);
  expect_same(best, wanted);
  const Steps bare = plain_walk(rows, first_row, 0);
  const bool fits = bare.list.size() <= most_slice_steps;
  EXPECT_EQ(lay_bare_slice(lanes_of(rows, first_row), bare.cost() + 1, other), fits);
  if (fits) expect_same(other, bare);
  if (bare.list.empty()) return;
  EXPECT_FALSE(lay_bare_slice(lanes_of(rows, first_row), bare.cost(), other));
}

/// Rows of up to `longest` columns, those of a few offsets from `first` + row on, or of any columns from `first` on.
Rows random_rows(std::mt19937& random, std::uint32_t first, std::uint32_t longest, std::uint32_t spread, bool banded) {
  Rows rows(slice_rows);
  std::vector<std::uint32_t> offsets(longest);
  for (auto& offset : offsets) offset = static_cast<std::uint32_t>(random()) % spread;
  for (std::uint32_t j = 0; j < slice_rows; ++j) {
    const std::uint32_t length = static_cast<std::uint32_t>(random()) % (longest + 1);
    for (std::uint32_t k = 0; k < length; ++k)
      rows[j].push_back(first + (banded ? j + offsets[k] : static_cast<std::uint32_t>(random()) % spread));
    std::sort(rows[j].begin(), rows[j].end());
    rows[j].erase(std::unique(rows[j].begin(), rows[j].end()), rows[j].end());
  }
  return rows;
}

TEST(SliceSteps, AreThoseOfAPlainWalk) {
  std::mt19937 random(7);
  constexpr std::uint32_t far = 0xFFF00000u, limit = 1u << 30;
  for (const std::uint32_t first_column : {0u, 1000u, limit - 500, far})
    for (const std::uint32_t first_row : {0u, 640u, limit - 20, far})
      for (const std::uint32_t longest : {1u, 5u, 40u})
        for (const std::uint32_t spread : {12u, 300u, 500'000u})
          for (const bool banded : {false, true})
            expect_cheapest(random_rows(random, first_column, longest, spread, banded), first_row);
}

TEST(SliceSteps, OfNoEntriesAreNone) {
  Steps best, other;
  lay_slice(lanes_of(Rows(slice_rows), 0), best, other);
  EXPECT_TRUE(best.list.empty());
  EXPECT_TRUE(lay_bare_slice(lanes_of(Rows(slice_rows), 0), 1, other));
}

}  // namespace
}  // namespace spress
