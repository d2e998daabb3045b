// Cuthill-McKee by Boost.Graph, which the bench and a test compare with ours.
#pragma once

#include "reorder/core/graph.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {

/// As cuthill_mckee, by Boost.Graph's cuthill_mckee_ordering from four starts.
[[nodiscard]] Permutation boost_cuthill_mckee(GraphView graph);

}  // namespace spress::reorder
