#include "reorder/plain_cuthill_mckee.hpp"

#include <algorithm>
#include <utility>

#include "reorder/level_search.hpp"
#include "reorder/start_vertex.hpp"

namespace spress::reorder {

Permutation plain_cuthill_mckee(GraphView graph, PlainStart start) {
  const Components components = connected_components(graph);
  LevelStructure levels(graph);
  const auto start_of = [&](std::span<const VertexId> vertices) {
    if (start == PlainStart::george_liu) return farthest_pair(graph, levels, vertices[0]).end;
    return *std::min_element(vertices.begin(), vertices.end(), [&](VertexId a, VertexId b) {
      return std::pair(graph.degree(a), a) < std::pair(graph.degree(b), b);
    });
  };
  LevelSearch<std::uint64_t> search({graph.vertices, graph.row_ptr, graph.adjacency}, 1);
  VertexId done = 0;
  for (std::size_t c = 0; c < components.count(); ++c) {
    const VertexId first = start_of(components.component(c));
    done += search.run(done, {&first, 1}).count;
  }
  return Permutation(search.order().span());
}

}  // namespace spress::reorder
