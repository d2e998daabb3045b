// Cuthill-McKee on the nodes of a mesh: unknowns of a node have the same neighbors and stay together, so that
// the dense blocks of the matrix stay dense, which an ordering of single unknowns tears apart. Source: Ashcraft,
// Compressed graphs and the minimum degree algorithm, SIAM J. Sci. Comput. 16 (1995), 1404-1411.
#include "reorder/core/groups.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/cuthill_mckee/cuthill_mckee.hpp"

namespace spress::reorder {

Result<Permutation> methods::cuthill_mckee_of_nodes(const Csr<Viewed>& a) {
  const Graph graph = graph_of(a);
  const Groups nodes = group_equal_neighborhoods(graph.view());
  return expand(cuthill_mckee(quotient(graph.view(), nodes, nodes, false).view()), nodes);
}

}  // namespace spress::reorder
