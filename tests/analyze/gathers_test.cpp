// Sectors of x: by hand, and against the definition.
#include "analyze/gathers.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "formats/gallery/gallery.hpp"
#include "tests/scenarios.hpp"

namespace spress::analyze {
namespace {

TEST(Gathers, ByHand) {
  // Sectors of four doubles: row 0 meets 0, 0, 1, 25; row 1 meets 0; row 2 nothing; row 3 meets 25.
  const auto a = tests::make_csr({"", 4, 200, {{0, 0}, {0, 3}, {0, 4}, {0, 100}, {1, 1}, {3, 103}}, {}});
  const auto counts = gather_counts(view_of(a), 8);
  EXPECT_EQ(counts.by_row, 3u + 1u + 1u);
  EXPECT_EQ(counts.by_slice, 2u + 1u + 1u + 1u);  // 0 0 25 | 0 | 1 | 25
  EXPECT_EQ(counts.by_window, 3u);
  const auto floats = gather_counts(view_of(a), 4);  // sectors of eight: 0 0 0 12 | 0 | 12
  EXPECT_EQ(floats.by_row, 2u + 1u + 1u);
  EXPECT_EQ(floats.by_window, 2u);
}

std::uint64_t slices_by_definition(const Csr<Viewed>& a) {
  std::uint64_t count = 0;
  for (std::uint64_t first = 0; first < a.rows; first += 32) {
    const auto length = [&](std::uint64_t r) { return a.row_ptr.position(r + 1) - a.row_ptr.position(r); };
    std::uint64_t longest = 0;
    for (std::uint64_t r = first; r < std::min(a.rows, first + 32); ++r) longest = std::max(longest, length(r));
    for (std::uint64_t k = 0; k < longest; ++k) {
      std::int64_t before = -1;
      for (std::uint64_t r = first; r < std::min(a.rows, first + 32); ++r) {
        if (k >= length(r)) continue;
        const std::int64_t sector = a.col_idx[a.row_ptr.position(r) + k] / 4;
        count += sector != before ? 1 : 0;
        before = sector;
      }
    }
  }
  return count;
}

TEST(Gathers, EveryScenarioByDefinition) {
  for (const auto& s : tests::scenarios()) {
    const auto a = tests::make_csr(s);
    std::uint64_t by_row = 0;
    std::set<std::uint32_t> all;
    for (std::size_t k = 0; k < s.entries.size(); ++k) {
      const bool same = k != 0 && s.entries[k].first == s.entries[k - 1].first &&
                        s.entries[k].second / 4 == s.entries[k - 1].second / 4;
      by_row += same ? 0 : 1;
      all.insert(s.entries[k].second / 4);
    }
    const auto counts = gather_counts(view_of(a), 8);
    EXPECT_EQ(counts.by_row, by_row) << s.name;
    EXPECT_EQ(counts.by_slice, slices_by_definition(view_of(a))) << s.name;
    if (a.nnz < 4096 && a.rows <= 2048) {
      EXPECT_EQ(counts.by_window, all.size()) << s.name;
    }
  }
}

/// Few entries of many columns, whose sectors have no places of their own.
TEST(Gathers, OfFarColumnsByDefinition) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  std::set<std::uint32_t> all;
  for (std::uint32_t k = 0; k < 300; ++k) {
    entries.emplace_back(k / 3, 1'000'000 * (k % 3) + 40'009 * (k % 17));
    all.insert(entries.back().second / 4);
  }
  const auto a = tests::make_csr({"", 100, 3'000'000, entries, {}});
  const auto counts = gather_counts(view_of(a), 8);
  EXPECT_EQ(counts.by_row, 300u);
  EXPECT_EQ(counts.by_slice, slices_by_definition(view_of(a)));
  EXPECT_EQ(counts.by_window, all.size());
}

/// More entries a row than are looked at at a time, of rows of different lengths.
TEST(Gathers, OfLongRowsByDefinition) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (std::uint32_t r = 0; r < 40; ++r)
    for (std::uint32_t k = 0; k < (r % 3 == 2 ? 0 : 300 + 97 * r); ++k)
      entries.emplace_back(r, 3 * k + k / (r + 2) % 5);
  const auto a = tests::make_csr({"", 40, 20'000, entries, {}});
  EXPECT_EQ(gather_counts(view_of(a), 8).by_slice, slices_by_definition(view_of(a)));
  entries.clear();  // the last entries that are looked at lie where the next ones do
  for (std::uint32_t k = 0; k < 1100; ++k) entries.emplace_back(0, k);
  for (std::uint32_t k = 512; k < 1024; ++k) entries.emplace_back(1, k);
  const auto b = tests::make_csr({"", 2, 2000, entries, {}});
  EXPECT_EQ(gather_counts(view_of(b), 8).by_slice, slices_by_definition(view_of(b)));
}

TEST(Gathers, DoNotDependOnThreads) {
  const auto matrix = gallery::generate(*parse_spec("circuit:n=20000"));
  const auto a = view_of(matrix->csr);
  const auto one = gather_counts(a, 8, 1), three = gather_counts(a, 8, 3);
  EXPECT_EQ(one.by_row, three.by_row);
  EXPECT_EQ(one.by_slice, three.by_slice);
  EXPECT_EQ(one.by_window, three.by_window);
  EXPECT_EQ(one.by_slice, slices_by_definition(a));
}

}  // namespace
}  // namespace spress::analyze
