// Lines of a mesh, one behind the other: what a grid's natural order is, found where the matrix comes in any order. A
// line goes straight on, by neighbors that have least in common with the vertex behind; the lines beside it are led by
// it, so that they are parallel. Lines are then vertices of a graph of their own, whose lines are planes, and so on:
// each is ordered by the same means. Rows of a line that stand together ask for neighboring columns alike.
#include <algorithm>
#include <limits>
#include <vector>

#include "reorder/core/groups.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/core/start_vertex.hpp"
#include "reorder/cuthill_mckee/cuthill_mckee.hpp"

namespace spress::reorder {
namespace {

constexpr VertexId none = std::numeric_limits<VertexId>::max();

/// Vertices of more neighbors are lines by themselves: few meshes have them, and comparing them takes the square.
constexpr VertexId most_neighbors = 64;

/// A vertex and its neighbors, with which others are compared.
class Neighborhood {
 public:
  explicit Neighborhood(GraphView graph) : graph_(graph), seen_(graph.vertices, 0) {}

  void set(VertexId v) {
    center_ = v;
    ++now_;
    seen_[v] = now_;
    for (const VertexId w : graph_.neighbors(v)) seen_[w] = now_;
  }
  [[nodiscard]] bool has(VertexId v) const { return seen_[v] == now_; }
  /// How many of v and its neighbors are in it.
  [[nodiscard]] VertexId common(VertexId v) const {
    VertexId out = has(v);
    for (const VertexId w : graph_.neighbors(v)) out += has(w);
    return out;
  }
  /// Those over all that are in either.
  [[nodiscard]] double likeness(VertexId v) const {
    const VertexId both = common(v);
    return static_cast<double>(both) / (graph_.degree(v) + 1.0 + graph_.degree(center_) + 1.0 - both);
  }

 private:
  GraphView graph_;
  HostArray<std::uint64_t> seen_;
  std::uint64_t now_ = 0;
  VertexId center_ = 0;
};

/// The vertex that is best by a number, ties to the smaller name.
class Best {
 public:
  explicit Best(GraphView graph) : graph_(graph) {}
  void offer(VertexId v, double worth) {
    if (vertex_ != none && (worth < worth_ || (worth == worth_ && graph_.name(v) > graph_.name(vertex_)))) return;
    vertex_ = v;
    worth_ = worth;
  }
  [[nodiscard]] VertexId vertex() const { return vertex_; }

 private:
  GraphView graph_;
  VertexId vertex_ = none;
  double worth_ = 0;
};

/// Takes a graph apart into lines.
class Lines {
 public:
  explicit Lines(GraphView graph)
      : graph_(graph), taken_(graph.vertices, 0), here_(graph), beside_(graph), behind_(graph) {}

  [[nodiscard]] Groups find() {
    const Components components = connected_components(graph_);
    LevelStructure levels(graph_);
    for (std::size_t c = 0; c < components.count(); ++c) {
      const auto vertices = components.component(c);
      if (vertices.size() > 2) {
        const PseudoDiameter pair = farthest_pair(graph_, levels, vertices.front());
        const VertexId corner = graph_.degree(pair.start) < graph_.degree(pair.end) ? pair.start : pair.end;
        if (is_free(corner)) fill_from(corner);
      }
      for (const VertexId v : vertices)
        if (is_free(v)) fill_from(v);
      for (const VertexId v : vertices)
        if (taken_[v] == 0) add_line({v});
    }
    return groups();
  }

 private:
  using Vertices = std::vector<VertexId>;

  [[nodiscard]] bool is_free(VertexId v) const { return taken_[v] == 0 && graph_.degree(v) <= most_neighbors; }

  /// The line of a vertex, those beside it, those beside these, and so on.
  void fill_from(VertexId start) {
    std::size_t line = starts_.size();
    grow(start, {}, 0);
    for (; line < starts_.size(); ++line) {
      const Vertices guide = line_at(line);
      for (std::size_t i = 0; i < guide.size(); ++i)
        for (VertexId v = free_beside(guide[i]); v != none; v = free_beside(guide[i])) grow(v, guide, i);
    }
  }

  /// The free neighbor most like v.
  VertexId free_beside(VertexId v) {
    Best best(graph_);
    bool set = false;
    for (const VertexId w : graph_.neighbors(v)) {
      if (!is_free(w)) continue;
      if (!set) here_.set(v);
      set = true;
      best.offer(w, here_.likeness(w));
    }
    return best.vertex();
  }

