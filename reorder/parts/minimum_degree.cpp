// Multiple minimum degree. Source: George and Liu, The evolution of the minimum degree ordering algorithm, SIAM Review
// 31 (1989), 1-19. Vertices of very high degree are put last, as AMD does: Amestoy, Davis and Duff, Algorithm 837,
// ACM TOMS 30 (2004), 381-388. Their rows would be walked again for each neighbor that goes.
#include <algorithm>
#include <boost/graph/minimum_degree_ordering.hpp>
#include <cmath>
#include <tuple>
#include <vector>

#include "reorder/core/methods.hpp"
#include "reorder/parts/elimination_graph.hpp"

namespace spress::reorder {
namespace {

HostArray<std::uint8_t> find_dense(GraphView graph) {
  const double limit = std::max(16.0, 10.0 * std::sqrt(static_cast<double>(graph.vertices)));
  HostArray<std::uint8_t> dense(graph.vertices);
  for (VertexId v = 0; v < graph.vertices; ++v) dense[v] = static_cast<double>(graph.degree(v)) > limit;
  return dense;
}

/// Boost looks one list of equal degrees too far, which this vertex gives it.
constexpr VertexId spare_vertices = 1;

/// Boost negates what it gets from here, so ids must come signed and wide.
struct SignedIndex {
  using key_type = VertexId;
  using value_type = std::int64_t;
  using reference = std::int64_t;
  using category = boost::readable_property_map_tag;
  friend std::int64_t get(SignedIndex, VertexId v) { return v; }
  std::int64_t operator[](VertexId v) const { return v; }
};

/// All vertices as Boost orders them, the spare one included.
std::vector<std::int64_t> eliminate(EliminationGraph graph) {
  const std::size_t n = graph.vertices();
  std::vector<std::size_t> degree(n);
  std::vector<std::int64_t> inverse(n), order(n), supernode_size(n, 1);
  boost::minimum_degree_ordering(graph, degree.data(), inverse.data(), order.data(), supernode_size.data(), 0,
                                 SignedIndex{});
  return order;
}

}  // namespace

Result<Permutation> methods::minimum_degree(const Csr<Viewed>& a) {
  const Graph graph = graph_of(a);
  const GraphView view = graph.view();
  const HostArray<std::uint8_t> dense = find_dense(view);
  Permutation perm(view.vertices);
  VertexId* at = perm.begin();
  for (const std::int64_t v : eliminate(EliminationGraph(view, dense, spare_vertices)))
    if (v < view.vertices && !dense[static_cast<std::size_t>(v)]) *at++ = static_cast<VertexId>(v);
  VertexId* const first_dense = at;
  for (VertexId v = 0; v < view.vertices; ++v)
    if (dense[v]) *at++ = v;
  std::sort(first_dense, at,
            [&](VertexId x, VertexId y) { return std::tuple(view.degree(x), x) < std::tuple(view.degree(y), y); });
  return perm;
}

}  // namespace spress::reorder
