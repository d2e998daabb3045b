#include "reorder/orderings.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "formats/gallery/gallery.hpp"
#include "reorder/core/graph.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/core/start_vertex.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

using Ids = std::vector<std::uint32_t>;

/// The symmetric orderings of this build.
std::vector<Ordering> symmetric_orderings() {
  std::vector<Ordering> out;
  for (const Ordering& ordering : orderings())
    if (ordering.symmetric() && ordering.missing.empty()) out.push_back(ordering);
  return out;
}

/// The permutation of a symmetric ordering, written out; fails the test where it is not one.
Ids order_of(std::string_view ordering, const Csr<Owned>& a) {
  const auto to = compute_ordering(ordering, view_of(a));
  EXPECT_TRUE(to.ok()) << to.error().text();
  if (!to.ok()) return {};
  Ids order(to->rows.begin(), to->rows.end());
  EXPECT_EQ(order, Ids(to->cols.begin(), to->cols.end()));
  for (std::uint32_t v = 0; to->rows.empty() && v < a.rows; ++v) order.push_back(v);
  EXPECT_TRUE(is_permutation(order, a.rows)) << ordering;
  return order;
}

EnvelopeMetrics metrics_after(std::string_view ordering, const Csr<Owned>& a) {
  const Ids order = order_of(ordering, a);
  return envelope_metrics(view_of(reordered(a, Permutation(std::span<const std::uint32_t>(order)))));
}

Csr<Owned> generated(std::string_view spec) {
  auto matrix = gallery::generate(*parse_spec(spec));
  if (!matrix.ok()) throw std::runtime_error(matrix.error().text());
  return std::move(matrix->csr);
}

TEST(Orderings, ListIsWhatIsPromised) {
  std::set<std::string_view> names;
  for (const Ordering& ordering : orderings()) {
    EXPECT_TRUE(names.insert(ordering.name).second) << ordering.name;
    EXPECT_NE(ordering.compute == nullptr, ordering.compute_sides == nullptr) << ordering.name;
    EXPECT_FALSE(ordering.summary.empty()) << ordering.name;
  }
  EXPECT_EQ(orderings().front().name, "none");
  for (const auto name : {"rcm", "cm", "king", "sloan", "mmd", "nd", "partition", "lines"})
    EXPECT_EQ(names.count(name), 1u);
}

TEST(Orderings, SearchStartsFromThoseThatHaveATurn) {
  std::vector<std::string_view> names;
  for (const Ordering& ordering : search_starts()) names.push_back(ordering.name);
  const std::vector<std::string_view> turns = {"sloan", "cm",  "cm-nodes", "partition",
                                               "apart", "rcm", "likeness", "lines"};
  EXPECT_EQ(names, turns);
}

TEST(Orderings, SayWhatABuildLacks) {
  for (const Ordering& ordering : orderings()) {
    const auto to = compute_ordering(ordering.name, view_of(pattern_of(5, path(5))));
    EXPECT_EQ(to.ok(), ordering.missing.empty());
    if (to.ok()) continue;
    EXPECT_EQ(to.error().code, ErrorCode::unsupported);
    EXPECT_NE(to.error().message.find(std::string(ordering.name)), std::string::npos);
    EXPECT_NE(to.error().message.find("install"), std::string::npos);
  }
}

TEST(Orderings, UnknownNameListsTheChoices) {
  const auto found = find_ordering("RCM");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::usage);
  for (const Ordering& ordering : orderings())
    EXPECT_NE(found.error().message.find(std::string(ordering.name)), std::string::npos);
  EXPECT_EQ(compute_ordering("", view_of(pattern_of(3, {}))).error().code, ErrorCode::usage);
  ASSERT_TRUE(find_ordering("rcm").ok());
  EXPECT_EQ(find_ordering("rcm")->name, "rcm");
}

