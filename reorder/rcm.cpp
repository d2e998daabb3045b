// Reverse Cuthill-McKee. Source: George, Computer implementation of the finite element method, Stanford CS-208 (1971);
// that reversing never enlarges the profile: Liu and Sherman, SIAM J. Numer. Anal. 13 (1976), 198-213.
#include <algorithm>

#include "reorder/cuthill_mckee.hpp"
#include "reorder/methods.hpp"

namespace spress::reorder {

Result<Permutation> methods::reverse_cuthill_mckee(const Csr<Viewed>& a) {
  const Graph graph = graph_of(a);
  Permutation order = cuthill_mckee(graph.view());
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace spress::reorder
