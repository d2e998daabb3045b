#include "reorder/cuthill_mckee/cuthill_mckee.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "formats/core/threads.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/core/start_vertex.hpp"
#include "reorder/core/symmetry.hpp"
#include "reorder/cuthill_mckee/level_search.hpp"

namespace spress::reorder {
namespace {

/// The distance grows with each walk, so some graphs could keep us walking for as many rounds as they have vertices.
constexpr int most_walks = 16;
/// Walks on from the far side of the best order, for a better one: most graphs end after the first.
constexpr int more_walks = 3;
/// Vertices of a last level that are tried.
constexpr std::size_t most_trials = 5;
/// No more starts are tried once those that were no better have numbered this many times the vertices of a component.
/// Most are given up early: their bandwidth shows in the first levels.
constexpr double most_effort = 2.5;
/// Larger graphs of few levels get as many starts as graphs of few entries: there one start tells little of another.
constexpr std::uint64_t medium_entries = std::uint64_t{1} << 22;
constexpr VertexId few_levels = 16;
/// In larger graphs of so few levels the first vertex is worth a try.
constexpr VertexId very_few_levels = 4;

template <class Position>
class CuthillMckee {
 public:
  /// `graph`: the pattern again, if it is there as a graph.
  CuthillMckee(PatternView<Position> pattern, const GraphView* graph, int threads)
      : vertices_(pattern.vertices),
        entries_(pattern.row_ptr[pattern.vertices]),
        threads_(threads),
        search_(pattern, threads),
        graph_(graph),
        best_(pattern.vertices) {}

  /// Empty where a graph has to be built: for more starts, or since the pattern turns out not to be symmetric (a vertex
  /// did not reach all that reach it).
  Permutation run() && {
    if (vertices_ == 0) return {};
    order_component(first_of_smallest_degree());
    if (done_ < vertices_)
      for (const VertexId root : by_degree())
        if (done_ < vertices_ && !search_.numbered(root)) order_component(root);
    return needs_graph_ ? Permutation() : std::move(best_);
  }

 private:
  struct Cost {
    std::uint64_t bandwidth = 0, envelope = 0;
    auto operator<=>(const Cost&) const = default;
  };
  struct Order {
    VertexId start = 0;
    SearchResult found;
    [[nodiscard]] Cost cost() const { return {found.bandwidth, found.envelope}; }
  };

  [[nodiscard]] VertexId first_of_smallest_degree() const {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();  // degree, then id
#pragma omp parallel for schedule(static) reduction(min : least) num_threads(threads_)
    for (VertexId v = 0; v < vertices_; ++v) least = std::min(least, std::uint64_t{search_.row_length(v)} << 32 | v);
    return static_cast<VertexId>(least);
  }
  /// Ties by id.
  [[nodiscard]] HostArray<VertexId> by_degree() const {
    VertexId most = 0;
    for (VertexId v = 0; v < vertices_; ++v) most = std::max(most, search_.row_length(v));
    HostArray<VertexId> next(std::size_t{most} + 2, 0), vertices(vertices_);
    for (VertexId v = 0; v < vertices_; ++v) ++next[search_.row_length(v) + std::size_t{1}];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (VertexId v = 0; v < vertices_; ++v) vertices[next[search_.row_length(v)]++] = v;
    return vertices;
  }

  [[nodiscard]] bool tried(VertexId v) const { return std::find(tried_.begin(), tried_.end(), v) != tried_.end(); }

  /// The order from `start`, given up where its bandwidth comes above `most`.
  Order try_start(VertexId start, std::uint64_t most) {
    if (!tried_.empty()) search_.forget(done_);
    tried_.push_back(start);
    const Order order{start, search_.run(done_, {&start, 1}, most)};
    const bool first = tried_.size() == 1;
    if (first) effort_ = 0;
    if (first || !order.found.complete) effort_ += order.found.count;
    if (!first && order.found.complete && order.found.count != best_order_.found.count) {
      needs_graph_ = true;
    } else if (order.found.complete && (first || order.cost() < best_order_.cost())) {
      best_order_ = order;
      keep(order.found.count);
    }
    return order;
  }
  /// Of the order that was found last, the vertices from done_ on.
  void keep(VertexId count) {
    const VertexId* const from = search_.order().data() + done_;
    if (search_.threads() == 1)
      std::copy_n(from, count, best_.begin() + done_);
    else
      parallel_copy(best_.data() + done_, from, std::uint64_t{count} * sizeof(VertexId));
  }
  /// Tries a start unless that has been done. The bandwidth has to be less than the best, unless `equal` will do.
  std::optional<Order> try_another(VertexId start, bool equal) {
    const std::uint64_t best = best_order_.found.bandwidth;
    if (tried(start) || (best == 0 && !equal)) return std::nullopt;
    if (!more_starts_ && static_cast<double>(effort_) >= most_effort * best_order_.found.count) return std::nullopt;
    return try_start(start, equal ? best : best - 1);
  }

