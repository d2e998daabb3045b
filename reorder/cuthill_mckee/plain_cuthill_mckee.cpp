#include "reorder/cuthill_mckee/plain_cuthill_mckee.hpp"

#include <algorithm>

#include "reorder/core/start_vertex.hpp"

namespace spress::reorder {

void plain_cuthill_mckee(GraphView graph, VertexId start, VertexId* order) {
  HostArray<std::uint8_t> seen(graph.vertices, 0);
  VertexId found = 0;
  const auto reach = [&](VertexId v) {
    if (seen[v] != 0) return;
    seen[v] = 1;
    order[found++] = v;
  };
  reach(start);
  for (VertexId head = 0; head < found; ++head) {
    VertexId* const children = order + found;
    for (const VertexId neighbor : graph.neighbors(order[head])) reach(neighbor);
    std::stable_sort(children, order + found,
                     [&](VertexId a, VertexId b) { return graph.degree(a) < graph.degree(b); });
  }
}

VertexId george_liu_start(GraphView graph, VertexId first) {
  LevelStructure levels(graph);
  return farthest_pair(graph, levels, first).end;
}

}  // namespace spress::reorder
