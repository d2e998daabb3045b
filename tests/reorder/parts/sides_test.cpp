// Orderings that aim at bytes: by nodes, by parts, rows and columns apart.
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "formats/gallery/gallery.hpp"
#include "reorder/core/graph.hpp"
#include "reorder/core/groups.hpp"
#include "reorder/core/start_vertex.hpp"
#include "reorder/orderings.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

using Ids = std::vector<std::uint32_t>;

Ids list(const Permutation& p) { return {p.begin(), p.end()}; }

std::vector<Ordering> two_sided() {
  std::vector<Ordering> out;
  for (const Ordering& ordering : orderings())
    if (!ordering.symmetric() && ordering.missing.empty()) out.push_back(ordering);
  return out;
}

Reordering sides_of(std::string_view ordering, const Csr<Owned>& a) {
  auto to = compute_ordering(ordering, view_of(a));
  EXPECT_TRUE(to.ok()) << ordering << ": " << to.error().text();
  if (!to.ok()) return {};
  EXPECT_TRUE(to->rows.empty() || is_permutation(to->rows.span(), a.rows)) << ordering;
  EXPECT_TRUE(to->cols.empty() || is_permutation(to->cols.span(), a.cols)) << ordering;
  return std::move(*to);
}

Csr<Owned> generated(std::string_view spec) {
  auto matrix = gallery::generate(*parse_spec(spec));
  if (!matrix.ok()) throw std::runtime_error(matrix.error().text());
  return std::move(matrix->csr);
}

Csr<Owned> after(std::string_view ordering, const Csr<Owned>& a) { return permute(view_of(a), sides_of(ordering, a)); }

/// 8x8 blocks that hold entries.
std::size_t blocks_of(const Csr<Owned>& a) {
  std::set<Entry> blocks;
  for (const auto& [r, c] : entries_of(a)) blocks.emplace(r / 8, c / 8);
  return blocks.size();
}

TEST(SidesApart, AreValidAndTheSameEveryTimeForEveryShape) {
  ASSERT_FALSE(two_sided().empty());
  for (const Scenario& scenario : scenarios()) {
    if (scenario.cols > 1000000) continue;
    const Csr<Owned> a = make_csr(scenario);
    for (const Ordering& ordering : two_sided()) {
      SCOPED_TRACE(scenario.name + " " + std::string(ordering.name));
      const Reordering first = sides_of(ordering.name, a), again = sides_of(ordering.name, a);
      EXPECT_EQ(list(first.rows), list(again.rows));
      EXPECT_EQ(list(first.cols), list(again.cols));
      const Csr<Owned> b = permute(view_of(a), first);
      EXPECT_TRUE(identical(permute(view_of(b), invert(first.rows), invert(first.cols)), a));
    }
  }
}

TEST(SidesApart, SeeThePatternOnly) {
  Csr<Owned> a = random_pattern(60, 90, 6, 5);
  Csr<Owned> zeros = a;
  zeros.values = raw_store(HostArray<double>(a.nnz, 0.0));
  for (const Ordering& ordering : two_sided()) {
    EXPECT_EQ(list(sides_of(ordering.name, a).rows), list(sides_of(ordering.name, zeros).rows)) << ordering.name;
    EXPECT_EQ(list(sides_of(ordering.name, a).cols), list(sides_of(ordering.name, zeros).cols)) << ordering.name;
  }
}

TEST(Likeness, BringsBlocksTogetherWhereTheyStand) {
  // A block diagonal of full 8x8 blocks: rows shuffled one way, columns another.
  std::vector<Entry> entries;
  const Ids row_name = scattered_order(160, 3), col_name = scattered_order(160, 4);
  for (std::uint32_t r = 0; r < 160; ++r)
    for (std::uint32_t k = 0; k < 8; ++k) entries.emplace_back(row_name[r], col_name[r / 8 * 8 + k]);
  std::sort(entries.begin(), entries.end());
  const Csr<Owned> a = make_csr({"", 160, 160, entries, {}}, Fill::pattern);
  EXPECT_GT(blocks_of(a), 300u);
  EXPECT_EQ(blocks_of(after("likeness", a)), 20u);
  EXPECT_EQ(blocks_of(after("apart", a)), 20u);
}

TEST(Likeness, LeavesWhatNothingIsLike) {
  EXPECT_TRUE(sides_of("likeness", generated("poisson2d:n=20")).identity());
  EXPECT_TRUE(sides_of("likeness", generated("poisson2d:n=20,shuffle=1")).identity());
}

