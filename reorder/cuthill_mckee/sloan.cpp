// Sloan's ordering. Source: Sloan, A FORTRAN program for profile and wavefront reduction, Int. J. Numer. Methods Eng.
// 28 (1989), 2651-2679. Boost's sloan_ordering sorts the list of all candidates anew for each vertex it numbers, which
// takes hours where there are a million, so only the queue here is Boost's: one that can raise a candidate in place.
#include <boost/graph/detail/d_ary_heap.hpp>

#include "reorder/core/boost_graph.hpp"
#include "reorder/core/by_component.hpp"
#include "reorder/core/methods.hpp"

namespace spress::reorder {
namespace {

constexpr std::int64_t distance_weight = 1, degree_weight = 2;  // Sloan's own

enum class Stage : std::uint8_t { inactive, preactive, active, postactive };

struct Priority {
  std::int64_t value = 0;
  VertexId name = 0;
};
struct Higher {  // ties go to the smaller name
  bool operator()(const Priority& a, const Priority& b) const {
    return a.value != b.value ? a.value > b.value : a.name < b.name;
  }
};

class Sloan {
 public:
  Sloan(GraphView graph, LevelStructure& levels) : graph_(graph), ends_(narrow_pair(graph, levels, 0)) {
    levels.build(ends_.end);
    for (std::size_t distance = 0; distance <= levels.height(); ++distance)
      for (const VertexId v : levels.level(distance))
        priorities_[v] = {
            distance_weight * static_cast<std::int64_t>(distance) - degree_weight * (std::int64_t{graph.degree(v)} + 1),
            graph.name(v)};
  }

  void run(VertexId* out) {
    for (make_candidate(ends_.start); !candidates_.empty();) {
      const VertexId v = candidates_.top();
      candidates_.pop();
      if (stages_[v] == Stage::preactive)
        for (const VertexId neighbor : graph_.neighbors(v)) raise(neighbor);
      stages_[v] = Stage::postactive;
      *out++ = v;
      for (const VertexId neighbor : graph_.neighbors(v))
        if (stages_[neighbor] == Stage::preactive) activate(neighbor);
    }
  }

 private:
  using Heap = boost::d_ary_heap_indirect<VertexId, 4, std::size_t*, const Priority*, Higher>;

  void make_candidate(VertexId v) {
    stages_[v] = Stage::preactive;
    candidates_.push(v);
  }
  void raise(VertexId v) {
    if (stages_[v] == Stage::postactive) return;
    priorities_[v].value += degree_weight;
    if (stages_[v] == Stage::inactive)
      make_candidate(v);
    else
      candidates_.update(v);
  }
  void activate(VertexId v) {
    stages_[v] = Stage::active;
    raise(v);
    for (const VertexId neighbor : graph_.neighbors(v)) raise(neighbor);
  }

  GraphView graph_;
  PseudoDiameter ends_;
  HostArray<Priority> priorities_ = HostArray<Priority>(graph_.vertices);
  HostArray<Stage> stages_ = HostArray<Stage>(graph_.vertices, Stage::inactive);
  HostArray<std::size_t> places_ = HostArray<std::size_t>(graph_.vertices);  // of the candidates in their heap
  Heap candidates_{priorities_.data(), places_.data()};
};

void order_by_sloan(GraphView graph, VertexId* out) {
  LevelStructure levels(graph);
  Sloan(graph, levels).run(out);
}

}  // namespace

Result<Permutation> methods::sloan(const Csr<Viewed>& a) {
  return order_by_component(graph_of(a).view(), order_by_sloan);
}

}  // namespace spress::reorder
