// Encoding and decoding of every format of the list, in bytes of CSR per second.
#include <benchmark/benchmark.h>

#include "bench/common.hpp"
#include "encode/shared/any.hpp"

namespace {

using namespace spress;

template <class Work>
void run(benchmark::State& state, const std::string& spec, Work&& work) {
  const Matrix matrix = bench::generate(spec);
  const auto a = view_of(matrix.csr);
  for (auto _ : state) work(a);
  state.SetBytesProcessed(static_cast<std::int64_t>(byte_totals(matrix.csr).total()) * state.iterations());
}

template <template <class> class F>
void register_format(const std::string& spec) {
  const std::string name = std::string(F<Owned>::name) + "/" + spec;
  benchmark::RegisterBenchmark(("encode/" + name).c_str(), [spec](benchmark::State& state) {
    run(state, spec, [](const auto& a) { benchmark::DoNotOptimize(encode<F>(a, {})); });
  })->UseRealTime();
  benchmark::RegisterBenchmark(("decode/" + name).c_str(), [spec](benchmark::State& state) {
    const Matrix matrix = bench::generate(spec);
    const auto encoded = encode<F>(view_of(matrix.csr), {});
    run(state, spec, [&](const auto&) { benchmark::DoNotOptimize(decode<F>(view_of(*encoded))); });
  })->UseRealTime();
  benchmark::RegisterBenchmark(("estimate/" + name).c_str(), [spec](benchmark::State& state) {
    run(state, spec, [](const auto& a) { benchmark::DoNotOptimize(estimate<F>(a, {})); });
  })->UseRealTime();
}

const bool registered = [] {
  for (const auto& spec : {bench::regular, bench::irregular})
    for_each_format([&]<template <class> class F>(Tag<F>) { register_format<F>(spec); });
  return true;
}();

}  // namespace
