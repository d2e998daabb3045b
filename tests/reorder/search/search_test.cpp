#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <stdexcept>

#include "formats/gallery/gallery.hpp"
#include "reorder/orderings.hpp"
#include "reorder/search/search_moves.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

using Ids = std::vector<std::uint32_t>;

Ids list(const Permutation& p) { return {p.begin(), p.end()}; }

Csr<Owned> generated(std::string_view spec) {
  auto matrix = gallery::generate(*parse_spec(spec));
  if (!matrix.ok()) throw std::runtime_error(matrix.error().text());
  return std::move(matrix->csr);
}

/// 8x8 blocks that hold entries.
std::uint64_t blocks_of(const Csr<Viewed>& a) {
  std::set<Entry> blocks;
  for (std::uint32_t r = 0; r < a.rows; ++r)
    for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k)
      blocks.emplace(r / 8, a.col_idx[k] / 8);
  return blocks.size();
}

Reordering search(const Csr<Owned>& a, const Cost& cost, std::uint64_t budget = 0) {
  auto to = compute_ordering("search", view_of(a), {cost, budget});
  EXPECT_TRUE(to.ok());
  return to.ok() ? std::move(*to) : Reordering{};
}

std::uint64_t cost_after(const Csr<Owned>& a, const Reordering& to, const Cost& cost) {
  const Csr<Owned> b = permute(view_of(a), to);
  return cost(view_of(b));
}

TEST(SearchMoves, GapBytesByHand) {
  // Row 0: 0 255, one byte each. Row 1: 0 256, two. Row 2: empty. Row 3: 70000 alone, far from the diagonal: four.
  const Csr<Owned> a = make_csr({"", 4, 80000, {{0, 0}, {0, 255}, {1, 0}, {1, 256}, {3, 70000}}, {}}, Fill::pattern);
  EXPECT_EQ(gap_bytes(view_of(a)), 2u * 1 + 2 * 2 + 1 * 4);
}

TEST(SearchMoves, ComposeByHand) {
  EXPECT_EQ(list(compose({2, 0, 1}, {1, 2, 0})), (Ids{0, 1, 2}));
  EXPECT_EQ(list(compose({}, {1, 0})), (Ids{1, 0}));
  EXPECT_EQ(list(compose({1, 0}, {})), (Ids{1, 0}));
}

TEST(SearchMoves, RowsByHand) {
  const Csr<Owned> a = make_csr({"", 4, 3, {{0, 0}, {1, 1}, {1, 2}, {3, 0}}, {1, 2, 3, 4}});
  EXPECT_TRUE(identical(rows_of(view_of(a), 1, 3), make_csr({"", 2, 3, {{0, 1}, {0, 2}}, {2, 3}})));
  EXPECT_TRUE(identical(rows_of(view_of(a), 0, 4), a));
  EXPECT_TRUE(identical(rows_of(view_of(a), 2, 2), make_csr({"", 0, 3, {}, {}})));
}

TEST(SearchMoves, ArePermutationsOfEveryShape) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.cols > 1000000) continue;
    const Csr<Owned> a = make_csr(scenario);
    for (const Move& move : whole_moves()) {
      SCOPED_TRACE(scenario.name + " " + std::string(move.name));
      const Reordering to = move.make(view_of(a));
      EXPECT_TRUE(to.rows.empty() || is_permutation(to.rows.span(), a.rows));
      EXPECT_TRUE(to.cols.empty() || is_permutation(to.cols.span(), a.cols));
    }
    for (const WindowMove& move : window_moves())
      EXPECT_TRUE(is_permutation(move.make(view_of(a)).span(), a.rows)) << scenario.name << " " << move.name;
  }
}

TEST(Search, IsNeverWorseThanItsStarts) {
  for (const auto spec : {"stencil7:n=9,shuffle=1", "circuit:n=600", "lp:periods=4,rows=20,cols=30", "arrow:n=300",
                          "powerlaw:n=500", "uniform:n=400"}) {
    const Csr<Owned> a = generated(spec);
    for (const Cost& cost : {Cost(gap_bytes), Cost(blocks_of)}) {
      const std::uint64_t found = cost_after(a, search(a, cost), cost);
      for (const auto start : {"none", "rcm", "cm-nodes", "apart", "likeness", "lines", "sloan"}) {
        const auto to = compute_ordering(start, view_of(a));
        if (to.ok()) {
          EXPECT_LE(found, cost_after(a, *to, cost)) << spec << " " << start;
        }
      }
    }
  }
}

TEST(Search, LowersTheCostItIsGiven) {
  const Csr<Owned> a = generated("stencil27:n=10,shuffle=1");
  const auto rcm = compute_ordering("rcm", view_of(a));
  ASSERT_TRUE(rcm.ok());
  const Reordering for_blocks = search(a, blocks_of), for_gaps = search(a, gap_bytes);
  EXPECT_LT(20 * cost_after(a, for_blocks, blocks_of), 19 * cost_after(a, *rcm, blocks_of));
  EXPECT_LE(cost_after(a, for_blocks, blocks_of), cost_after(a, for_gaps, blocks_of));
  EXPECT_LE(cost_after(a, for_gaps, gap_bytes), cost_after(a, *rcm, gap_bytes));
}

TEST(Search, SpendsWhatItMay) {
  const Csr<Owned> a = generated("poisson2d:n=40,shuffle=1");
  for (const std::uint64_t budget : {1, 2, 7, 30, 100}) {
    std::atomic<std::uint64_t> entries = 0;
    const Cost counted = [&](const Csr<Viewed>& b) {
      entries += b.nnz;
      EXPECT_EQ(b.cols, a.cols);
      return gap_bytes(b);
    };
    const Reordering to = search(a, counted, budget);
    EXPECT_LE(entries, budget * a.nnz);
    EXPECT_TRUE(budget > 1 || to.identity());
  }
}

TEST(Search, IsTheSameOnAnyNumberOfThreads) {
  const Csr<Owned> a = generated("fem3d:n=24,shuffle=2");
  ASSERT_GT(a.nnz, 200000u);
  const Reordering first = search(a, gap_bytes, 12);
  omp_set_num_threads(3);
  const Reordering again = search(a, gap_bytes, 12);
  omp_set_num_threads(omp_get_num_procs());
  EXPECT_EQ(list(first.rows), list(again.rows));
  EXPECT_EQ(list(first.cols), list(again.cols));
}

}  // namespace
}  // namespace spress::reorder
