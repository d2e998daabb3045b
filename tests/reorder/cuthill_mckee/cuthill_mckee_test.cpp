#include "reorder/cuthill_mckee/cuthill_mckee.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "bench/rcm/boost_cuthill_mckee.hpp"
#include "formats/gallery/gallery.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/core/start_vertex.hpp"
#include "reorder/core/symmetry.hpp"
#include "reorder/cuthill_mckee/level_search.hpp"
#include "reorder/cuthill_mckee/plain_cuthill_mckee.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

using Ids = std::vector<VertexId>;
using Pattern = PatternView<std::uint64_t>;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

Graph graph_of_edges(std::uint32_t n, const std::vector<Entry>& edges) {
  return graph_of(view_of(pattern_of(n, edges)));
}
Pattern pattern(const Graph& graph) {
  const GraphView view = graph.view();
  return {view.vertices, view.row_ptr, view.adjacency};
}

/// As many threads as a test asks for, in its scope.
class Threads {
 public:
  explicit Threads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { omp_set_num_threads(before_); }

 private:
  int before_;
};

struct Shape {
  std::uint64_t bandwidth = 0, profile = 0;  // of the order of all vertices, the profile of it reversed
};
Shape shape_of(GraphView graph, std::span<const VertexId> order) {
  Ids place(graph.vertices);
  for (VertexId at = 0; at < order.size(); ++at) place[order[at]] = at;
  Shape shape;
  for (VertexId v = 0; v < graph.vertices; ++v) {
    VertexId last = place[v];
    for (const VertexId w : graph.neighbors(v)) last = std::max(last, place[w]);
    shape.bandwidth = std::max<std::uint64_t>(shape.bandwidth, last - place[v]);
    shape.profile += last - place[v];
  }
  return shape;
}

Ids first_of(const HostArray<VertexId>& order, VertexId count) { return {order.begin(), order.begin() + count}; }

/// Levels of thousands of vertices between levels of one, vertices that many see first, and a hub.
std::vector<NamedPattern> wide_graphs() {
  std::vector<NamedPattern> out;
  const auto add = [&](std::string name, std::uint32_t n, std::vector<Entry> edges) {
    out.push_back({std::move(name), pattern_of(n, shuffled(std::move(edges), n))});
  };
  std::vector<Entry> random;
  for (std::uint32_t v = 1; v < 12000; ++v)
    for (std::uint32_t k = 1; k < 5; ++k) random.emplace_back((v * 2654435761u + k * 40503u * v) / 3 % v, v);
  add("random", 12000, random);
  add("random between paths", 12200,
      random + path(100, 12000) + path(100, 12100) + std::vector<Entry>{{0, 12000}, {11999, 12100}});
  add("hub", 15000, random + star(3000, 1) + std::vector<Entry>{{1, 14999}});
  add("grid", 120 * 120, grid(120, 120));
  std::vector<Entry> layers;  // each vertex of a layer is the neighbor of all of the next
  for (std::uint32_t layer = 0; layer < 20; ++layer)
    for (std::uint32_t k = 0; k < 70 * 70; ++k) layers.emplace_back(layer * 70 + k / 70, layer * 70 + 70 + k % 70);
  add("layers", 21 * 70, layers);
  return out;
}

TEST(LevelSearch, ByHand) {
  // 0-1-2-3 with 4 and 5 hanging on 1, and 6-7 apart: 4 and 5 have the smaller degrees, so 2 comes after them.
  const Graph graph = graph_of_edges(8, {{0, 1}, {1, 2}, {2, 3}, {1, 4}, {1, 5}, {6, 7}});
  LevelSearch<std::uint64_t> search(pattern(graph), 1);
  const VertexId start = 0;
  const SearchResult found = search.run(0, {&start, 1}, no_limit);
  EXPECT_EQ(first_of(search.order(), found.count), (Ids{0, 1, 4, 5, 2, 3}));
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.levels, 4u);
  EXPECT_EQ(found.width, 3u);
  EXPECT_EQ(found.last_level, 5u);
  EXPECT_EQ(found.bandwidth, 3u);
  EXPECT_EQ(found.envelope, 1u + 3 + 2 + 1 + 1 + 0);
  EXPECT_TRUE(search.numbered(5));
  EXPECT_FALSE(search.numbered(7));
  const VertexId other = 7;
  EXPECT_EQ(search.run(6, {&other, 1}, no_limit).count, 2u);
  EXPECT_EQ(first_of(search.order(), 8), (Ids{0, 1, 4, 5, 2, 3, 7, 6}));
}

