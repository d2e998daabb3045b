#include "reorder/core/by_component.hpp"

#include <algorithm>

namespace spress::reorder {
namespace {

/// The graph with vertices taken in the order of the components and numbered from 0 in each.
Graph rename_vertices(GraphView graph, const Components& components) {
  const Permutation place = invert(components.vertices);
  Graph renamed{HostArray<std::uint64_t>(std::size_t{graph.vertices} + 1),
                HostArray<VertexId>(graph.row_ptr[graph.vertices])};
  std::uint64_t at = 0;
  for (std::size_t c = 0; c < components.count(); ++c) {
    const auto base = static_cast<VertexId>(components.starts[c]);
    for (std::uint64_t i = base; i < components.starts[c + 1]; ++i) {
      renamed.row_ptr[i] = at;
      for (const VertexId neighbor : graph.neighbors(components.vertices[i]))
        renamed.adjacency[at++] = place[neighbor] - base;
    }
  }
  renamed.row_ptr[graph.vertices] = at;
  return renamed;
}

}  // namespace

Permutation order_by_component(GraphView graph, OrderComponent order) {
  Components components = connected_components(graph);
  const Graph renamed = rename_vertices(graph, components);
  HostArray<VertexId> local(graph.vertices);
  for (std::size_t c = 0; c < components.count(); ++c) {
    const std::uint64_t begin = components.starts[c], end = components.starts[c + 1];
    if (end - begin < 3) continue;  // any order is as good as another
    const VertexId* names = components.vertices.data() + begin;
    order({static_cast<VertexId>(end - begin), renamed.row_ptr.data() + begin, renamed.adjacency.data(), names},
          local.data() + begin);
    std::transform(local.data() + begin, local.data() + end, local.data() + begin,
                   [&](VertexId v) { return names[v]; });
    std::copy(local.data() + begin, local.data() + end, components.vertices.data() + begin);
  }
  return std::move(components.vertices);
}

}  // namespace spress::reorder