TEST(Orderings, RectangularIsNotApplicable) {  // to a symmetric ordering
  for (const auto& [rows, cols] : {std::pair(2u, 3u), {3u, 2u}, {0u, 4u}, {4u, 0u}}) {
    const Csr<Owned> a = make_csr({"", rows, cols, {}, {}});
    for (const Ordering& ordering : symmetric_orderings()) {
      const auto to = compute_ordering(ordering.name, view_of(a));
      if (ordering.name == "none") {
        ASSERT_TRUE(to.ok());
        EXPECT_TRUE(to->identity());
      } else {
        ASSERT_FALSE(to.ok()) << ordering.name;
        EXPECT_EQ(to.error().code, ErrorCode::not_applicable);
      }
    }
  }
}

TEST(Orderings, AreValidAndTheSameEveryTime) {
  for (const auto& [name, matrix] : square_patterns())
    for (const Ordering& ordering : symmetric_orderings()) {
      SCOPED_TRACE(name + " " + std::string(ordering.name));
      EXPECT_EQ(order_of(ordering.name, matrix), order_of(ordering.name, matrix));
    }
}

TEST(Orderings, AreValidOnGeneratedMatrices) {
  for (const auto spec : {"stencil7:n=12,shuffle=1", "poisson2d:n=40,shuffle=2", "circuit:n=3000", "powerlaw:n=2000",
                          "arrow:n=500", "kkt:n=300,m=100", "blockdiag:n=200", "trefethen:n=300", "mycielskian:k=6",
                          "band:n=500,shuffle=5", "convdiff:n=20"})
    for (const Ordering& ordering : symmetric_orderings()) {
      SCOPED_TRACE(std::string(spec) + " " + std::string(ordering.name));
      order_of(ordering.name, generated(spec));
    }
}

TEST(Orderings, IdentityIsEmpty) {
  for (const Ordering& ordering : symmetric_orderings()) {
    EXPECT_TRUE(compute_ordering(ordering.name, view_of(pattern_of(0, {})))->identity());
    EXPECT_TRUE(compute_ordering(ordering.name, view_of(pattern_of(1, {})))->identity());
  }
  EXPECT_TRUE(compute_ordering("none", view_of(pattern_of(9, star(9))))->identity());
}

TEST(Orderings, SeeThePatternOnly) {  // explicit zeros are entries, the diagonal does not matter
  const auto edges = shuffled(grid(4, 9), 36);
  const Csr<Owned> with_diagonal = pattern_of(36, edges), without = pattern_of(36, edges, false);
  Csr<Owned> zeros = without;
  zeros.values = raw_store(HostArray<double>(zeros.nnz, 0.0));
  for (const Ordering& ordering : symmetric_orderings()) {
    EXPECT_EQ(order_of(ordering.name, with_diagonal), order_of(ordering.name, without));
    EXPECT_EQ(order_of(ordering.name, zeros), order_of(ordering.name, without));
  }
}

TEST(Orderings, WorkOnBothTriangles) {  // a triangle alone gives the order of the symmetric pattern
  const auto edges = shuffled(grid(4, 9), 36);
  std::set<Entry> lower;
  for (const auto& [a, b] : edges) lower.emplace(std::max(a, b), std::min(a, b));
  const Csr<Owned> triangle = make_csr({"", 36, 36, {lower.begin(), lower.end()}, {}}, Fill::pattern);
  for (const Ordering& ordering : symmetric_orderings())
    EXPECT_EQ(order_of(ordering.name, triangle), order_of(ordering.name, pattern_of(36, edges, false)));
}

TEST(Orderings, StraightenAPath) {
  const Csr<Owned> a = pattern_of(101, shuffled(path(101), 101));
  for (const auto ordering : {"rcm", "cm", "king", "sloan"}) EXPECT_EQ(metrics_after(ordering, a).bandwidth, 1u);
}

