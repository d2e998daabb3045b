#include "reorder/parts/scotch.hpp"

#ifdef SPRESS_WITH_SCOTCH
#include <scotch.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

thread_local std::string last_complaint;

void keep(const char* format, std::va_list arguments) {
  std::array<char, 256> text;
  std::vsnprintf(text.data(), text.size(), format, arguments);
  last_complaint = text.data();
}

}  // namespace

// Scotch hands its messages to functions that programs may bring themselves; its own ones print.
extern "C" {
void SCOTCH_errorPrint(const char* const format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  keep(format, arguments);
  va_end(arguments);
}
void SCOTCH_errorPrintW(const char* const, ...) {}
void SCOTCH_errorProg(const char* const) {}
}

namespace spress::reorder::scotch {
namespace {

using Ids = HostArray<SCOTCH_Num>;

/// How much larger than the mean a part may be, as a fraction of it.
constexpr double imbalance = 0.05;

/// Nested dissection as Scotch does it unasked, on the graph whose vertices with the same neighbors are merged. Parts
/// too small to halve stay as they are: of Scotch's own ways to order them, approximate minimum fill reads beyond its
/// arrays where a vertex has some ten thousand neighbors, and approximate minimum degree where all are neighbors.
std::string dissection() {
  const std::string refined = "f{bal=0.2,move=200,pass=1000}";
  const std::string halved =
      "m{rat=0.7,vert=100,low=h{pass=10},asc=b{width=3,bnd=" + refined + ",org=(|h{pass=10})" + refined + "}}";
  const std::string nested =
      "n{sep=/(vert>240)?(" + halved + "|" + halved + ");,ole=s,ose=g{pass=3}}";  // the better of two trials
  return "c{rat=0.7,cpr=" + nested + ",unc=" + nested + "}";
}

/// Something of Scotch's that is made empty and freed.
template <class T, int (*Init)(T*), void (*Exit)(T*)>
class Handle {
 public:
  Handle() { failed_ = Init(&object_) != 0; }
  ~Handle() { Exit(&object_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] T* get() { return &object_; }

 private:
  T object_;
  bool failed_;
};
using GraphHandle = Handle<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using ContextHandle = Handle<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;
using StrategyHandle = Handle<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using LineHandle = Handle<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;

Error failure() {
  return {ErrorCode::too_large, "Scotch gave up" +
                                    (last_complaint.empty() ? std::string() : " (" + last_complaint + ")") +
                                    ": the graph may need more memory than there is"};
}

Status check_size(GraphView graph) {
  if (SCOTCH_numSizeof() != static_cast<int>(sizeof(SCOTCH_Num)))
    return Error{ErrorCode::unsupported,
                 "the Scotch library was built with integers of another size than its header says: install both anew"};
  const std::uint64_t arcs = graph.row_ptr[graph.vertices];
  if (arcs <= static_cast<std::uint64_t>(std::numeric_limits<SCOTCH_Num>::max())) return Ok{};
  return Error{ErrorCode::too_large,
               "this build of Scotch counts up to " + std::to_string(std::numeric_limits<SCOTCH_Num>::max()) +
                   " neighbors, and this graph has " + std::to_string(arcs) + ": a Scotch of 64-bit integers holds it"};
}

template <class T>
Ids converted(const T* from, std::uint64_t n) {
  Ids out(n);
  for (std::uint64_t i = 0; i < n; ++i) out[i] = static_cast<SCOTCH_Num>(from[i]);
  return out;
}

/// Calls work(graph, strategy) on Scotch's copy of the graph; one thread and one seed, whatever the environment says.
/// One call at a time: results of Scotch 7.0.3 depend on what other threads order meanwhile, in whatever context.
/// `weights` may be null: all vertices weigh the same.
template <class Work>
Status with_graph(GraphView graph, const SCOTCH_Num* weights, const Work& work) {
  SPRESS_CHECK(check_size(graph));
  static std::mutex others;
  const std::lock_guard<std::mutex> alone(others);
  last_complaint.clear();
  const std::uint64_t arcs = graph.row_ptr[graph.vertices];
  const Ids row_ptr = converted(graph.row_ptr, std::uint64_t{graph.vertices} + 1);
  const Ids adjacency = converted(graph.adjacency, arcs);
  GraphHandle plain;
  if (plain.failed() ||
      SCOTCH_graphBuild(plain.get(), 0, static_cast<SCOTCH_Num>(graph.vertices), row_ptr.data(), nullptr, weights,
                        nullptr, static_cast<SCOTCH_Num>(arcs), adjacency.data(), nullptr) != 0)
    return failure();
  ContextHandle context;
  GraphHandle bound;
  StrategyHandle strategy;
  if (context.failed() || bound.failed() || strategy.failed()) return failure();
  SCOTCH_contextRandomSeed(context.get(), 1);
  if (SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1) != 0 ||
      SCOTCH_contextThreadSpawn(context.get(), 1, nullptr) != 0 ||
      SCOTCH_contextBindGraph(context.get(), plain.get(), bound.get()) != 0 || work(bound.get(), strategy.get()) != 0)
    return failure();
  return Ok{};
}

HostArray<VertexId> to_vertices(const Ids& ids) {
  HostArray<VertexId> out(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) out[i] = static_cast<VertexId>(ids[i]);
  return out;
}

}  // namespace

std::string_view missing() { return {}; }

Result<Dissection> dissect(GraphView graph) {
  if (graph.vertices == 0) return Dissection();
  Ids order(graph.vertices), first(std::size_t{graph.vertices} + 1), father(graph.vertices);
  SCOTCH_Num blocks = 0;
  SPRESS_CHECK(with_graph(graph, nullptr, [&](SCOTCH_Graph* g, SCOTCH_Strat* strategy) {
    if (SCOTCH_stratGraphOrder(strategy, dissection().c_str()) != 0) return 1;
    return SCOTCH_graphOrder(g, strategy, nullptr, order.data(), &blocks, first.data(), father.data());
  }));
  const auto count = static_cast<std::size_t>(blocks);
  std::vector<bool> is_separator(count);
  for (std::size_t b = 0; b < count; ++b)
    if (father[b] >= 0) is_separator[static_cast<std::size_t>(father[b])] = true;
  Dissection out{to_vertices(order), {}};
  for (std::size_t b = 0; b < count; ++b)
    if (!is_separator[b]) out.blocks.emplace_back(first[b], first[b + 1]);
  return out;
}

// Halving again and again: mapping to all parts at once takes minutes where a few vertices have thousands of neighbors,
// and costs no fewer bytes.
Result<HostArray<VertexId>> map_to_line(GraphView graph, const HostArray<VertexId>& weights, VertexId parts) {
  if (parts <= 1 || graph.vertices == 0) return HostArray<VertexId>(graph.vertices, 0);
  const Ids sizes = converted(weights.data(), graph.vertices);
  Ids part(graph.vertices);
  SPRESS_CHECK(with_graph(graph, sizes.data(), [&](SCOTCH_Graph* g, SCOTCH_Strat* strategy) {
    LineHandle line;
    const auto length = static_cast<SCOTCH_Num>(parts);
    if (line.failed() || SCOTCH_archMeshX(line.get(), 1, &length) != 0 ||
        SCOTCH_stratGraphMapBuild(strategy, SCOTCH_STRATRECURSIVE | SCOTCH_STRATSPEED, length, imbalance) != 0)
      return 1;
    return SCOTCH_graphMap(g, line.get(), strategy, part.data());
  }));
  return to_vertices(part);
}

}  // namespace spress::reorder::scotch

#else

namespace spress::reorder::scotch {
namespace {

Error lacking() { return {ErrorCode::unsupported, std::string(missing())}; }

}  // namespace

std::string_view missing() {
  return "this build lacks Scotch: install libscotch-dev (Scotch 7.0 or newer), then configure and build again";
}
Result<Dissection> dissect(GraphView) { return lacking(); }
Result<HostArray<VertexId>> map_to_line(GraphView, const HostArray<VertexId>&, VertexId) { return lacking(); }

}  // namespace spress::reorder::scotch

#endif
