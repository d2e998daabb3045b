// Parts of some thousand vertices, each as closed as can be, in a line on which neighbors are near: what lies in one
// part has small differences of column ids, whatever the size of the matrix, where a band has them as wide as itself.
#include "reorder/parts/partition.hpp"

#include <algorithm>
#include <numeric>

#include "reorder/core/groups.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/cuthill_mckee/cuthill_mckee.hpp"
#include "reorder/parts/scotch.hpp"

namespace spress::reorder {
namespace {

/// The vertices of `order`, those of part 0 first, then those of part 1, and so on; within a part as they come.
Permutation gather_parts(const Permutation& order, const HostArray<VertexId>& part, VertexId parts) {
  HostArray<std::uint64_t> next(std::size_t{parts} + 1, 0);
  for (const VertexId p : part) ++next[std::size_t{p} + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  Permutation out(order.size());
  for (const VertexId v : order) out[next[part[v]]++] = v;
  return out;
}

/// The graph without the edges between parts.
Graph cut(GraphView graph, const HostArray<VertexId>& part) {
  Graph out{HostArray<std::uint64_t>(std::size_t{graph.vertices} + 1),
            HostArray<VertexId>(graph.row_ptr[graph.vertices])};
  std::uint64_t at = 0;
  for (VertexId v = 0; v < graph.vertices; ++v) {
    out.row_ptr[v] = at;
    for (const VertexId w : graph.neighbors(v))
      if (part[w] == part[v]) out.adjacency[at++] = w;
  }
  out.row_ptr[graph.vertices] = at;
  return out;
}

}  // namespace

Result<Permutation> order_by_parts(GraphView graph, VertexId part_size) {
  const Groups nodes = group_equal_neighborhoods(graph);
  const Graph mesh = quotient(graph, nodes, nodes, false);
  HostArray<VertexId> unknowns(nodes.count());
  for (VertexId g = 0; g < nodes.count(); ++g) unknowns[g] = static_cast<VertexId>(nodes.group(g).size());
  const VertexId parts = std::max<VertexId>(1, graph.vertices / part_size);
  SPRESS_TRY(const auto part, scotch::map_to_line(mesh.view(), unknowns, parts));
  return expand(gather_parts(cuthill_mckee(cut(mesh.view(), part).view()), part, parts), nodes);
}

Result<Permutation> methods::partition(const Csr<Viewed>& a) {
  return order_by_parts(graph_of(a).view(), usual_part_size);
}

}  // namespace spress::reorder
