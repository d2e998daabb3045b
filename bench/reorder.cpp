// Every ordering of the list; items are entries.
#include <benchmark/benchmark.h>

#include "bench/common.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/orderings.hpp"

namespace {

using namespace spress;

void order(benchmark::State& state, const std::string& name) {
  const Matrix matrix = bench::generate("stencil7:n=40,shuffle=1");
  const auto a = view_of(matrix.csr);
  for (auto _ : state) benchmark::DoNotOptimize(reorder::compute_ordering(name, a));
  state.SetItemsProcessed(static_cast<std::int64_t>(a.nnz) * state.iterations());
}

const bool registered = [] {
  for (const auto& ordering : reorder::orderings()) {
    const std::string name(ordering.name);
    benchmark::RegisterBenchmark(("order/" + name).c_str(), [name](benchmark::State& state) {
      order(state, name);
    })->UseRealTime();
  }
  return true;
}();

}  // namespace