  /// Of the last level, the first vertex of each of the smallest degrees. Those of larger degree come first: they lie
  /// in the middle of a mesh's side, where levels are narrower than from its corners.
  [[nodiscard]] std::vector<VertexId> ends(const HostArray<VertexId>& order, const SearchResult& found) const {
    const VertexId end = done_ + found.count;
    std::vector<VertexId> out;
    for (VertexId at = found.last_level; at < end; ++at) {
      const VertexId v = order[at];
      const auto place = std::find_if(
          out.begin(), out.end(), [&](VertexId other) { return search_.row_length(other) >= search_.row_length(v); });
      if (place == out.end() || search_.row_length(*place) != search_.row_length(v))
        out.insert(place, v);
      else
        *place = std::min(*place, v);
      if (out.size() > most_trials) out.pop_back();
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  /// From the far side of an order to the far side of the next, as long as the distance grows. Returns the start of the
  /// last one.
  VertexId walk_away(Order from) {
    for (int walk = 0; walk < most_walks; ++walk) {
      std::optional<Order> farther;
      for (const VertexId end : ends(search_.order(), from.found)) {
        const auto order = try_another(end, true);
        if (!order || !order->found.complete || order->found.levels <= from.found.levels) continue;
        farther = order;
        break;
      }
      if (!farther) break;
      from = *farther;
    }
    return from.start;
  }

  void walk_on_from_best(VertexId explored) {
    for (int walk = 0; walk < more_walks && best_order_.start != explored; ++walk) {
      explored = best_order_.start;
      for (const VertexId end : ends(best_, best_order_.found)) try_another(end, false);
    }
  }

  [[nodiscard]] VertexId first_vertex(VertexId count) const {
    return *std::min_element(best_.begin() + done_, best_.begin() + done_ + count);
  }

  void try_first_vertex(VertexId count) {
    effort_ = 0;
    if (const auto order = try_another(first_vertex(count), true); order && order->found.complete) walk_away(*order);
  }

  /// Both ends of two pseudo-diameters.
  void try_pseudo_diameters(VertexId count) {
    const VertexId least = first_vertex(count);
    if (!structure_) structure_.emplace(*graph_);
    const PseudoDiameter far = farthest_pair(*graph_, *structure_, least),
                         narrow = narrow_pair(*graph_, *structure_, least);
    for (const VertexId start : {far.end, far.start, narrow.end, narrow.start}) try_another(start, true);
  }

  void order_component(VertexId root) {
    tried_.clear();
    const Order first = try_start(root, std::numeric_limits<std::uint64_t>::max());
    const VertexId count = first.found.count;
    if (count > 2) {
      more_starts_ = entries_ <= few_entries || (entries_ <= medium_entries && first.found.levels <= few_levels);
      if (more_starts_ && graph_ == nullptr) {
        needs_graph_ = true;
        done_ = vertices_;
        return;
      }
      walk_on_from_best(walk_away(first));
      if (more_starts_)
        try_pseudo_diameters(count);
      else if (first.found.levels <= very_few_levels)
        try_first_vertex(count);
      if (count < vertices_ - done_) search_.restore(done_, {best_.data() + done_, count});  // for those behind it
    }
    done_ += count;
  }

  VertexId vertices_;
  std::uint64_t entries_;
  int threads_;
  LevelSearch<Position> search_;
  const GraphView* graph_;
  std::optional<LevelStructure> structure_;  // of graph_, once it is needed
  HostArray<VertexId> best_;
  Order best_order_;             // of the component in work
  std::vector<VertexId> tried_;  // starts in it
  std::uint64_t effort_ = 0;
  bool more_starts_ = false, needs_graph_ = false;
  VertexId done_ = 0;  // vertices in components before it
};

template <class Position>
Permutation order_pattern(PatternView<Position> pattern, const GraphView* graph) {
  return CuthillMckee<Position>(pattern, graph, threads_for_walk(pattern.row_ptr[pattern.vertices])).run();
}

/// Empty where a graph has to be built: the pattern is not symmetric, or degrees would not compare.
Permutation order_in_place(const Csr<Viewed>& a) {
  const PatternSides sides = compare_sides(a);
  if (!sides.probably_symmetric || (sides.diagonal != 0 && sides.diagonal != a.rows)) return {};
  return with_positions(a.row_ptr, [&]<class Position>(const Position* row_ptr) {
    return order_pattern<Position>({static_cast<VertexId>(a.rows), row_ptr, a.col_idx.data()}, nullptr);
  });
}

}  // namespace

Permutation cuthill_mckee(GraphView graph) {
  const PatternView<std::uint64_t> pattern{graph.vertices, graph.row_ptr, graph.adjacency};
  return order_pattern(pattern, &graph);
}

Permutation cuthill_mckee(const Csr<Viewed>& a) {
  if (a.nnz > few_entries)
    if (Permutation order = order_in_place(a); !order.empty()) return order;
  return cuthill_mckee(graph_of(a).view());
}

Result<Permutation> methods::forward_cuthill_mckee(const Csr<Viewed>& a) { return cuthill_mckee(a); }

}  // namespace spress::reorder
