// Nested dissection. Source: George, Nested dissection of a regular finite element mesh, SIAM J. Numer. Anal. 10
// (1973), 345-363.
#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "formats/core/threads.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/core/start_vertex.hpp"
#include "reorder/parts/block_elimination.hpp"
#include "reorder/parts/scotch.hpp"

namespace spress::reorder {
namespace {

/// Components smaller than this are not worth dissecting, and many of them keep Scotch busy for seconds.
constexpr std::size_t least_component = 32;

/// The graph of the vertices given, numbered as they come. Requires: whole components.
Graph subgraph(GraphView graph, const Permutation& vertices) {
  HostArray<VertexId> place(graph.vertices, std::numeric_limits<VertexId>::max());
  std::uint64_t arcs = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    place[vertices[i]] = static_cast<VertexId>(i);
    arcs += graph.degree(vertices[i]);
  }
  Graph out{HostArray<std::uint64_t>(vertices.size() + 1), HostArray<VertexId>(arcs)};
  VertexId* at = out.adjacency.data();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    out.row_ptr[i] = static_cast<std::uint64_t>(at - out.adjacency.data());
    for (const VertexId neighbor : graph.neighbors(vertices[i])) *at++ = place[neighbor];
  }
  out.row_ptr[vertices.size()] = arcs;
  return out;
}

}  // namespace

Result<Permutation> methods::nested_dissection(const Csr<Viewed>& a) {
  const Graph graph = graph_of(a);
  const Components components = connected_components(graph.view());
  Permutation order(graph.view().vertices), large(graph.view().vertices);
  std::vector<std::span<VertexId>> blocks;  // small components, and what separators leave
  std::size_t ordered = 0, left = 0;
  for (std::size_t c = 0; c < components.count(); ++c) {
    const auto component = components.component(c);
    const bool is_small = component.size() < least_component;
    std::copy(component.begin(), component.end(), is_small ? order.begin() + ordered : large.begin() + left);
    if (is_small) blocks.emplace_back(order.data() + ordered, component.size());
    (is_small ? ordered : left) += component.size();
  }
  large = Permutation(large.span().first(left));
  std::sort(large.begin(), large.end());
  SPRESS_TRY(const auto dissected, scotch::dissect(subgraph(graph.view(), large).view()));
  std::transform(dissected.order.begin(), dissected.order.end(), order.begin() + ordered,
                 [&](VertexId v) { return large[v]; });
  for (const auto& [first, last] : dissected.blocks) blocks.emplace_back(order.data() + ordered + first, last - first);
  parallel_for_dynamic(blocks.size(), threads_worth(0, graph.row_ptr[order.size()]), [&](std::uint64_t b, std::size_t) {
    std::sort(blocks[b].begin(), blocks[b].end());
    eliminate_block(graph.view(), blocks[b]);
  });
  return order;
}

}  // namespace spress::reorder