TEST(LevelSearch, ForgetsAndRestores) {
  const Graph graph = graph_of_edges(6, {{0, 1}, {2, 3}, {3, 4}, {4, 5}});
  LevelSearch<std::uint64_t> search(pattern(graph), 1);
  for (const VertexId start : {0u, 2u}) search.run(start, {&start, 1}, no_limit);
  search.forget(2);
  EXPECT_TRUE(search.numbered(1));
  EXPECT_FALSE(search.numbered(4));
  const VertexId start = 4;
  EXPECT_EQ(search.run(2, {&start, 1}, no_limit).count, 4u);
  EXPECT_EQ(first_of(search.order(), 6), (Ids{0, 1, 4, 5, 3, 2}));
  search.restore(2, Ids{5, 4, 3, 2});
  EXPECT_EQ(first_of(search.order(), 6), (Ids{0, 1, 5, 4, 3, 2}));
  EXPECT_TRUE(search.numbered(3));
}

TEST(LevelSearch, GivesUpAboveABandwidth) {
  const Graph graph = graph_of_edges(1000, star(1000));
  LevelSearch<std::uint64_t> search(pattern(graph), 1);
  const VertexId start = 7;
  const SearchResult given_up = search.run(0, {&start, 1}, 500);
  EXPECT_FALSE(given_up.complete);
  EXPECT_GT(given_up.bandwidth, 500u);
  search.forget(0);
  EXPECT_TRUE(search.run(0, {&start, 1}, given_up.bandwidth).complete);
}

TEST(LevelSearch, IsThePlainAlgorithmOnAnyNumberOfThreads) {
  for (const auto& [name, matrix] : wide_graphs()) {
    const Graph graph = graph_of(view_of(matrix));
    const auto n = static_cast<std::uint32_t>(matrix.rows);
    for (const int threads : {1, 2, 3, 7, 16}) {
      SCOPED_TRACE(name + ", threads: " + std::to_string(threads));
      LevelSearch<std::uint64_t> search(pattern(graph), threads);
      for (const Ids& starts : {Ids{5}, Ids{n / 2}, Ids{9, 3, 11, n - 1}}) {
        search.forget(0);
        const SearchResult found = search.run(0, starts, no_limit);
        const Ids expected = sequential_cuthill_mckee(graph.view(), starts);
        ASSERT_EQ(first_of(search.order(), found.count), expected);
        if (starts.size() > 1 || found.count < n) continue;
        const Shape shape = shape_of(graph.view(), expected);
        EXPECT_EQ(found.bandwidth, shape.bandwidth);
        EXPECT_GE(found.envelope, shape.profile);
      }
    }
  }
}

