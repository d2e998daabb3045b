// SpMV of every format of the list; bytes are what the format holds plus both vectors.
#include <benchmark/benchmark.h>

#include "bench/common.hpp"
#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"

namespace {

using namespace spress;

template <template <class> class F>
void multiply(benchmark::State& state, const std::string& spec) {
  const Matrix matrix = bench::generate(spec);
  const auto encoded = encode<F>(view_of(matrix.csr), {});
  const auto view = view_of(*encoded);
  const auto x = test_vector<double>(view.cols);
  std::vector<double> y(view.rows);
  for (auto _ : state) {
    cpu::spmv<double>(view, x.data(), y.data());
    benchmark::DoNotOptimize(y.data());
  }
  const auto bytes = byte_totals(*encoded).total() + 8 * (view.rows + view.cols);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

const bool registered = [] {
  for (const auto& spec : {bench::regular, bench::irregular})
    for_each_format([&]<template <class> class F>(Tag<F>) {
      benchmark::RegisterBenchmark(("spmv/" + std::string(F<Owned>::name) + "/" + spec).c_str(),
                                   [spec](benchmark::State& state) { multiply<F>(state, spec); })
          ->UseRealTime();
    });
  return true;
}();

}  // namespace
