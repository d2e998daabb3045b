#include "reorder/core/start_vertex.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace spress::reorder {
namespace {

/// The distance grows with each walk, so some graphs could keep us walking for as many rounds as they have vertices.
constexpr int most_walks = 16;
/// Vertices of a last level that are tried.
constexpr std::size_t most_trials = 5;

/// What a walk that is at order[head] needs soon, of the vertices that it has found.
void fetch_ahead(GraphView graph, std::span<const VertexId> found, std::size_t head) {
  constexpr std::size_t rows_ahead = 8, pointers_ahead = 16, line = 64 / sizeof(VertexId);
  if (found.size() - head <= pointers_ahead) return;
  __builtin_prefetch(graph.row_ptr + found[head + pointers_ahead]);
  const VertexId soon = found[head + rows_ahead];
  const VertexId* const row = graph.adjacency + graph.row_ptr[soon];
  for (VertexId k = 0; k < graph.degree(soon); k += line) __builtin_prefetch(row + k);
}

VertexId first_of_smallest_degree(GraphView graph, std::span<const VertexId> vertices) {
  return *std::min_element(vertices.begin(), vertices.end(),
                           [&](VertexId a, VertexId b) { return graph.degree(a) < graph.degree(b); });
}

/// One vertex of each of the smallest degrees that occur.
std::vector<VertexId> shrink(GraphView graph, std::span<const VertexId> level) {
  std::vector<VertexId> vertices(level.begin(), level.end());
  std::sort(vertices.begin(), vertices.end(), [&](VertexId a, VertexId b) {
    return std::tuple(graph.degree(a), graph.name(a)) < std::tuple(graph.degree(b), graph.name(b));
  });
  const auto same_degree = [&](VertexId a, VertexId b) { return graph.degree(a) == graph.degree(b); };
  vertices.erase(std::unique(vertices.begin(), vertices.end(), same_degree), vertices.end());
  if (vertices.size() > most_trials) vertices.resize(most_trials);
  return vertices;
}

}  // namespace

Components connected_components(GraphView graph) {
  Components components{HostArray<VertexId>(graph.vertices), {}};
  HostArray<std::uint8_t> seen(graph.vertices, 0);
  std::size_t head = 0, tail = 0;
  const auto reach = [&](VertexId v) {
    if (seen[v]) return;
    seen[v] = 1;
    components.vertices[tail++] = v;
  };
  for (VertexId root = 0; root < graph.vertices; ++root) {
    if (seen[root]) continue;
    components.starts.push_back(tail);
    for (reach(root); head < tail; ++head) {
      fetch_ahead(graph, components.vertices.span().first(tail), head);
      for (const VertexId neighbor : graph.neighbors(components.vertices[head])) reach(neighbor);
    }
  }
  components.starts.push_back(tail);
  return components;
}

void LevelStructure::build(VertexId root) {
  for (const VertexId v : vertices()) seen_[v] = 0;
  level_starts_.assign({0, 1});
  order_[0] = root;
  seen_[root] = 1;
  std::size_t tail = 1;
  for (std::size_t head = 0; head < tail;) {
    for (const std::size_t level_end = tail; head < level_end; ++head) {
      fetch_ahead(graph_, order_.span().first(tail), head);
      for (const VertexId neighbor : graph_.neighbors(order_[head]))
        if (!seen_[neighbor]) {
          seen_[neighbor] = 1;
          order_[tail++] = neighbor;
        }
    }
    if (head < tail) level_starts_.push_back(tail);
  }
}

std::size_t LevelStructure::width() const {
  std::size_t widest = 0;
  for (std::size_t level = 0; level <= height(); ++level)
    widest = std::max(widest, level_starts_[level + 1] - level_starts_[level]);
  return widest;
}

PseudoDiameter farthest_pair(GraphView graph, LevelStructure& levels, VertexId root) {
  levels.build(root);
  PseudoDiameter pair{root, root};
  for (int walk = 0; walk < most_walks; ++walk) {
    const std::size_t height = levels.height();
    pair.end = first_of_smallest_degree(graph, levels.last_level());
    levels.build(pair.end);
    if (levels.height() <= height) break;
    pair.start = pair.end;
  }
  return pair;
}

PseudoDiameter narrow_pair(GraphView graph, LevelStructure& levels, VertexId root) {
  levels.build(root);
  PseudoDiameter pair{first_of_smallest_degree(graph, levels.vertices()), root};
  levels.build(pair.start);
  for (int walk = 0; walk < most_walks; ++walk) {
    const std::size_t height = levels.height();
    std::size_t narrowest = std::numeric_limits<std::size_t>::max();
    bool farther = false;
    for (const VertexId trial : shrink(graph, levels.last_level())) {
      levels.build(trial);
      farther = levels.height() > height && levels.width() < narrowest;
      if (farther) {
        pair.start = trial;
        break;
      }
      if (levels.width() < narrowest) {
        narrowest = levels.width();
        pair.end = trial;
      }
    }
    if (!farther) break;
  }
  return pair;
}

}  // namespace spress::reorder
