// Cuthill-McKee and its reverse share all but the last step.
#pragma once

#include "reorder/graph.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {

/// Vertices in Cuthill-McKee order, component by component: breadth first, the neighbors of each vertex by degree, ties
/// by id. Of the starts tried for a component the one that gives the smallest bandwidth wins, then the smallest profile
/// of the reversed order. Cost: about linear in edges; each start is one pass.
/// Source: Cuthill and McKee, Reducing the bandwidth of sparse symmetric matrices, Proc. 24th ACM Nat. Conf. (1969),
/// 157-172.
[[nodiscard]] Permutation cuthill_mckee(GraphView graph);

}  // namespace spress::reorder
