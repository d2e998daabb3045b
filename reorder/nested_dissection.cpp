// Nested dissection. Source: George, Nested dissection of a regular finite element mesh, SIAM J. Numer. Anal. 10
// (1973), 345-363.
#include "reorder/methods.hpp"
#include "reorder/scotch.hpp"

namespace spress::reorder {

Result<Permutation> methods::nested_dissection(const Csr<Viewed>& a) { return scotch::dissect(graph_of(a).view()); }

}  // namespace spress::reorder
