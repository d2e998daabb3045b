#include "reorder/cuthill_mckee.hpp"

#include <algorithm>
#include <array>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/two_bit_color_map.hpp>
#include <compare>
#include <deque>
#include <vector>

#include "reorder/boost_graph.hpp"
#include "reorder/methods.hpp"
#include "reorder/start_vertex.hpp"

namespace spress::reorder {
namespace {

/// Starts tried in each component: both ends of two pseudo-diameters.
constexpr std::size_t starts_tried = 4;
using Starts = std::array<VertexId, starts_tried>;

std::vector<Starts> choose_starts(GraphView graph, const Components& components) {
  std::vector<Starts> starts(components.count());
  LevelStructure levels(graph);
  for (std::size_t c = 0; c < components.count(); ++c) {
    const VertexId root = components.component(c).front();
    if (graph.degree(root) == 0) {
      starts[c].fill(root);
      continue;
    }
    const PseudoDiameter far = farthest_pair(graph, levels, root), narrow = narrow_pair(graph, levels, root);
    starts[c] = {far.end, far.start, narrow.end, narrow.start};
  }
  return starts;
}

/// All components in one pass of Boost's, each from its start of the given round: the components keep their places.
Permutation order_from(GraphView graph, const std::vector<Starts>& starts, std::size_t round) {
  std::deque<VertexId> queue;
  for (const Starts& of_component : starts) queue.push_back(of_component[round]);
  Permutation order(graph.vertices);
  const auto index = boost::typed_identity_property_map<VertexId>();
  boost::cuthill_mckee_ordering(graph, std::move(queue), order.data(),
                                boost::make_two_bit_color_map(graph.vertices, index), DegreeKeyMap{graph});
  return order;
}

struct Cost {
  std::uint64_t bandwidth = 0, profile = 0;
  auto operator<=>(const Cost&) const = default;
};

/// Bandwidth of each component, and its profile once reversed.
std::vector<Cost> measure(GraphView graph, const Components& components, const Permutation& order) {
  const Permutation place = invert(order);
  std::vector<Cost> costs(components.count());
  for (std::size_t c = 0; c < components.count(); ++c)
    for (const VertexId v : components.component(c)) {
      VertexId first = place[v], last = place[v];
      for (const VertexId neighbor : graph.neighbors(v)) {
        first = std::min(first, place[neighbor]);
        last = std::max(last, place[neighbor]);
      }
      costs[c].bandwidth = std::max<std::uint64_t>({costs[c].bandwidth, place[v] - first, last - place[v]});
      costs[c].profile += last - place[v];
    }
  return costs;
}

}  // namespace

Permutation cuthill_mckee(GraphView graph) {
  if (graph.vertices == 0) return {};
  const Components components = connected_components(graph);
  const std::vector<Starts> starts = choose_starts(graph, components);
  std::array<Permutation, starts_tried> orders;
  std::array<std::vector<Cost>, starts_tried> costs;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t round = 0; round < starts_tried; ++round) {
    orders[round] = order_from(graph, starts, round);
    costs[round] = measure(graph, components, orders[round]);
  }
  for (std::size_t c = 0; c < components.count(); ++c) {
    std::size_t best = 0;
    for (std::size_t round = 1; round < starts_tried; ++round)
      if (costs[round][c] < costs[best][c]) best = round;
    if (best != 0)
      std::copy(orders[best].begin() + components.starts[c], orders[best].begin() + components.starts[c + 1],
                orders[0].begin() + components.starts[c]);
  }
  return std::move(orders[0]);
}

Result<Permutation> methods::forward_cuthill_mckee(const Csr<Viewed>& a) { return cuthill_mckee(graph_of(a).view()); }

}  // namespace spress::reorder
