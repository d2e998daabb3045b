// Reading and writing of text in the temporary folder; bytes are those of the text.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "bench/common.hpp"
#include "bench/scratch.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"

namespace {

using namespace spress;
namespace fs = std::filesystem;

void read_text(benchmark::State& state, const std::string& spec) {
  const Matrix matrix = bench::generate(spec);
  const bench::Scratch file(".mtx");
  if (!io::write_matrix_market(view_of(matrix.csr), matrix.info, file.path).ok())
    return state.SkipWithError("no space");
  for (auto _ : state) benchmark::DoNotOptimize(io::read_matrix_market(file.path));
  state.SetBytesProcessed(static_cast<std::int64_t>(fs::file_size(file.path)) * state.iterations());
}

void write_text(benchmark::State& state, const std::string& spec) {
  const Matrix matrix = bench::generate(spec);
  const bench::Scratch file(".mtx");
  for (auto _ : state)
    if (!io::write_matrix_market(view_of(matrix.csr), matrix.info, file.path).ok())
      return state.SkipWithError("no space");
  state.SetBytesProcessed(static_cast<std::int64_t>(fs::file_size(file.path)) * state.iterations());
}

BENCHMARK_CAPTURE(read_text, noise, "band:n=400000,values=noise")->UseRealTime();
BENCHMARK_CAPTURE(read_text, symmetric_noise, "stencil27:n=60,values=noise")->UseRealTime();
BENCHMARK_CAPTURE(read_text, pattern, "band:n=400000,values=pattern")->UseRealTime();
BENCHMARK_CAPTURE(read_text, decimals, "band:n=400000,values=decimal")->UseRealTime();
BENCHMARK_CAPTURE(write_text, noise, "band:n=400000,values=noise")->UseRealTime();

}  // namespace
