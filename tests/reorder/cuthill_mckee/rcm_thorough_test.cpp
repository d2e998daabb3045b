#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "formats/gallery/gallery.hpp"
#include "reorder/core/by_component.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/cuthill_mckee/cuthill_mckee.hpp"
#include "reorder/cuthill_mckee/plain_cuthill_mckee.hpp"
#include "reorder/cuthill_mckee/vertex_line.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

using Ids = std::vector<VertexId>;

/// Graphs in one piece, of three vertices or more.
std::vector<NamedPattern> connected_patterns() {
  std::vector<NamedPattern> out;
  const auto add = [&](std::string name, std::uint32_t n, const std::vector<Entry>& edges) {
    out.push_back({std::move(name), pattern_of(n, shuffled(edges, n))});
  };
  add("path", 40, path(40));
  add("cycle", 31, cycle(31));
  add("star", 50, star(50, 17));
  add("grid", 60, grid(5, 12));
  add("square grid", 400, grid(20, 20));
  for (std::uint32_t seed = 1; seed < 12; ++seed) {
    add("tree", 100, tree(100, seed));
    add("two trees", 120, tree(120, seed) + tree(120, seed + 100));
  }
  out.push_back({"dense", make_csr({"", 9, 9, dense(9, 9), {}}, Fill::pattern)});
  return out;
}

/// What the line says must be what it is.
void expect_sound(const Line& line, GraphView graph) {
  ASSERT_TRUE(is_permutation(line.places().span(), graph.vertices));
  std::uint64_t bandwidth = 0, profile = 0, reverse_profile = 0;
  for (VertexId v = 0; v < graph.vertices; ++v) {
    VertexId first = line.place(v), last = first;
    for (const VertexId w : graph.neighbors(v)) {
      first = std::min(first, line.place(w));
      last = std::max(last, line.place(w));
    }
    bandwidth = std::max<std::uint64_t>({bandwidth, line.place(v) - first, last - line.place(v)});
    profile += line.place(v) - first;
    reverse_profile += last - line.place(v);
  }
  EXPECT_EQ(line.bandwidth(), bandwidth);
  EXPECT_EQ(line.profile(), profile);
  EXPECT_EQ(line.reverse_profile(), reverse_profile);
}

TEST(Line, ByHand) {
  const Graph graph = graph_of(view_of(pattern_of(4, path(4))));
  Line line(graph.view());
  EXPECT_EQ(line.bandwidth(), 1u);
  EXPECT_EQ(line.profile(), 3u);
  line.assign(Ids{0, 3, 1, 2});  // the path 0-1-2-3 stands as 0 2 3 1
  EXPECT_EQ(line.bandwidth(), 3u);
  EXPECT_EQ(line.profile(), 0u + 0 + 1 + 3);
  EXPECT_EQ(line.reverse_profile(), 3u + 2 + 0 + 0);
  line.reverse();
  EXPECT_EQ(line.profile(), 5u);
  expect_sound(line, graph.view());
  line.climb(1000);
  EXPECT_LE(line.bandwidth(), 2u);
}

TEST(Line, ClimbingNeverWidens) {
  for (const auto& [name, matrix] : connected_patterns()) {
    SCOPED_TRACE(name);
    const Graph graph = graph_of(view_of(matrix));
    Line line(graph.view());
    for (int round = 0; round < 4; ++round) {
      const std::uint64_t before = line.bandwidth();
      line.climb(100000);
      EXPECT_LE(line.bandwidth(), before);
      expect_sound(line, graph.view());
      line.gather(round % 2 == 0 ? 0.5 : 0.9);
      expect_sound(line, graph.view());
    }
  }
}

TEST(Line, ClimbingStraightensWhatIsBent) {
  const Graph graph = graph_of(view_of(pattern_of(12, path(12))));
  Line line(graph.view());
  line.assign(Ids{0, 1, 2, 3, 9, 5, 6, 7, 8, 4, 10, 11});
  EXPECT_EQ(line.bandwidth(), 6u);
  line.climb(10000);
  EXPECT_LE(line.bandwidth(), 2u);
}

TEST(Line, ExchangesLowerTheProfileByWhatTheySay) {
  bool gained = false;
  for (const auto& [name, matrix] : connected_patterns()) {
    SCOPED_TRACE(name);
    const Graph graph = graph_of(view_of(matrix));
    Line line(graph.view());
    const std::uint64_t most = line.bandwidth();
    for (int sweep = 0; sweep < 6; ++sweep) {
      const std::uint64_t before = line.profile();
      const std::uint64_t less = line.exchange_neighbors(most, sweep % 2 != 0, 1000000);
      gained = gained || less > 0;
      EXPECT_EQ(line.profile(), before - less);
      EXPECT_LE(line.bandwidth(), most);
      expect_sound(line, graph.view());
    }
  }
  EXPECT_TRUE(gained);
}