TEST(Orderings, FollowTheShortSideOfAGrid) {
  const Csr<Owned> a = pattern_of(6 * 40, shuffled(grid(6, 40), 6 * 40));
  for (const auto ordering : {"rcm", "cm", "king"}) EXPECT_LE(metrics_after(ordering, a).bandwidth, 7u);
  for (const auto ordering : {"rcm", "king", "sloan"}) EXPECT_LE(metrics_after(ordering, a).profile, 6u * 240);
}

TEST(Orderings, KeepComponentsTogether) {
  const Csr<Owned> a = pattern_of(60, shuffled(path(20) + cycle(1) + path(15, 20) + path(20, 35), 60));
  const Components components = connected_components(graph_of(view_of(a)).view());
  std::vector<std::size_t> component(a.rows);
  for (std::size_t c = 0; c < components.count(); ++c)
    for (const VertexId v : components.component(c)) component[v] = c;
  for (const auto ordering : {"rcm", "cm", "king", "sloan"}) {
    std::size_t changes = 0;
    const Ids order = order_of(ordering, a);
    for (std::size_t i = 1; i < order.size(); ++i) changes += component[order[i]] != component[order[i - 1]];
    EXPECT_EQ(changes + 1, components.count()) << ordering;
  }
}

/// Component by component: `starts` gives the first vertex of each.
template <class Starts>
Ids sequential_cuthill_mckee_of_all(GraphView graph, const Starts& starts) {
  Ids order;
  while (order.size() < graph.vertices) {
    order.push_back(starts(order.size()));
    order = sequential_cuthill_mckee(graph, std::move(order));
  }
  return order;
}

TEST(CuthillMckee, NumbersNeighborsByDegree) {
  for (const auto& [name, matrix] : square_patterns()) {
    const Graph graph = graph_of(view_of(matrix));
    const Ids order = order_of("cm", matrix);
    EXPECT_EQ(order, sequential_cuthill_mckee_of_all(graph.view(), [&](std::size_t at) { return order[at]; })) << name;
    Ids reversed = order_of("rcm", matrix);
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(order, reversed) << name;
  }
}

TEST(CuthillMckee, TakesTheBestOfItsStarts) {
  std::set<bool> improved;
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Csr<Owned> a = pattern_of(150, shuffled(tree(150, seed), 150, seed));  // in one piece
    const Graph graph = graph_of(view_of(a));
    LevelStructure levels(graph.view());
    const PseudoDiameter far = farthest_pair(graph.view(), levels, 0), narrow = narrow_pair(graph.view(), levels, 0);
    const std::uint64_t found = metrics_after("cm", a).bandwidth;
    for (const VertexId start : {far.start, far.end, narrow.start, narrow.end}) {
      const Ids order = sequential_cuthill_mckee_of_all(graph.view(), [&](std::size_t) { return start; });
      const Permutation perm{std::span<const std::uint32_t>(order)};
      const std::uint64_t bandwidth = envelope_metrics(view_of(reordered(a, perm))).bandwidth;
      EXPECT_LE(found, bandwidth);
      improved.insert(found < bandwidth);
    }
  }
  EXPECT_EQ(improved.size(), 2u);  // the starts do differ
}

TEST(Rcm, FindsTheBandOfAShuffledMatrix) {
  EXPECT_LE(metrics_after("rcm", generated("poisson2d:n=60,shuffle=3")).bandwidth, 62u);
  EXPECT_LE(metrics_after("rcm", generated("tridiag:n=5000,shuffle=3")).bandwidth, 1u);
}

