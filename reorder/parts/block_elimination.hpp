// Minimum degree within a block of vertices. Internal.
#pragma once

#include <span>

#include "reorder/core/graph.hpp"

namespace spress::reorder {

/// Puts `block` into the order in which its vertices are eliminated: one of about the least degree next. Their
/// neighbors outside of the block are eliminated later, so they count in degrees. Vertices of more than 10 * sqrt(n)
/// neighbors, in a block of n, come last and do not count: their lists would be walked again for each neighbor that
/// goes. Requires: ascending vertices. Source: Amestoy, Davis and Duff, An approximate minimum degree ordering
/// algorithm, SIAM J. Matrix Anal. Appl. 17 (1996), 886-905; neighbors outside: Pellegrini, Roman and Amestoy,
/// Hybridizing nested dissection and halo approximate minimum degree for efficient sparse matrix ordering, Concurrency:
/// Practice and Experience 12 (2000), 69-84.
void eliminate_block(GraphView graph, std::span<VertexId> block);

}  // namespace spress::reorder
