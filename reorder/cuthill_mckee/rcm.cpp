// Reverse Cuthill-McKee. Source: George, Computer implementation of the finite element method, Stanford CS-208 (1971);
// that reversing never enlarges the profile: Liu and Sherman, SIAM J. Numer. Anal. 13 (1976), 198-213.
#include <algorithm>

#include "reorder/core/methods.hpp"
#include "reorder/cuthill_mckee/cuthill_mckee.hpp"

namespace spress::reorder {

Result<Permutation> methods::reverse_cuthill_mckee(const Csr<Viewed>& a) {
  Permutation order = cuthill_mckee(a);
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace spress::reorder