/// Sloan's algorithm as written down: the whole list of candidates is searched for each vertex numbered.
Ids plain_sloan(GraphView graph, PseudoDiameter ends) {
  enum Stage { inactive, preactive, active, postactive };
  LevelStructure levels(graph);
  levels.build(ends.end);
  std::vector<std::int64_t> priority(graph.vertices);
  for (std::size_t distance = 0; distance <= levels.height(); ++distance)
    for (const VertexId v : levels.level(distance))
      priority[v] = static_cast<std::int64_t>(distance) - 2 * (std::int64_t{graph.degree(v)} + 1);
  std::vector<Stage> stage(graph.vertices, inactive);
  const auto raise = [&](VertexId v) {
    priority[v] += 2;
    if (stage[v] == inactive) stage[v] = preactive;
  };
  Ids order;
  stage[ends.start] = preactive;
  for (;;) {
    std::int64_t best = -1;
    for (VertexId v = 0; v < graph.vertices; ++v)
      if ((stage[v] == preactive || stage[v] == active) && (best < 0 || priority[v] > priority[best])) best = v;
    if (best < 0) return order;
    const auto chosen = static_cast<VertexId>(best);
    if (stage[chosen] == preactive)
      for (const VertexId w : graph.neighbors(chosen)) raise(w);
    stage[chosen] = postactive;
    order.push_back(chosen);
    for (const VertexId w : graph.neighbors(chosen)) {
      if (stage[w] != preactive) continue;
      stage[w] = active;
      raise(w);
      for (const VertexId x : graph.neighbors(w)) raise(x);
    }
  }
}

TEST(Sloan, AgreesWithThePlainAlgorithm) {
  for (const auto& [name, matrix] : square_patterns()) {
    const Graph graph = graph_of(view_of(matrix));
    const Components components = connected_components(graph.view());
    LevelStructure levels(graph.view());
    Ids expected;
    for (std::size_t c = 0; c < components.count(); ++c) {
      const auto vertices = components.component(c);
      Ids part(vertices.begin(), vertices.end());
      if (part.size() > 2) part = plain_sloan(graph.view(), narrow_pair(graph.view(), levels, part.front()));
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(order_of("sloan", matrix), expected) << name;
  }
}

/// King's algorithm as written down: all of the front is looked at for each vertex numbered.
Ids plain_king(GraphView graph, VertexId start) {
  Ids front = {start}, order;
  std::set<VertexId> entered = {start};
  const auto new_neighbors = [&](VertexId v) {
    const auto all = graph.neighbors(v);
    return std::count_if(all.begin(), all.end(), [&](VertexId w) { return entered.count(w) == 0; });
  };
  while (!front.empty()) {
    const auto next = std::min_element(front.begin(), front.end(),
                                       [&](VertexId v, VertexId w) { return new_neighbors(v) < new_neighbors(w); });
    order.push_back(*next);
    front.erase(next);
    for (const VertexId w : graph.neighbors(order.back()))
      if (entered.insert(w).second) front.push_back(w);
  }
  return order;
}

TEST(King, AgreesWithThePlainAlgorithm) {
  for (const auto& [name, matrix] : square_patterns()) {
    const Graph graph = graph_of(view_of(matrix));
    const Components components = connected_components(graph.view());
    LevelStructure levels(graph.view());
    Ids expected;
    for (std::size_t c = 0; c < components.count(); ++c) {
      const auto vertices = components.component(c);
      Ids part(vertices.begin(), vertices.end());
      if (part.size() > 2) part = plain_king(graph.view(), narrow_pair(graph.view(), levels, part.front()).start);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(order_of("king", matrix), expected) << name;
  }
}

TEST(King, KeepsTheFrontOfATreeSmall) {  // level by level it would hold a vertex of nearly each branch
  const Csr<Owned> a = pattern_of(900, shuffled(tree(900, 3), 900));
  EXPECT_LT(2 * metrics_after("king", a).profile, metrics_after("rcm", a).profile);
}

/// Edges that an elimination in this order adds.
std::size_t fill_of(const Csr<Owned>& a, const Ids& order) {
  std::vector<std::set<std::uint32_t>> adjacent(a.rows);
  for (const auto& [v, w] : edges_of(a)) adjacent[v].insert(w);
  std::size_t fill = 0;
  for (const std::uint32_t pivot : order) {
    for (const std::uint32_t v : adjacent[pivot]) adjacent[v].erase(pivot);
    for (const std::uint32_t v : adjacent[pivot])
      for (const std::uint32_t w : adjacent[pivot])
        if (v < w && adjacent[v].insert(w).second) {
          adjacent[w].insert(v);
          ++fill;
        }
  }
  return fill;
}

TEST(MinimumDegree, FillsNothingWhereNothingNeedsFilling) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Csr<Owned> a = pattern_of(80, shuffled(tree(80, seed), 80, seed));
    EXPECT_EQ(fill_of(a, order_of("mmd", a)), 0u);
  }
  const Csr<Owned> complete = make_csr({"", 9, 9, dense(9, 9), {}});
  EXPECT_EQ(fill_of(complete, order_of("mmd", complete)), 0u);
  const Csr<Owned> ring = pattern_of(31, shuffled(cycle(31), 31));
  EXPECT_EQ(fill_of(ring, order_of("mmd", ring)), 28u);  // a ring of n needs n - 3
}

