// The vertices of a graph in a line, and small moves that make its bandwidth or its profile smaller. Internal.
#pragma once

#include <cstdint>
#include <span>

#include "reorder/core/graph.hpp"

namespace spress::reorder {

/// A graph without vertices of degree 0, its vertices in some order. For each vertex the line knows how far its
/// neighbors stretch, so that what a move would do is told without walking them.
class Line {
 public:
  /// In the order of the vertices.
  explicit Line(GraphView graph);

  [[nodiscard]] VertexId size() const { return graph_.vertices; }
  [[nodiscard]] VertexId place(VertexId v) const { return place_[v]; }
  [[nodiscard]] const HostArray<VertexId>& places() const { return place_; }
  /// Puts each vertex v to places[v]. Cost: a walk along all edges.
  void assign(std::span<const VertexId> places);
  /// Turns the line round: profiles differ, bandwidths do not.
  void reverse();

  [[nodiscard]] std::uint64_t bandwidth() const;
  /// Sum over the vertices of the distance to the first neighbor before them.
  [[nodiscard]] std::uint64_t profile() const;
  /// That of the line turned round.
  [[nodiscard]] std::uint64_t reverse_profile() const;

  /// Lowers the bandwidth by exchanging vertices whose edges are longest with vertices that can stand where they were.
  /// Source: Lim, Rodrigues and Xiao, Heuristics for matrix bandwidth reduction, Eur. J. Oper. Res. 174 (2006), 69-91
  /// (hill climbing).
  void climb(std::uint64_t most_steps);

  /// Moves each vertex to the mean place of itself and the neighbors at least `share` of the bandwidth away, all at
  /// once. The bandwidth may rise: this is what finds the way out where climbing ends.
  /// Source: as climb (node centroids).
  void gather(double share);

  /// Lowers the profile by exchanging vertices that stand side by side, once along the line, the bandwidth at most
  /// `most_bandwidth`. Returns by how much.
  std::uint64_t exchange_neighbors(std::uint64_t most_bandwidth, bool backwards, std::uint64_t most_steps);

  /// Vertices and entries looked at so far: what it has cost.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  [[nodiscard]] std::int64_t reach(VertexId v, std::int64_t at) const {
    return std::max(at - std::int64_t{first_[v]}, std::int64_t{last_[v]} - at);
  }
  [[nodiscard]] std::int64_t reach(VertexId v) const { return reach(v, place_[v]); }
  [[nodiscard]] bool counted(VertexId v) const { return first_[v] < place_[v]; }
  void measure(VertexId v);
  void tell_neighbors(VertexId v, VertexId from, VertexId to);
  void exchange(VertexId u, VertexId v);
  [[nodiscard]] bool shorten(VertexId v, std::int64_t most);
  void count_firsts();
  [[nodiscard]] std::int64_t profile_change(VertexId at, std::int64_t wanted);
  void mark_neighbors(VertexId v);
  void exchange_with_next(VertexId at);

  GraphView graph_;
  HostArray<VertexId> place_, vertex_;  // of a vertex, and at a place
  HostArray<VertexId> first_, last_;    // by vertex: places of its outermost neighbors
  HostArray<VertexId> firsts_;          // by place: vertices behind it whose first neighbor stands there
  HostArray<VertexId> marked_, scratch_;
  VertexId mark_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace spress::reorder
