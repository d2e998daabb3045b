// Cuthill-McKee as it was first written down, one search a component: the measure of what does more. Internal.
#pragma once

#include "reorder/core/graph.hpp"

namespace spress::reorder {

/// The order from `start` on, into order[0, vertices): the neighbors of each vertex by degree, those of the same degree
/// as they stand in its row.
/// Requires: a connected graph. Cost: linear, but for the sorting.
void plain_cuthill_mckee(GraphView graph, VertexId start, VertexId* order);

/// Where SPARSPAK begins, whose bandwidths MATLAB's symrcm has: where the walk of farthest_pair from `first` ends.
/// (That walks on where it takes more rounds than farthest_pair does at most.) Requires: a connected graph, neighbors
/// ascending by name. Source: George and Liu, Computer Solution of Large Sparse Positive Definite Systems,
/// Prentice-Hall (1981), chapter 4.
[[nodiscard]] VertexId george_liu_start(GraphView graph, VertexId first);

}  // namespace spress::reorder
