// The statistics of one matrix; items are entries.
#include <benchmark/benchmark.h>

#include "analyze/blocks.hpp"
#include "analyze/index_classes.hpp"
#include "analyze/value_statistics.hpp"
#include "bench/common.hpp"

namespace {

using namespace spress;

template <class Work>
void run(benchmark::State& state, const std::string& spec, Work&& work) {
  const Matrix matrix = bench::generate(spec);
  const auto a = view_of(matrix.csr);
  for (auto _ : state) benchmark::DoNotOptimize(work(a));
  state.SetItemsProcessed(static_cast<std::int64_t>(a.nnz) * state.iterations());
}

void index_classes(benchmark::State& state) {
  run(state, bench::regular, [](const auto& a) { return analyze::index_classes(a); });
}
void blocks(benchmark::State& state) {
  run(state, bench::regular, [](const auto& a) { return analyze::blocks_8x8(a); });
}
void values_all_distinct(benchmark::State& state) {
  run(state, bench::regular, [](const auto& a) { return analyze::value_statistics(a.values); });
}
void values_few(benchmark::State& state) {
  run(state, "stencil27:n=64,values=few", [](const auto& a) { return analyze::value_statistics(a.values); });
}

BENCHMARK(index_classes)->UseRealTime();
BENCHMARK(blocks)->UseRealTime();
BENCHMARK(values_all_distinct)->UseRealTime();
BENCHMARK(values_few)->UseRealTime();

}  // namespace
