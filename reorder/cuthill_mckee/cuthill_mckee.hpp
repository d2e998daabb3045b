// Cuthill-McKee and its reverse share all but the last step.
#pragma once

#include <cstdint>

#include "reorder/core/graph.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {

/// Graphs of no more entries get more starts: there they cost little, and choices of few vertices weigh more.
inline constexpr std::uint64_t few_entries = std::uint64_t{10} << 16;

/// Vertices in Cuthill-McKee order, component by component: breadth first, the neighbors of each vertex by degree, ties
/// by id. Of the starts tried for a component the one that gives the smallest bandwidth wins, then the one whose levels
/// are narrowest. The same whatever the number of threads. Components come by their smallest degrees.
/// Cost: linear in edges; a few searches, more for a graph of few edges.
/// Source: Cuthill and McKee, Reducing the bandwidth of sparse symmetric matrices, Proc. 24th ACM Nat. Conf. (1969),
/// 157-172; by levels on several threads: Karantasis, Lenharth, Nguyen, Garzaran and Pingali, Parallelization of
/// reordering algorithms for bandwidth and wavefront reduction, SC14 (2014), 921-932.
[[nodiscard]] Permutation cuthill_mckee(GraphView graph);

/// That of the graph of A + A^T, which is not built where the pattern of a large matrix is symmetric.
/// Requires: a square matrix.
[[nodiscard]] Permutation cuthill_mckee(const Csr<Viewed>& a);

}  // namespace spress::reorder
