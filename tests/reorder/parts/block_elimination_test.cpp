// Elimination by degree within a block: by hand, and beside neighbors outside of the block.
#include "reorder/parts/block_elimination.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;
using Ids = std::vector<std::uint32_t>;

Ids eliminated(std::uint32_t n, const std::vector<Entry>& edges, Ids block) {
  const Graph graph = graph_of(view_of(pattern_of(n, edges)));
  eliminate_block(graph.view(), block);
  return block;
}

TEST(BlockElimination, TakesTheLeastDegreeFirst) {
  // A path 0 1 2 whose end 2 meets the triangle 3 4 5.
  const std::vector<Entry> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}};
  EXPECT_EQ(eliminated(6, edges, {0, 1, 2, 3, 4, 5}), (Ids{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(eliminated(6, {{0, 3}, {1, 3}, {2, 3}, {3, 4}, {4, 5}}, {3, 4, 5}),
            (Ids{5, 4, 3}));  // 3 has 3 more outside
}

TEST(BlockElimination, KeepsTheVerticesOfTheBlock) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<Entry> edges;
    std::uint64_t random = seed;
    for (int k = 0; k < 300; ++k) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      edges.emplace_back(random >> 33 & 127, random >> 45 & 127);
    }
    Ids block;
    for (std::uint32_t v = 0; v < 128; v += 1 + v % 3) block.push_back(v);
    Ids order = eliminated(128, edges, block);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, block);
  }
  EXPECT_EQ(eliminated(3, path(3), {}), Ids{});
  EXPECT_EQ(eliminated(3, path(3), {1}), Ids{1});
}

TEST(BlockElimination, PutsDenseVerticesLast) {
  Ids all(2000);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(eliminated(2000, star(2000, 7), all).back(), 7u);
}

}  // namespace
}  // namespace spress::reorder
