#include "reorder/core/graph.hpp"

#include <gtest/gtest.h>

#include "reorder/core/start_vertex.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

std::vector<VertexId> to_vector(std::span<const VertexId> ids) { return {ids.begin(), ids.end()}; }

TEST(Graph, IsThePatternOfBothTriangles) {
  for (const auto& [name, matrix] : square_patterns()) {
    const Graph graph = graph_of(view_of(matrix));
    const GraphView view = graph.view();
    ASSERT_EQ(view.vertices, matrix.rows) << name;
    std::set<Entry> edges;
    for (VertexId v = 0; v < view.vertices; ++v) {
      const auto row = view.neighbors(v);
      EXPECT_TRUE(std::is_sorted(row.begin(), row.end())) << name;
      for (const VertexId w : row) EXPECT_TRUE(edges.emplace(v, w).second) << name << ": an edge twice";
    }
    EXPECT_EQ(edges, edges_of(matrix)) << name;
  }
}

TEST(Graph, IsTheSameWithThreads) {  // unsymmetric, and large enough for more than one
  const std::uint32_t n = 30000;
  std::set<Entry> entries;
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t k = 0; k < 8; ++k) entries.emplace(r, (r * 31u + k * k * 997u) % n);
  const Csr<Owned> a = make_csr({"", n, n, {entries.begin(), entries.end()}, {}}, Fill::pattern);
  const auto edges = edges_of(a);
  const Graph graph = graph_of(view_of(a));
  ASSERT_EQ(graph.adjacency.size(), edges.size());
  auto edge = edges.begin();
  for (VertexId v = 0; v < n; ++v)
    for (const VertexId w : graph.view().neighbors(v)) ASSERT_EQ(*edge++, Entry(v, w));
}

TEST(Components, ByHand) {
  const Graph graph = graph_of(view_of(pattern_of(7, {{0, 4}, {4, 6}, {1, 3}})));
  const Components components = connected_components(graph.view());
  ASSERT_EQ(components.count(), 4u);
  EXPECT_EQ(to_vector(components.component(0)), (std::vector<VertexId>{0, 4, 6}));
  EXPECT_EQ(to_vector(components.component(1)), (std::vector<VertexId>{1, 3}));
  EXPECT_EQ(to_vector(components.component(2)), (std::vector<VertexId>{2}));
  EXPECT_EQ(to_vector(components.component(3)), (std::vector<VertexId>{5}));
  EXPECT_EQ(connected_components(graph_of(view_of(pattern_of(0, {}))).view()).count(), 0u);
}

TEST(LevelStructure, ByHand) {
  // 0-1-2-3 with 4 and 5 hanging on 1, and 6-7 apart.
  const Graph graph = graph_of(view_of(pattern_of(8, {{0, 1}, {1, 2}, {2, 3}, {1, 4}, {1, 5}, {6, 7}})));
  LevelStructure levels(graph.view());
  levels.build(0);
  EXPECT_EQ(levels.height(), 3u);
  EXPECT_EQ(levels.width(), 3u);
  EXPECT_EQ(to_vector(levels.level(2)), (std::vector<VertexId>{2, 4, 5}));
  EXPECT_EQ(to_vector(levels.last_level()), (std::vector<VertexId>{3}));
  levels.build(6);
  EXPECT_EQ(levels.height(), 1u);
  EXPECT_EQ(to_vector(levels.vertices()), (std::vector<VertexId>{6, 7}));
  levels.build(1);  // nothing is left over from the searches before
  EXPECT_EQ(levels.height(), 2u);
  EXPECT_EQ(levels.vertices().size(), 6u);
}

TEST(StartVertex, FindsTheEndsOfAPath) {
  const std::uint32_t n = 30;
  const auto names = scattered_order(n);
  const Graph graph = graph_of(view_of(pattern_of(n, renamed(path(n), names))));
  LevelStructure levels(graph.view());
  for (const auto find : {farthest_pair, narrow_pair})
    for (const VertexId root : {names[0], names[13], names[n - 1]}) {
      const PseudoDiameter pair = find(graph.view(), levels, root);
      const std::set<VertexId> found = {pair.start, pair.end}, ends = {names[0], names[n - 1]};
      EXPECT_EQ(found, ends);
    }
}

TEST(StartVertex, StaysInTheComponentOfItsRoot) {
  const Graph graph = graph_of(view_of(pattern_of(10, path(4) + path(6, 4))));
  LevelStructure levels(graph.view());
  for (const auto find : {farthest_pair, narrow_pair}) {
    EXPECT_GE(find(graph.view(), levels, 5).start, 4u);
    EXPECT_LT(find(graph.view(), levels, 1).end, 4u);
  }
}

TEST(StartVertex, ALoneVertexIsBothEnds) {
  const Graph graph = graph_of(view_of(pattern_of(3, {{0, 1}})));
  LevelStructure levels(graph.view());
  for (const auto find : {farthest_pair, narrow_pair}) {
    const PseudoDiameter pair = find(graph.view(), levels, 2);
    EXPECT_EQ(pair.start, 2u);
    EXPECT_EQ(pair.end, 2u);
  }
}

}  // namespace
}  // namespace spress::reorder
