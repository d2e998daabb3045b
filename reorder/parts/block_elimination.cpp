#include "reorder/parts/block_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace spress::reorder {
namespace {

/// A quotient graph. An eliminated vertex becomes an element, which stands for the edges among its members. Vertices
/// that have the same neighbors are merged into one that weighs as much as they do.
class QuotientGraph {
  static constexpr VertexId none = std::numeric_limits<VertexId>::max();

 public:
  /// Vertices of more neighbors than `most` are left out.
  QuotientGraph(GraphView graph, std::span<const VertexId> block, double most)
      : own_(static_cast<VertexId>(block.size())) {
    const auto counts = [&](VertexId v) { return static_cast<double>(graph.degree(v)) <= most; };
    std::vector<VertexId> outside;
    for (const VertexId v : block)
      for (const VertexId to : graph.neighbors(v))
        if (counts(to) && !std::binary_search(block.begin(), block.end(), to)) outside.push_back(to);
    std::sort(outside.begin(), outside.end());
    outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
    vertices_.resize(block.size() + outside.size());
    for (VertexId v = 0; v < own_; ++v)
      for (const VertexId to : graph.neighbors(block[v])) {
        if (!counts(to)) continue;
        const auto inside = std::lower_bound(block.begin(), block.end(), to);
        const bool is_inside = inside != block.end() && *inside == to;
        const auto place = is_inside ? inside - block.begin()
                                     : own_ + (std::lower_bound(outside.begin(), outside.end(), to) - outside.begin());
        vertices_[v].neighbors.push_back(static_cast<VertexId>(place));
      }
    elements_.resize(own_);
    left_ = vertices_.size();
    first_.resize(vertices_.size() + 1, none);
  }

  /// The vertices of the block, by their places in it.
  std::vector<VertexId> eliminate() {
    for (VertexId v = own_; v-- > 0;) enqueue(v, vertices_[v].neighbors.size());
    while (order_.size() < own_) {
      while (first_[least_] == none) ++least_;
      eliminate(first_[least_]);
    }
    return std::move(order_);
  }

 private:
  struct Vertex {
    std::vector<VertexId> neighbors = {};  // besides those that an element joins it with; of the block's vertices
    std::vector<VertexId> elements = {};   // that it is a member of
    std::vector<VertexId> merged = {};
    std::uint64_t weight = 1;  // 0: eliminated, or merged into another one
    std::uint64_t degree = 0;
    VertexId before = none, behind = none;  // of the same degree
  };
  struct Element {
    std::vector<VertexId> members;
    std::uint64_t weight = 0;   // of its members; 0: taken up by another element
    std::uint64_t outside = 0;  // of the members that are not members of the newest element
    VertexId seen_by = 0;       // the count of eliminations when `outside` was found
  };

  void enqueue(VertexId v, std::uint64_t degree) {
    Vertex& at = vertices_[v];
    at.degree = degree;
    at.before = none;
    at.behind = std::exchange(first_[degree], v);
    if (at.behind != none) vertices_[at.behind].before = v;
    least_ = std::min(least_, degree);
  }
  void dequeue(VertexId v) {
    const Vertex& at = vertices_[v];
    (at.before == none ? first_[at.degree] : vertices_[at.before].behind) = at.behind;
    if (at.behind != none) vertices_[at.behind].before = at.before;
  }

  void put_last(VertexId v) {
    Vertex& at = vertices_[v];
    order_.push_back(v);
    order_.insert(order_.end(), at.merged.begin(), at.merged.end());
    left_ -= at.weight;
    at = {.weight = 0};
  }

  /// Marks are undone by a new round.
  void mark(VertexId v) { vertices_marked_[v] = round_; }
  [[nodiscard]] bool is_marked(VertexId v) const { return vertices_marked_[v] == round_; }
  void begin_round() {
    vertices_marked_.resize(vertices_.size(), 0);
    ++round_;
  }

  void eliminate(VertexId pivot) {
    dequeue(pivot);
    ++eliminations_;
    make_element(pivot);
    find_outside(pivot);
    std::vector<std::pair<std::uint64_t, VertexId>> alike;  // hashes of what vertices of the block see
    for (const VertexId v : elements_[pivot].members) update(v, pivot, alike);
    merge(alike);
    close(pivot);
  }

  void make_element(VertexId pivot) {
    Element& element = elements_[pivot];
    begin_round();
    mark(pivot);
    const auto join = [&](VertexId v) {
      if (vertices_[v].weight == 0 || is_marked(v)) return;
      mark(v);
      element.members.push_back(v);
      element.weight += vertices_[v].weight;
    };
    for (const VertexId v : vertices_[pivot].neighbors) join(v);
    for (const VertexId e : vertices_[pivot].elements) {
      for (const VertexId v : elements_[e].members) join(v);
      elements_[e] = {};
    }
    put_last(pivot);
  }

