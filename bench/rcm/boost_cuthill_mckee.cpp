#include "bench/rcm/boost_cuthill_mckee.hpp"

#include <algorithm>
#include <array>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/two_bit_color_map.hpp>
#include <compare>

#include "formats/core/threads.hpp"
#include "reorder/core/boost_graph.hpp"
#include "reorder/core/by_component.hpp"

namespace spress::reorder {
namespace {

/// Starts tried in each component: both ends of two pseudo-diameters.
constexpr int most_starts = 4;
using Starts = std::array<VertexId, most_starts>;

Starts choose_starts(GraphView graph) {
  LevelStructure levels(graph);
  const PseudoDiameter far = farthest_pair(graph, levels, 0), narrow = narrow_pair(graph, levels, 0);
  return {far.end, far.start, narrow.end, narrow.start};
}

void order_from(GraphView graph, VertexId start, VertexId* out) {
  const auto index = boost::typed_identity_property_map<VertexId>();
  boost::cuthill_mckee_ordering(graph, start, out, boost::make_two_bit_color_map(graph.vertices, index),
                                DegreeKeyMap{graph});
}

struct Cost {
  std::uint64_t bandwidth = 0, profile = 0;
  auto operator<=>(const Cost&) const = default;
};

/// Bandwidth of an order, and its profile once reversed.
Cost cost_of(GraphView graph, const Permutation& order) {
  const Permutation place = invert(order);
  Cost cost;
  for (VertexId v = 0; v < graph.vertices; ++v) {
    VertexId last = place[v];
    for (const VertexId neighbor : graph.neighbors(v)) last = std::max(last, place[neighbor]);
    const std::uint64_t reach = last - place[v];
    cost.bandwidth = std::max(cost.bandwidth, reach);
    cost.profile += reach;
  }
  return cost;
}

void order_component(GraphView graph, VertexId* out) {
  const Starts starts = choose_starts(graph);
  std::array<Permutation, most_starts> orders;
  std::array<Cost, most_starts> costs;
  const auto order_from_start = [&](int k) {
    if (std::find(starts.begin(), starts.begin() + k, starts[k]) != starts.begin() + k) return;  // done already
    orders[k] = Permutation(graph.vertices);
    order_from(graph, starts[k], orders[k].data());
    costs[k] = cost_of(graph, orders[k]);
  };
  RegionErrors errors;
#pragma omp parallel for schedule(dynamic, \
                                  1) if (walk_is_worth_threads(graph.row_ptr[graph.vertices] - graph.row_ptr[0]))
  for (int k = 0; k < most_starts; ++k) errors.attempt(order_from_start, k);
  errors.rethrow();
  int best = 0;
  for (int k = 1; k < most_starts; ++k)
    if (!orders[k].empty() && costs[k] < costs[best]) best = k;
  std::copy(orders[best].begin(), orders[best].end(), out);
}

}  // namespace

Permutation boost_cuthill_mckee(GraphView graph) { return order_by_component(graph, order_component); }

}  // namespace spress::reorder
