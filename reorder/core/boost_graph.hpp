// GraphView as Boost.Graph sees it: a model of IncidenceGraph, AdjacencyGraph and VertexListGraph over plain arrays.
// Internal: the only header here that needs Boost.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>
#include <utility>

#include "reorder/core/graph.hpp"

namespace spress::reorder {

struct GraphEdge {
  VertexId source = 0, target = 0;
  bool operator==(const GraphEdge&) const = default;
};

/// Walks a row of the adjacency and makes its edges up as it goes: none is stored.
class OutEdgeIterator : public boost::iterator_facade<OutEdgeIterator, GraphEdge, std::random_access_iterator_tag,
                                                      GraphEdge, std::ptrdiff_t> {
 public:
  OutEdgeIterator() = default;
  OutEdgeIterator(VertexId source, const VertexId* at) : source_(source), at_(at) {}

 private:
  friend class boost::iterator_core_access;
  [[nodiscard]] GraphEdge dereference() const { return {source_, *at_}; }
  [[nodiscard]] bool equal(const OutEdgeIterator& other) const { return at_ == other.at_; }
  void increment() { ++at_; }
  void decrement() { --at_; }
  void advance(std::ptrdiff_t n) { at_ += n; }
  [[nodiscard]] std::ptrdiff_t distance_to(const OutEdgeIterator& other) const { return other.at_ - at_; }

  VertexId source_ = 0;
  const VertexId* at_ = nullptr;
};

struct GraphCategory : boost::incidence_graph_tag, boost::adjacency_graph_tag, boost::vertex_list_graph_tag {};

inline VertexId source(const GraphEdge& edge, const GraphView&) { return edge.source; }
inline VertexId target(const GraphEdge& edge, const GraphView&) { return edge.target; }
inline std::size_t num_vertices(const GraphView& graph) { return graph.vertices; }
inline std::size_t out_degree(VertexId v, const GraphView& graph) { return graph.degree(v); }
inline std::pair<OutEdgeIterator, OutEdgeIterator> out_edges(VertexId v, const GraphView& graph) {
  const VertexId* row = graph.adjacency + graph.row_ptr[v];
  return {{v, row}, {v, row + graph.degree(v)}};
}
inline std::pair<const VertexId*, const VertexId*> adjacent_vertices(VertexId v, const GraphView& graph) {
  const VertexId* row = graph.adjacency + graph.row_ptr[v];
  return {row, row + graph.degree(v)};
}
inline std::pair<boost::counting_iterator<VertexId>, boost::counting_iterator<VertexId>> vertices(
    const GraphView& graph) {
  return {boost::counting_iterator<VertexId>(0), boost::counting_iterator<VertexId>(graph.vertices)};
}

/// Degree, then name: no two vertices compare equal, so that no library's way with ties shows in an ordering.
struct DegreeKey {
  VertexId degree = 0, name = 0;
  auto operator<=>(const DegreeKey&) const = default;
};

struct DegreeKeyMap {
  using key_type = VertexId;
  using value_type = DegreeKey;
  using reference = DegreeKey;
  using category = boost::readable_property_map_tag;
  GraphView graph;
  friend DegreeKey get(const DegreeKeyMap& map, VertexId v) { return {map.graph.degree(v), map.graph.name(v)}; }
  DegreeKey operator[](VertexId v) const { return get(*this, v); }
};

}  // namespace spress::reorder

template <>
struct boost::graph_traits<spress::reorder::GraphView> {
  using vertex_descriptor = spress::reorder::VertexId;
  using edge_descriptor = spress::reorder::GraphEdge;
  using directed_category = boost::directed_tag;  // each edge is there in both directions
  using edge_parallel_category = boost::disallow_parallel_edge_tag;
  using traversal_category = spress::reorder::GraphCategory;
  using out_edge_iterator = spress::reorder::OutEdgeIterator;
  using adjacency_iterator = const spress::reorder::VertexId*;
  using vertex_iterator = boost::counting_iterator<spress::reorder::VertexId>;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return 0xFFFFFFFFu; }
};
template <>
struct boost::graph_traits<const spress::reorder::GraphView> : boost::graph_traits<spress::reorder::GraphView> {};
