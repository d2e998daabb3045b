// Orderings by parts of a graph. Internal.
#pragma once

#include "reorder/core/graph.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {

/// A band in a part of a mesh of two dimensions is then some 64 wide, and in one of three hardly wider than 8 bits say.
/// Measured on shuffled grids and elements: of 8 to 8192 this size takes the fewest bytes.
inline constexpr VertexId usual_part_size = 4096;

/// Parts of about `part_size` vertices in a line, each in Cuthill-McKee order; vertices with equal neighborhoods stay
/// together. Errors: those of Scotch.
[[nodiscard]] Result<Permutation> order_by_parts(GraphView graph, VertexId part_size);

}  // namespace spress::reorder
