// Scotch, the library, on our graphs. Internal: only scotch.cpp needs its header, and builds without it have it say so.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "reorder/core/graph.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder::scotch {

/// What is missing where this build lacks Scotch, as a sentence; empty where it is in.
[[nodiscard]] std::string_view missing();

/// The vertices in their new order, and the blocks in it that separators have left, from their first vertices to behind
/// their last. The vertices of such a block come in any order.
struct Dissection {
  Permutation order;
  std::vector<std::pair<VertexId, VertexId>> blocks;
};

/// A nested dissection, separators behind what they separate. One thread, one seed: the same on every run.
/// Errors: unsupported without Scotch; too_large for graphs beyond its integers, or beyond memory.
/// Source: Pellegrini and Roman, Sparse matrix ordering with Scotch, HPCN Europe 1997, LNCS 1225, 370-378.
[[nodiscard]] Result<Dissection> dissect(GraphView graph);

/// For each vertex the part, of `parts` that stand in a line, it is put to: parts about equally large, and neighbors in
/// the same or in near ones. `weights` says how large each vertex is. Requires: parts >= 1. Errors: as dissect.
/// Source: Pellegrini, Static mapping by dual recursive bipartitioning of process and architecture graphs, SHPCC 1994,
/// 486-493.
[[nodiscard]] Result<HostArray<VertexId>> map_to_line(GraphView graph, const HostArray<VertexId>& weights,
                                                      VertexId parts);

}  // namespace spress::reorder::scotch
