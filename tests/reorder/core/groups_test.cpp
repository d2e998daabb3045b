#include "reorder/core/groups.hpp"

#include <gtest/gtest.h>

#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

using Ids = std::vector<std::uint32_t>;

std::vector<Ids> lists_of(const Groups& groups) {
  std::vector<Ids> out;
  for (VertexId g = 0; g < groups.count(); ++g) out.emplace_back(groups.group(g).begin(), groups.group(g).end());
  return out;
}

Ids list(const Permutation& p) { return {p.begin(), p.end()}; }

TEST(Groups, EqualNeighborhoodsByHand) {  // a triangle 0 3 4 on a path 4 1 2: of its corners 0 and 3 see the same
  const Graph graph = graph_of(view_of(pattern_of(5, {{0, 3}, {3, 4}, {0, 4}, {4, 1}, {1, 2}})));
  const Groups nodes = group_equal_neighborhoods(graph.view());
  EXPECT_EQ(lists_of(nodes), (std::vector<Ids>{{0, 3}, {1}, {2}, {4}}));
  EXPECT_EQ(list(nodes.group_of), (Ids{0, 1, 2, 0, 3}));
  const Graph q = quotient(graph.view(), nodes, nodes, false);
  EXPECT_EQ(list(q.adjacency), (Ids{3, 2, 3, 1, 0, 1}));
  EXPECT_EQ(list(expand({3, 0, 2, 1}, nodes)), (Ids{4, 0, 3, 2, 1}));
}

TEST(Groups, LikeListsByHand) {
  // Rows 0 and 3 share 6 of 8 columns, 1 and 4 all, 2 and 5 are empty; row 6 shares 4 of 8 with row 1.
  std::vector<Entry> entries;
  const auto row = [&](std::uint32_t r, const Ids& columns) {
    for (const std::uint32_t c : columns) entries.emplace_back(r, c);
  };
  row(0, {0, 1, 2, 3, 4, 5, 6});
  row(1, {10, 11, 12, 13, 14, 15});
  row(3, {1, 2, 3, 4, 5, 6, 7});
  row(4, {10, 11, 12, 13, 14, 15});
  row(6, {12, 13, 14, 15, 16, 17});
  const Csr<Owned> a = make_csr({"", 7, 18, entries, {}}, Fill::pattern);
  const auto viewed = view_of(a);
  const RowLists rows(viewed);
  EXPECT_EQ(lists_of(group_alike(rows.view(), {5, 8})), (std::vector<Ids>{{0, 3}, {1, 4}, {2, 5}, {6}}));
  EXPECT_EQ(lists_of(group_alike(rows.view(), {1, 1})), (std::vector<Ids>{{0}, {1, 4}, {2, 5}, {3}, {6}}));
}

TEST(Groups, MostAlikeListsMeet) {
  const std::uint32_t pairs = 2000;
  std::vector<Entry> entries;
  for (std::uint32_t p = 0; p < pairs; ++p)
    for (std::uint32_t k = 0; k < 8; ++k) {
      entries.emplace_back(p, 10 * p + k);
      entries.emplace_back(pairs + p, 10 * p + k + (k >= 4));  // 7 of 9 in common
    }
  std::sort(entries.begin(), entries.end());
  const Csr<Owned> a = make_csr({"", 2 * pairs, 10 * pairs, entries, {}}, Fill::pattern);
  const auto viewed = view_of(a);
  const Groups groups = group_alike(RowLists(viewed).view(), {5, 8});
  EXPECT_LE(groups.count(), pairs + pairs / 20);
  EXPECT_GE(groups.count(), pairs);
}

TEST(Groups, TransposedByHand) {
  const Csr<Owned> a = make_csr({"", 3, 4, {{0, 1}, {0, 3}, {2, 1}}, {}}, Fill::pattern);
  const auto viewed = view_of(a);
  const Graph t = transposed(RowLists(viewed).view(), 4);
  EXPECT_EQ(std::vector<std::uint64_t>(t.row_ptr.begin(), t.row_ptr.end()),
            (std::vector<std::uint64_t>{0, 0, 2, 2, 3}));
  EXPECT_EQ(list(t.adjacency), (Ids{0, 2, 0}));
}

}  // namespace
}  // namespace spress::reorder
