// A graph that Boost's minimum degree ordering may eat up, still on plain arrays. Internal.
#pragma once

#include <algorithm>
#include <boost/graph/graph_traits.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "reorder/core/boost_graph.hpp"
#include "reorder/core/graph.hpp"

namespace spress::reorder {

/// Rows that shrink in place and grow at the end of one array. What an elimination adds to a row takes the places it
/// freed, except in the row of the vertex eliminated: that one moves behind all others, where it can grow freely.
class EliminationGraph {
 public:
  /// Walks a row by its number, not its address: rows may move while they are walked.
  class Neighbors
      : public boost::iterator_facade<Neighbors, VertexId, std::random_access_iterator_tag, VertexId, std::ptrdiff_t> {
   public:
    Neighbors() = default;
    Neighbors(const EliminationGraph* graph, VertexId row, std::size_t at) : graph_(graph), row_(row), at_(at) {}

   private:
    friend class boost::iterator_core_access;
    [[nodiscard]] VertexId dereference() const { return graph_->adjacency_[graph_->rows_[row_].begin + at_]; }
    [[nodiscard]] bool equal(const Neighbors& other) const { return at_ == other.at_; }
    void increment() { ++at_; }
    void decrement() { --at_; }
    void advance(std::ptrdiff_t n) { at_ += static_cast<std::size_t>(n); }
    [[nodiscard]] std::ptrdiff_t distance_to(const Neighbors& other) const {
      return static_cast<std::ptrdiff_t>(other.at_ - at_);
    }

    const EliminationGraph* graph_ = nullptr;
    VertexId row_ = 0;
    std::size_t at_ = 0;
  };

  /// The graph without the edges of the vertices left out, and with `isolated` vertices behind its own.
  EliminationGraph(GraphView graph, const HostArray<std::uint8_t>& left_out, VertexId isolated)
      : rows_(std::size_t{graph.vertices} + isolated) {
    for (VertexId v = 0; v < graph.vertices; ++v) {
      rows_[v].begin = adjacency_.size();
      if (!left_out[v])
        for (const VertexId neighbor : graph.neighbors(v))
          if (!left_out[neighbor]) adjacency_.push_back(neighbor);
      rows_[v].size = rows_[v].capacity = adjacency_.size() - rows_[v].begin;
    }
  }

  [[nodiscard]] std::size_t vertices() const { return rows_.size(); }
  [[nodiscard]] std::size_t degree(VertexId v) const { return rows_[v].size; }
  [[nodiscard]] std::pair<Neighbors, Neighbors> neighbors(VertexId v) const {
    return {{this, v, 0}, {this, v, rows_[v].size}};
  }

  void add_edge(VertexId from, VertexId to) {
    Row& row = rows_[from];
    if (row.size == row.capacity) make_room(row);
    adjacency_[row.begin + row.size++] = to;
  }

  /// Keeps the order of those that stay.
  template <class Predicate>
  void remove_out_edge_if(VertexId from, Predicate&& predicate) {
    Row& row = rows_[from];
    std::size_t kept = 0;
    for (std::size_t k = 0; k < row.size; ++k) {
      const VertexId to = adjacency_[row.begin + k];
      if (!predicate(GraphEdge{from, to})) adjacency_[row.begin + kept++] = to;
    }
    row.size = kept;
  }

 private:
  struct Row {
    std::size_t begin = 0, size = 0, capacity = 0;
  };

  void make_room(Row& row) {
    if (row.begin + row.capacity != adjacency_.size()) {
      const std::size_t end = adjacency_.size();
      adjacency_.resize(end + row.size);
      std::copy_n(adjacency_.begin() + static_cast<std::ptrdiff_t>(row.begin), row.size,
                  adjacency_.begin() + static_cast<std::ptrdiff_t>(end));
      row.begin = end;
      row.capacity = row.size;
    }
    adjacency_.push_back(0);
    ++row.capacity;
  }

  std::vector<VertexId> adjacency_;
  std::vector<Row> rows_;
};

struct EliminationCategory : boost::adjacency_graph_tag, boost::vertex_list_graph_tag {};

inline VertexId source(const GraphEdge& edge, const EliminationGraph&) { return edge.source; }
inline VertexId target(const GraphEdge& edge, const EliminationGraph&) { return edge.target; }
inline std::size_t num_vertices(const EliminationGraph& graph) { return graph.vertices(); }
inline std::size_t out_degree(VertexId v, const EliminationGraph& graph) { return graph.degree(v); }
inline std::pair<EliminationGraph::Neighbors, EliminationGraph::Neighbors> adjacent_vertices(
    VertexId v, const EliminationGraph& graph) {
  return graph.neighbors(v);
}
inline std::pair<boost::counting_iterator<VertexId>, boost::counting_iterator<VertexId>> vertices(
    const EliminationGraph& graph) {
  return {boost::counting_iterator<VertexId>(0),
          boost::counting_iterator<VertexId>(static_cast<VertexId>(graph.vertices()))};
}
inline std::pair<GraphEdge, bool> add_edge(VertexId from, VertexId to, EliminationGraph& graph) {
  graph.add_edge(from, to);
  return {{from, to}, true};
}
template <class Predicate>
void remove_out_edge_if(VertexId from, Predicate&& predicate, EliminationGraph& graph) {
  graph.remove_out_edge_if(from, std::forward<Predicate>(predicate));
}

}  // namespace spress::reorder

template <>
struct boost::graph_traits<spress::reorder::EliminationGraph> {
  using vertex_descriptor = spress::reorder::VertexId;
  using edge_descriptor = spress::reorder::GraphEdge;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::disallow_parallel_edge_tag;
  using traversal_category = spress::reorder::EliminationCategory;
  using adjacency_iterator = spress::reorder::EliminationGraph::Neighbors;
  using vertex_iterator = boost::counting_iterator<spress::reorder::VertexId>;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
};