TEST(Apart, FindsTheBandOfARectangularMatrix) {
  const std::uint32_t rows = 400, cols = 600;
  const Ids row_name = scattered_order(rows, 5), col_name = scattered_order(cols, 6);
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t k = 0; k < 5; ++k)
      if (r * 3 / 2 + k < cols) entries.emplace_back(row_name[r], col_name[r * 3 / 2 + k]);
  std::sort(entries.begin(), entries.end());
  const Csr<Owned> a = make_csr({"", rows, cols, entries, {}}, Fill::pattern);
  const Csr<Owned> b = after("apart", a);
  std::uint32_t widest = 0;
  for (std::uint32_t r = 0; r < rows; ++r)
    widest = std::max(widest, b.col_idx[b.row_ptr.position(r + 1) - 1] - b.col_idx[b.row_ptr.position(r)]);
  EXPECT_LE(widest, 16u);
}

TEST(CmNodes, KeepsTheUnknownsOfANodeTogether) {
  const Csr<Owned> a = generated("elasticity3d:n=5,shuffle=3"), b = after("cm-nodes", a);
  const Graph graph = graph_of(view_of(b));
  const Groups nodes = group_equal_neighborhoods(graph.view());
  EXPECT_LE(3 * nodes.count(), b.rows);
  EXPECT_TRUE(std::is_sorted(nodes.group_of.begin(), nodes.group_of.end()));
  const Graph scattered = graph_of(view_of(after("rcm", a)));
  const Groups torn = group_equal_neighborhoods(scattered.view());
  EXPECT_FALSE(std::is_sorted(torn.group_of.begin(), torn.group_of.end()));
}

TEST(CmNodes, IsCmWhereEveryNodeHasOneUnknown) {
  for (const auto spec : {"poisson2d:n=30,shuffle=3", "tridiag:n=300,shuffle=3", "stencil7:n=8,shuffle=1"}) {
    const Csr<Owned> a = generated(spec);
    EXPECT_EQ(list(sides_of("cm-nodes", a).rows), list(sides_of("cm", a).rows)) << spec;
  }
}

TEST(NestedDissection, FillsLittleAndLeavesSmallComponentsFirst) {
  const auto nd = find_ordering("nd");
  ASSERT_TRUE(nd.ok());
  if (!nd->missing.empty()) GTEST_SKIP() << nd->missing;
  std::vector<Entry> edges = shuffled(grid(20, 20), 400);
  for (std::uint32_t v = 400; v < 460; v += 3) edges.insert(edges.end(), {{v, v + 1}, {v, v + 2}});
  const Csr<Owned> a = pattern_of(460, edges);
  const Ids order = list(sides_of("nd", a).rows);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_GE(order[i], 400u);
  // The last separator of a 20 x 20 grid has about 20 vertices: without the last 40 the rest falls apart.
  std::vector<Entry> kept;
  const std::set<std::uint32_t> last(order.end() - 40, order.end());
  for (const auto& [v, w] : edges)
    if (last.count(v) == 0 && last.count(w) == 0) kept.emplace_back(v, w);
  const Graph rest = graph_of(view_of(pattern_of(460, kept)));
  const Components components = connected_components(rest.view());
  std::size_t largest = 0;
  for (std::size_t c = 0; c < components.count(); ++c) largest = std::max(largest, components.component(c).size());
  EXPECT_LT(largest, 240u);
}

TEST(NestedDissection, IsTheSameWhateverOtherThreadsOrder) {
  const auto nd = find_ordering("nd");
  ASSERT_TRUE(nd.ok());
  if (!nd->missing.empty()) GTEST_SKIP() << nd->missing;
  std::vector<Csr<Owned>> matrices;
  std::vector<Ids> alone;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::uint32_t rows = 30 + i, cols = 40;
    matrices.push_back(pattern_of(rows * cols, shuffled(grid(rows, cols), rows * cols)));
    alone.push_back(list(sides_of("nd", matrices[i]).rows));
  }
  std::vector<int> others(matrices.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < matrices.size(); ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 10; ++k) {
        static_cast<void>(sides_of("partition", matrices[i]));
        others[i] += list(sides_of("nd", matrices[i]).rows) == alone[i] ? 0 : 1;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(others, std::vector<int>(matrices.size()));
}

TEST(Partition, MakesDifferencesSmallerThanABandDoes) {
  const auto partition = find_ordering("partition");
  ASSERT_TRUE(partition.ok());
  if (!partition->missing.empty()) GTEST_SKIP() << partition->missing;
  const Csr<Owned> a = generated("poisson2d:n=300,shuffle=2");  // a band 300 wide: no difference fits 8 bits
  const auto narrow = [&](const Csr<Owned>& b) {
    std::size_t count = 0;
    for (std::uint32_t r = 0; r < b.rows; ++r) {
      std::uint32_t widest = 0;
      for (std::uint64_t k = b.row_ptr.position(r) + 1; k < b.row_ptr.position(r + 1); ++k)
        widest = std::max(widest, b.col_idx[k] - b.col_idx[k - 1]);
      count += widest < 256;
    }
    return count;
  };
  EXPECT_GT(narrow(after("partition", a)), a.rows * 9 / 10);
  EXPECT_LT(narrow(after("rcm", a)), a.rows * 9 / 10);
}

}  // namespace
}  // namespace spress::reorder
