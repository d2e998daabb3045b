// Where to begin: connected components, and vertices at the far ends of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reorder/core/graph.hpp"

namespace spress::reorder {

/// The connected components of a graph, in the order of their smallest vertices.
struct Components {
  HostArray<VertexId> vertices;       ///< all vertices, component by component, the smallest of each first
  std::vector<std::uint64_t> starts;  ///< where each component begins in `vertices`, and the end of the last

  [[nodiscard]] std::size_t count() const { return starts.size() - 1; }
  [[nodiscard]] std::span<const VertexId> component(std::size_t c) const {
    return vertices.span().subspan(starts[c], starts[c + 1] - starts[c]);
  }
};

/// Cost: linear.
[[nodiscard]] Components connected_components(GraphView graph);

/// The level structure of a component: its vertices by their distance from a root. One object serves many roots, and
/// each search costs no more than the component it walks.
class LevelStructure {
 public:
  explicit LevelStructure(GraphView graph) : graph_(graph), order_(graph.vertices), seen_(graph.vertices, 0) {}

  void build(VertexId root);

  /// Distance from the root to the vertices farthest from it.
  [[nodiscard]] std::size_t height() const { return level_starts_.size() - 2; }
  /// Vertices of the largest level.
  [[nodiscard]] std::size_t width() const;
  /// All vertices of the component, level by level.
  [[nodiscard]] std::span<const VertexId> vertices() const { return level_span(0, level_starts_.back()); }
  /// The vertices at that distance from the root.
  [[nodiscard]] std::span<const VertexId> level(std::size_t distance) const {
    return level_span(level_starts_[distance], level_starts_[distance + 1]);
  }
  [[nodiscard]] std::span<const VertexId> last_level() const { return level(height()); }

 private:
  [[nodiscard]] std::span<const VertexId> level_span(std::size_t begin, std::size_t end) const {
    return order_.span().subspan(begin, end - begin);
  }

  GraphView graph_;
  HostArray<VertexId> order_;
  HostArray<std::uint8_t> seen_;
  std::vector<std::size_t> level_starts_ = {0};
};

/// Two vertices of a component about as far apart as any two: the start and the end of an ordering.
struct PseudoDiameter {
  VertexId start = 0, end = 0;
};

/// Walks from the farthest vertex of smallest degree to its own farthest, for as long as the distance grows.
/// Cost: a few searches of the component of `root`, never more than a fixed number.
/// Source: George and Liu, An implementation of a pseudoperipheral node finder, ACM TOMS 5 (1979), 284-295.
[[nodiscard]] PseudoDiameter farthest_pair(GraphView graph, LevelStructure& levels, VertexId root);

/// As farthest_pair, but tries several vertices of the last level, one of each small degree, and takes the one whose
/// level structure is narrowest.
/// Source: Gibbs, Poole and Stockmeyer, An algorithm for reducing the bandwidth and profile of a sparse matrix,
/// SIAM J. Numer. Anal. 13 (1976), 236-250; the shrinking of the last level by degrees: Sloan, A FORTRAN program for
/// profile and wavefront reduction, Int. J. Numer. Methods Eng. 28 (1989), 2651-2679.
[[nodiscard]] PseudoDiameter narrow_pair(GraphView graph, LevelStructure& levels, VertexId root);

}  // namespace spress::reorder