EnvelopeMetrics metrics_of(const Csr<Owned>& a, std::string_view ordering) {
  const auto to = compute_ordering(ordering, view_of(a));
  if (!to.ok()) throw std::runtime_error(to.error().text());
  return envelope_metrics(view_of(permute(view_of(a), *to)));
}

/// Of the pattern of A + A^T: a profile looks at the rows alone.
EnvelopeMetrics graph_metrics_of(const Csr<Owned>& a, const Reordering& to) {
  const Graph graph = graph_of(view_of(a));
  std::vector<Entry> edges;
  for (VertexId v = 0; v < graph.view().vertices; ++v)
    for (const VertexId w : graph.view().neighbors(v)) edges.emplace_back(v, w);
  const auto n = static_cast<std::uint32_t>(a.rows);
  const Csr<Owned> both = make_csr({"", n, n, std::move(edges), {}}, Fill::pattern);
  return envelope_metrics(view_of(permute(view_of(both), to)));
}

EnvelopeMetrics graph_metrics_of(const Csr<Owned>& a, std::string_view ordering) {
  auto to = compute_ordering(ordering, view_of(a));
  if (!to.ok()) throw std::runtime_error(to.error().text());
  return graph_metrics_of(a, *to);
}

/// After reverse Cuthill-McKee as George and Liu wrote it.
EnvelopeMetrics plain_metrics_of(const Csr<Owned>& a) {
  Permutation order = order_by_component(graph_of(view_of(a)).view(), [](GraphView graph, VertexId* out) {
    plain_cuthill_mckee(graph, george_liu_start(graph, 0), out);
  });
  std::reverse(order.begin(), order.end());
  return graph_metrics_of(a, {order, order});
}

TEST(RcmThorough, IsNeverAbovePlainRcm) {
  std::uint64_t all = 0, narrower = 0, smaller = 0;
  for (const auto& patterns : {square_patterns(), connected_patterns()})
    for (const auto& [name, matrix] : patterns) {
      const EnvelopeMetrics plain = plain_metrics_of(matrix), found = graph_metrics_of(matrix, "rcm-thorough");
      EXPECT_LE(found.bandwidth, plain.bandwidth) << name;
      EXPECT_LE(found.profile, plain.profile) << name;
      const EnvelopeMetrics fast = graph_metrics_of(matrix, "rcm");  // wider than that only for the profile
      if (found.profile >= fast.profile) {
        EXPECT_LE(found.bandwidth, fast.bandwidth) << name;
      }
      ++all;
      narrower += found.bandwidth < fast.bandwidth;
      smaller += found.profile < plain.profile;
    }
  EXPECT_GT(narrower, std::max<std::uint64_t>(20, all / 4));
  EXPECT_GT(smaller, all / 4);
}

TEST(RcmThorough, IsNotAbovePlainRcmWhenItsStepsAreSpent) {  // unsymmetric, and of enough entries to have few steps
  const auto matrix = gallery::generate(*parse_spec("powerlaw:n=100000,values=pattern"));
  ASSERT_TRUE(matrix.ok()) << matrix.error().text();
  const EnvelopeMetrics plain = plain_metrics_of(matrix->csr), found = graph_metrics_of(matrix->csr, "rcm-thorough");
  EXPECT_LE(found.bandwidth, plain.bandwidth);
  EXPECT_LE(found.profile, plain.profile);
}

TEST(RcmThorough, LaysAMeshInSheets) {  // from a corner or the middle of a side levels are bent
  const auto matrix = gallery::generate(*parse_spec("stencil27:n=20,shuffle=3,values=pattern"));
  ASSERT_TRUE(matrix.ok()) << matrix.error().text();
  const EnvelopeMetrics plain = metrics_of(matrix->csr, "rcm"), found = metrics_of(matrix->csr, "rcm-thorough");
  EXPECT_LT(found.bandwidth * 4, plain.bandwidth * 3);
  EXPECT_LT(found.profile, plain.profile);
}

TEST(RcmThorough, IsTheSameOnAnyNumberOfThreads) {
  const auto matrix = gallery::generate(*parse_spec("fem3d:n=22,shuffle=3,values=pattern"));
  ASSERT_TRUE(matrix.ok()) << matrix.error().text();
  const int before = omp_get_max_threads();
  std::vector<Permutation> orders;
  for (const int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    auto order = methods::reverse_cuthill_mckee_thorough(view_of(matrix->csr));
    ASSERT_TRUE(order.ok());
    orders.push_back(std::move(*order));
  }
  omp_set_num_threads(before);
  for (const Permutation& order : orders) {
    EXPECT_TRUE(is_permutation(order.span(), matrix->csr.rows));
    EXPECT_TRUE(std::equal(order.begin(), order.end(), orders[0].begin(), orders[0].end()));
  }
}

}  // namespace
}  // namespace spress::reorder
