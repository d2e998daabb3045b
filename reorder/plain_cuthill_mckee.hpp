// Cuthill-McKee as it was first written down, one search a component: the measure of what does more. Internal.
#pragma once

#include <cstdint>

#include "reorder/graph.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {

/// The vertex of a component that comes first.
enum class PlainStart : std::uint8_t {
  george_liu,    ///< the end of farthest_pair from the component's first vertex, as in SPARSPAK
  least_degree,  ///< the first of them
};

/// Components in the order of their first vertices; the neighbors of each vertex by degree, ties by id.
/// Cost: a few searches at most, each linear.
/// Source: George and Liu, Computer Solution of Large Sparse Positive Definite Systems, Prentice-Hall (1981),
/// chapter 4.
[[nodiscard]] Permutation plain_cuthill_mckee(GraphView graph, PlainStart start);

}  // namespace spress::reorder
