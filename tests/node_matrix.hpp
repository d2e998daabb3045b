// Matrices of several unknowns a node, whose rows begin alike.
#pragma once

#include <cstdint>

#include "tests/scenarios.hpp"

namespace spress::tests {

/// A line of nodes with `unknowns` rows each, each coupled with all of its node and of the nodes beside it.
inline Csr<Owned> node_matrix(std::uint32_t nodes, std::uint32_t unknowns) {
  Scenario s;
  s.rows = s.cols = std::uint64_t{nodes} * unknowns;
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    const std::uint32_t node = r / unknowns, first = node == 0 ? 0 : node - 1, last = std::min(node + 2, nodes);
    for (std::uint32_t c = first * unknowns; c < last * unknowns; ++c) s.entries.emplace_back(r, c);
  }
  return make_csr(s);
}

}  // namespace spress::tests
