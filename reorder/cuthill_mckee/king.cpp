// King's ordering, reversed: among the vertices of a level Boost takes the one that lets fewest new ones in, so it
// keeps to levels as Cuthill-McKee does, and like it gives the smaller profile backwards. Source: King, An automatic
// reordering scheme for simultaneous equations derived from network systems, Int. J. Numer. Methods Eng. 2 (1970),
// 523-533.
#include <boost/graph/king_ordering.hpp>
#include <boost/graph/two_bit_color_map.hpp>
#include <iterator>

#include "reorder/core/boost_graph.hpp"
#include "reorder/core/by_component.hpp"
#include "reorder/core/methods.hpp"

namespace spress::reorder {
namespace {

void order_by_king(GraphView graph, VertexId* out) {
  LevelStructure levels(graph);
  const VertexId start = narrow_pair(graph, levels, 0).start;
  const auto index = boost::typed_identity_property_map<VertexId>();
  boost::king_ordering(graph, start, std::make_reverse_iterator(out + graph.vertices),
                       boost::make_two_bit_color_map(graph.vertices, index), boost::make_out_degree_map(graph), index);
}

}  // namespace

Result<Permutation> methods::king(const Csr<Viewed>& a) {
  return order_by_component(graph_of(a).view(), order_by_king);
}

}  // namespace spress::reorder