  void find_outside(VertexId pivot) {
    for (const VertexId v : elements_[pivot].members)
      for (const VertexId e : vertices_[v].elements) {
        Element& element = elements_[e];
        if (std::exchange(element.seen_by, eliminations_) != eliminations_) element.outside = element.weight;
        element.outside -= vertices_[v].weight;
      }
  }

  /// What a member of the newest element sees besides that element. Requires: its members are marked.
  void update(VertexId v, VertexId pivot, std::vector<std::pair<std::uint64_t, VertexId>>& alike) {
    Vertex& at = vertices_[v];
    std::uint64_t degree = 0, hash = 0;
    std::erase_if(at.elements, [&](VertexId e) {
      if (elements_[e].weight != 0 && elements_[e].outside == 0) elements_[e] = {};  // a part of the newest one
      if (elements_[e].weight == 0) return true;
      degree += elements_[e].outside;
      hash += e;
      return false;
    });
    std::erase_if(at.neighbors, [&](VertexId to) {
      if (vertices_[to].weight == 0 || is_marked(to)) return true;
      degree += vertices_[to].weight;
      hash += std::uint64_t{to} + own_;
      return false;
    });
    at.elements.push_back(pivot);
    if (v >= own_) return;
    dequeue(v);
    if (degree == 0) {  // it goes at once, and fills nothing more in
      elements_[pivot].weight -= at.weight;
      put_last(v);
      return;
    }
    at.degree = std::min(at.degree, degree);  // what the newest element adds is known when all are merged
    alike.emplace_back(hash, v);
  }

  void merge(std::vector<std::pair<std::uint64_t, VertexId>>& alike) {
    std::sort(alike.begin(), alike.end());
    for (std::size_t i = 0; i < alike.size(); ++i) {
      Vertex& into = vertices_[alike[i].second];
      if (into.weight == 0) continue;
      bool is_sorted = false;
      for (std::size_t j = i + 1; j < alike.size() && alike[j].first == alike[i].first; ++j) {
        Vertex& from = vertices_[alike[j].second];
        if (from.weight == 0 || from.neighbors.size() != into.neighbors.size() ||
            from.elements.size() != into.elements.size())
          continue;
        if (!std::exchange(is_sorted, true)) sort_lists(into);
        sort_lists(from);
        if (from.neighbors != into.neighbors || from.elements != into.elements) continue;
        into.weight += from.weight;
        into.merged.push_back(alike[j].second);
        into.merged.insert(into.merged.end(), from.merged.begin(), from.merged.end());
        from = {.weight = 0};
      }
    }
  }
  static void sort_lists(Vertex& v) {
    std::sort(v.neighbors.begin(), v.neighbors.end());
    std::sort(v.elements.begin(), v.elements.end());
  }

  /// Leaves the vertices that are still there in the newest element, and gives them their degrees.
  void close(VertexId pivot) {
    Element& element = elements_[pivot];
    std::erase_if(element.members, [&](VertexId v) { return vertices_[v].weight == 0; });
    for (const VertexId v : element.members) {
      if (v >= own_) continue;
      const std::uint64_t weight = vertices_[v].weight;
      enqueue(v, std::min(vertices_[v].degree + element.weight, left_) - weight);
    }
  }

  VertexId own_;  // vertices of the block, in front of those outside
  std::uint64_t left_;
  VertexId eliminations_ = 0;
  std::vector<Vertex> vertices_;
  std::vector<Element> elements_;  // by their pivots
  std::vector<VertexId> first_;    // of each degree, among those that are not eliminated
  std::uint64_t least_ = 0;        // no vertex has a lower degree
  std::vector<VertexId> order_;
  std::vector<std::uint32_t> vertices_marked_;
  std::uint32_t round_ = 0;
};

}  // namespace

void eliminate_block(GraphView graph, std::span<VertexId> block) {
  const double limit = std::max(16.0, 10.0 * std::sqrt(static_cast<double>(block.size())));
  const auto is_dense = [&](VertexId v) { return static_cast<double>(graph.degree(v)) > limit; };
  const auto middle = std::stable_partition(block.begin(), block.end(), [&](VertexId v) { return !is_dense(v); });
  const auto sparse = block.first(static_cast<std::size_t>(middle - block.begin()));
  std::vector<VertexId> order = QuotientGraph(graph, sparse, limit).eliminate();
  for (VertexId& v : order) v = sparse[v];
  std::copy(order.begin(), order.end(), sparse.begin());
  std::sort(middle, block.end(),
            [&](VertexId x, VertexId y) { return std::pair(graph.degree(x), x) < std::pair(graph.degree(y), y); });
}

}  // namespace spress::reorder