TEST(MinimumDegree, FillsLessThanABand) {
  const Csr<Owned> a = pattern_of(400, shuffled(grid(20, 20), 400));
  EXPECT_LT(4 * fill_of(a, order_of("mmd", a)), 3 * fill_of(a, order_of("rcm", a)));
}

TEST(MinimumDegree, PutsDenseVerticesLast) {  // by its degree alone the hub would go before the grid
  std::vector<Entry> edges = star(700, 5);
  for (const auto& [a, b] : grid(40, 50)) edges.emplace_back(a + 700, b + 700);
  EXPECT_EQ(order_of("mmd", pattern_of(2700, edges)).back(), 5u);
}

TEST(NestedDissection, FillsLittle) {
  const auto nd = find_ordering("nd");
  ASSERT_TRUE(nd.ok());
  if (!nd->missing.empty()) GTEST_SKIP() << nd->missing;
  const Csr<Owned> hub = pattern_of(1000, star(1000, 5)), complete = make_csr({"", 66, 66, dense(66, 66), {}});
  EXPECT_EQ(fill_of(hub, order_of("nd", hub)), 0u);
  EXPECT_EQ(fill_of(complete, order_of("nd", complete)), 0u);
  const Csr<Owned> forest = pattern_of(900, shuffled(tree(900, 3), 900));
  EXPECT_LT(fill_of(forest, order_of("nd", forest)), 100u);
  for (const std::uint32_t side : {15u, 40u}) {
    const Csr<Owned> a = pattern_of(side * side, shuffled(grid(side, side), side * side));
    const std::size_t fill = fill_of(a, order_of("nd", a));
    EXPECT_LT(10 * fill, 12 * fill_of(a, order_of("mmd", a))) << side;
    EXPECT_LT(4 * fill, 3 * fill_of(a, order_of("rcm", a))) << side;
  }
}

TEST(Orderings, StayQuickOnAwkwardShapes) {  // each of these is hopeless in quadratic time, or by recursion
  const std::uint32_t n = 100000;
  std::vector<Entry> triples;
  for (std::uint32_t v = 0; v + 2 < n; v += 3) triples.insert(triples.end(), {{v, v + 1}, {v, v + 2}});
  const std::vector<NamedPattern> shapes = [&] {
    std::vector<NamedPattern> out;
    out.push_back({"isolated", pattern_of(n, {})});
    out.push_back({"path", pattern_of(n, path(n))});
    out.push_back({"star", pattern_of(n, star(n, n / 2))});
    out.push_back({"triples", pattern_of(n, triples)});
    out.push_back({"grid with a hub", pattern_of(90001, grid(300, 300) + star(90001, 90000))});
    out.push_back({"one dense row", make_csr({"", n, n, star(n, 0), {}}, Fill::pattern)});
    return out;
  }();
  for (const auto& [name, matrix] : shapes)
    for (const Ordering& ordering : symmetric_orderings()) {
      SCOPED_TRACE(name + " " + std::string(ordering.name));
      order_of(ordering.name, matrix);
    }
}

}  // namespace
}  // namespace spress::reorder
