// Orderings by parts of a graph. Internal.
#pragma once

#include "reorder/graph.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {

/// Parts of some thousand vertices in a line, each in Cuthill-McKee order. Errors: those of Scotch.
[[nodiscard]] Result<Permutation> order_by_parts(GraphView graph);

}  // namespace spress::reorder
