// Orderings that are better off seeing one connected component at a time.
#pragma once

#include "reorder/core/graph.hpp"
#include "reorder/core/start_vertex.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {

/// Orders one connected component of at least three vertices, numbered 0..n-1, 0 the one of the smallest name: writes
/// them in their new order to `out`.
using OrderComponent = void (*)(GraphView component, VertexId* out);

/// The components one behind the other, each as `order` leaves it. A graph of its own for each keeps what `order` sets
/// up proportional to the component, so that many small ones cost no more than one large.
/// Cost: linear, and the orderings.
[[nodiscard]] Permutation order_by_component(GraphView graph, OrderComponent order);

}  // namespace spress::reorder