/// Keeps every core busy with other work, in its scope.
class BusyMachine {
 public:
  BusyMachine() {
    for (unsigned k = 0; k < 3 * std::max(1u, std::thread::hardware_concurrency()); ++k)
      others_.emplace_back([this] {
        while (!over_.load(std::memory_order_relaxed)) {
        }
      });
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;
  ~BusyMachine() {
    over_ = true;
    for (auto& other : others_) other.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::vector<std::thread> others_;
};

TEST(LevelSearch, TeamsAreHeldUpWhereTheyWaitMostOfTheTime) {
  EXPECT_FALSE(is_held_up(0.002, 0.0025, 2));  // too soon to tell
  EXPECT_TRUE(is_held_up(0.9, 1, 2));
  EXPECT_FALSE(is_held_up(0.4, 1, 2));  // one has a little more to do than the other, or its memory is fresh
  EXPECT_TRUE(is_held_up(14, 1, 16));   // all wait for one
  EXPECT_FALSE(is_held_up(8, 1, 16));   // half as fast as sixteen can be is more than one
}

TEST(LevelSearch, GoesOnAloneWhereItsThreadsAreKeptFromRunning) {
  const Graph graph = graph_of(view_of(pattern_of(180000, shuffled(grid(600, 300), 180000))));
  const Ids expected = sequential_cuthill_mckee(graph.view(), {5});
  LevelSearch<std::uint64_t> search(pattern(graph), 2);
  EXPECT_EQ(search.threads(), 2);
  const VertexId start = 5;
  {
    const BusyMachine busy;
    EXPECT_EQ(search.run(0, {&start, 1}, no_limit).count, expected.size());
  }
  EXPECT_EQ(search.threads(), 1);
  EXPECT_EQ(first_of(search.order(), graph.view().vertices), expected);
  search.forget(0);
  search.run(0, {&start, 1}, no_limit);
  EXPECT_EQ(first_of(search.order(), graph.view().vertices), expected);
}

TEST(LevelSearch, GivesUpAtTheSamePlaceOnAnyNumberOfThreads) {
  for (const auto& [name, matrix] : wide_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph = graph_of(view_of(matrix));
    const VertexId start = 77;
    const auto given_up = [&](int threads) {
      LevelSearch<std::uint64_t> search(pattern(graph), threads);
      const SearchResult found = search.run(0, {&start, 1}, 60);
      EXPECT_FALSE(found.complete);
      search.forget(0);
      EXPECT_EQ(search.run(0, {&start, 1}, no_limit).count, sequential_cuthill_mckee(graph.view(), {start}).size());
      return std::pair(found.count, found.bandwidth);
    };
    EXPECT_EQ(given_up(1), given_up(4));
  }
}

TEST(CompareSides, ByHand) {
  const auto sides = [](std::uint32_t n, std::vector<Entry> entries) {
    return compare_sides(view_of(make_csr({"", n, n, std::move(entries), {}}, Fill::pattern)));
  };
  EXPECT_TRUE(sides(0, {}).probably_symmetric);
  EXPECT_TRUE(sides(3, {{0, 0}, {0, 2}, {2, 0}}).probably_symmetric);
  EXPECT_EQ(sides(3, {{0, 0}, {0, 2}, {2, 0}, {2, 2}}).diagonal, 2u);
  EXPECT_FALSE(sides(3, {{0, 2}}).probably_symmetric);
  EXPECT_FALSE(sides(3, {{2, 0}}).probably_symmetric);
  EXPECT_FALSE(sides(4, {{0, 1}, {2, 3}, {3, 0}, {3, 1}}).probably_symmetric);
  // Cyclic: as many entries on either side, in each row and column.
  EXPECT_FALSE(sides(4, {{0, 1}, {0, 3}, {1, 2}, {1, 3}, {2, 0}, {2, 3}, {3, 0}, {3, 1}}).probably_symmetric);
}

TEST(CompareSides, AgreesWithLookingUp) {
  for (const auto& [name, matrix] : square_patterns())
    EXPECT_EQ(compare_sides(view_of(matrix)).probably_symmetric, pattern_symmetric(view_of(matrix))) << name;
}

TEST(CuthillMckee, IsNoWiderThanBoosts) {
  for (const auto& patterns : {square_patterns(), wide_graphs()})
    for (const auto& [name, matrix] : patterns) {
      const Graph graph = graph_of(view_of(matrix));
      EXPECT_LE(shape_of(graph.view(), cuthill_mckee(graph.view()).span()).bandwidth,
                shape_of(graph.view(), boost_cuthill_mckee(graph.view()).span()).bandwidth)
          << name;
    }
}

TEST(CuthillMckee, IsTheSameOnAnyNumberOfThreads) {
  const std::uint32_t n = 80000;  // enough entries for threads
  const Graph graph = graph_of_edges(n, shuffled(grid(200, 400), n) + star(5000, 3));
  const auto order_on = [&](int count) {
    const Threads threads(count);
    const Permutation order = cuthill_mckee(graph.view());
    return Ids(order.begin(), order.end());
  };
  const Ids one = order_on(1);
  EXPECT_TRUE(is_permutation(one, n));
  for (const int threads : {2, 5}) EXPECT_EQ(order_on(threads), one) << threads;
}

/// More entries than a graph is built for: the matrix itself is walked, its diagonal along with it.
TEST(CuthillMckee, WalksLargeSymmetricMatricesInPlace) {
  const auto matrix = gallery::generate(*parse_spec("stencil27:n=56,shuffle=3,values=pattern"));
  ASSERT_TRUE(matrix.ok()) << matrix.error().text();
  ASSERT_GT(matrix->csr.nnz, 1u << 22);
  const auto a = view_of(matrix->csr);
  const Graph graph = graph_of(a);
  const Permutation in_place = cuthill_mckee(a);
  ASSERT_TRUE(is_permutation(in_place.span(), a.rows));
  const Permutation of_graph = cuthill_mckee(graph.view());
  EXPECT_TRUE(std::equal(in_place.begin(), in_place.end(), of_graph.begin(), of_graph.end()));
  EXPECT_LE(shape_of(graph.view(), in_place.span()).bandwidth, 5u * 56 * 56 / 2);  // 3 from a corner
}

TEST(PlainCuthillMckee, ByHand) {
  // A path 0-1-2-3 with a triangle 3-4-5 at its end. From 0 the last level is {4, 5}, of equal degrees; from 4 it is
  // {0}, no farther: the walk ends there.
  const Graph graph = graph_of_edges(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}});
  EXPECT_EQ(george_liu_start(graph.view(), 0), 4u);
  Ids order(6);
  plain_cuthill_mckee(graph.view(), 4, order.data());
  EXPECT_EQ(order, (Ids{4, 5, 3, 2, 1, 0}));
  plain_cuthill_mckee(graph.view(), 3, order.data());
  EXPECT_EQ(order, (Ids{3, 2, 4, 5, 1, 0}));  // 2, 4 and 5 have two neighbors each
}

TEST(PlainCuthillMckee, IsTheOrderOfThatStart) {
  for (const auto& [name, matrix] : square_patterns()) {
    const Graph graph = graph_of(view_of(matrix));
    const Components components = connected_components(graph.view());
    for (std::size_t c = 0; c < components.count(); ++c) {
      if (components.component(c).size() != graph.view().vertices) continue;
      const VertexId start = george_liu_start(graph.view(), 0);
      Ids order(graph.view().vertices);
      plain_cuthill_mckee(graph.view(), start, order.data());
      EXPECT_EQ(order, sequential_cuthill_mckee(graph.view(), {start})) << name;
    }
  }
}

}  // namespace
}  // namespace spress::reorder
