// King's ordering. The front holds the vertices that have a numbered neighbor, and no number. Of these the one comes
// next that brings the fewest new ones into it; among equals the one that has waited longest. Source: King, An
// automatic reordering scheme for simultaneous equations derived from network systems, Int. J. Numer. Methods Eng. 2
// (1970), 523-533.
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "reorder/core/by_component.hpp"
#include "reorder/core/methods.hpp"

namespace spress::reorder {
namespace {

class Front {
 public:
  explicit Front(GraphView graph) : graph_(graph), new_neighbors_(graph.vertices), entered_(graph.vertices, outside) {
    for (VertexId v = 0; v < graph.vertices; ++v) new_neighbors_[v] = graph.degree(v);
  }

  void enter(VertexId v) {
    entered_[v] = static_cast<VertexId>(by_entry_.size());
    by_entry_.push_back(v);
    for (const VertexId to : graph_.neighbors(v)) {
      const bool waits = waiting_.erase({new_neighbors_[to], entered_[to]}) != 0;
      --new_neighbors_[to];
      if (waits) waiting_.emplace(new_neighbors_[to], entered_[to]);
    }
    waiting_.emplace(new_neighbors_[v], entered_[v]);
  }

  /// The next vertex, which leaves. Its neighbors have entered.
  VertexId leave() {
    const VertexId v = by_entry_[waiting_.begin()->second];
    waiting_.erase(waiting_.begin());
    for (const VertexId to : graph_.neighbors(v))
      if (entered_[to] == outside) enter(to);
    return v;
  }

 private:
  static constexpr VertexId outside = std::numeric_limits<VertexId>::max();

  GraphView graph_;
  std::vector<VertexId> new_neighbors_;  // of each vertex: its neighbors that never entered
  std::vector<VertexId> entered_;        // how many had entered before
  std::vector<VertexId> by_entry_;
  std::set<std::pair<VertexId, VertexId>> waiting_;  // by new neighbors, then by entry
};

void order_by_king(GraphView graph, VertexId* out) {
  LevelStructure levels(graph);
  Front front(graph);
  front.enter(narrow_pair(graph, levels, 0).start);
  for (VertexId i = 0; i < graph.vertices; ++i) out[i] = front.leave();
}

}  // namespace

Result<Permutation> methods::king(const Csr<Viewed>& a) {
  return order_by_component(graph_of(a).view(), order_by_king);
}

}  // namespace spress::reorder
