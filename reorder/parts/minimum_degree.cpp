#include <numeric>

#include "reorder/core/methods.hpp"
#include "reorder/parts/block_elimination.hpp"

namespace spress::reorder {

Result<Permutation> methods::minimum_degree(const Csr<Viewed>& a) {
  const Graph graph = graph_of(a);
  Permutation perm(graph.view().vertices);
  std::iota(perm.begin(), perm.end(), VertexId{0});
  eliminate_block(graph.view(), {perm.begin(), perm.size()});
  return perm;
}

}  // namespace spress::reorder