  /// The line through a vertex. guide: a line that it is to be parallel to, empty for none; it stands beside guide[at].
  void grow(VertexId start, const Vertices& guide, std::size_t at) {
    taken_[start] = 1;
    Vertices ahead = {start}, before = {start};
    go_on(ahead, none, guide, at, true);
    go_on(before, ahead.size() > 1 ? ahead[1] : none, guide, at, false);
    std::reverse(before.begin(), before.end());
    before.insert(before.end(), ahead.begin() + 1, ahead.end());
    add_line(before);
  }

  /// Goes on from line.back(), the way of the guide or against it, as far as it goes. behind: what stands before.
  void go_on(Vertices& line, VertexId behind, const Vertices& guide, std::size_t at, bool forward) {
    while (true) {
      const VertexId here = line.back();
      VertexId beside = none;
      if (forward ? at + 1 < guide.size() : at > 0 && at <= guide.size())
        beside = guide[forward ? ++at : --at];
      else
        at = guide.size() + 1;  // behind either end
      here_.set(here);
      VertexId next = beside == none ? none : next_beside(beside);
      if (next == none) next = next_straight(here, behind, !guide.empty());
      if (next == none) return;
      taken_[next] = 1;
      line.push_back(next);
      behind = here;
    }
  }

  /// The free vertex between the one here and `beside` that is most like both.
  VertexId next_beside(VertexId beside) {
    beside_.set(beside);
    Best best(graph_);
    for (const VertexId w : graph_.neighbors(beside))
      if (is_free(w) && here_.has(w)) best.offer(w, here_.likeness(w) + beside_.likeness(w));
    return best.vertex();
  }

  /// The free neighbor that has least in common with what is behind, at most three quarters of what it has with what
  /// is here. Where nothing is behind, the one most like what is here; but a line that was led begins no way of its
  /// own.
  VertexId next_straight(VertexId here, VertexId behind, bool led) {
    Best best(graph_);
    if (behind == none && led) return none;
    if (behind != none) behind_.set(behind);
    for (const VertexId w : graph_.neighbors(here)) {
      if (!is_free(w)) continue;
      const double like = here_.likeness(w);
      const VertexId with_behind = behind == none ? 0 : behind_.common(w);
      if (4 * std::uint64_t{with_behind} <= 3 * std::uint64_t{here_.common(w)}) best.offer(w, like - with_behind);
    }
    return best.vertex();
  }

  void add_line(const Vertices& line) {
    starts_.push_back(vertices_.size());
    for (const VertexId v : line) taken_[v] = 1;
    vertices_.insert(vertices_.end(), line.begin(), line.end());
  }
  [[nodiscard]] Vertices line_at(std::size_t line) const {
    const std::size_t end = line + 1 < starts_.size() ? starts_[line + 1] : vertices_.size();
    return {vertices_.begin() + static_cast<std::ptrdiff_t>(starts_[line]),
            vertices_.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  [[nodiscard]] Groups groups() const {
    Groups out{Permutation(vertices_.size()), HostArray<std::uint64_t>(starts_.size() + 1),
               HostArray<VertexId>(vertices_.size())};
    std::copy(vertices_.begin(), vertices_.end(), out.members.data());
    std::copy(starts_.begin(), starts_.end(), out.starts.data());
    out.starts[starts_.size()] = vertices_.size();
    for (VertexId g = 0; g < out.count(); ++g)
      for (const VertexId v : out.group(g)) out.group_of[v] = g;
    return out;
  }

  GraphView graph_;
  HostArray<std::uint8_t> taken_;
  Neighborhood here_, beside_, behind_;
  Vertices vertices_;                // line by line
  std::vector<std::size_t> starts_;  // of the lines in vertices_
};

Permutation order_by_lines(GraphView graph) {
  const Groups lines = Lines(graph).find();
  if (lines.count() <= 1) return expand(Permutation(lines.count(), 0), lines);
  if (3 * std::uint64_t{lines.count()} > 2 * std::uint64_t{graph.vertices}) return cuthill_mckee(graph);
  const Graph coarse = quotient(graph, lines, lines, false);
  return expand(order_by_lines(coarse.view()), lines);
}

}  // namespace

Result<Permutation> methods::grid_lines(const Csr<Viewed>& a) {
  const Graph graph = graph_of(a);
  const Groups nodes = group_equal_neighborhoods(graph.view());
  return expand(order_by_lines(quotient(graph.view(), nodes, nodes, false).view()), nodes);
}

}  // namespace spress::reorder
