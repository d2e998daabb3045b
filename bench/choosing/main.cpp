// What choosing costs, in products of CSR: bench_choosing [--threads N] [--wall] [--orderings] MATRIX...
//
// Times are of the processor, all threads together, so that other work on the machine matters little; --wall: of the
// clock. Each is the least of several runs. A line per matrix: entries, microseconds of a product, then products that
// auto takes for size, for spmv on this processor and for spmv on a GPU, each with what it takes; with --orderings also
// those of comparing orderings for size (computing them apart), and of proving by exact bytes the one that is taken.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "kernels/cpu/spmv.hpp"
#include "pipeline/choose.hpp"
#include "pipeline/source.hpp"

namespace {

using namespace spress;

struct Settings {
  int threads = 1;
  bool wall = false, orderings = false;
};

double now(bool wall) {
  if (wall) return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Each run does the work often enough that asking for the time, which takes up to a microsecond, does not count.
template <class Work>
double least_seconds(const Settings& settings, int runs, const Work& work) {
  constexpr double enough = 100e-6;
  double least = std::numeric_limits<double>::infinity();
  int times = 1;
  for (int run = 0; run < runs; ++run) {
    double seconds = 0;
    for (;; times *= 2) {
      const double start = now(settings.wall);
      for (int k = 0; k < times; ++k) work();
      seconds = now(settings.wall) - start;
      if (seconds >= enough) break;
    }
    least = std::min(least, seconds / times);
  }
  return least;
}

double product_seconds(const Csr<Viewed>& a, const Settings& settings) {
  std::vector<double> x(a.cols, 1), y(a.rows);
  return least_seconds(settings, 25, [&] { cpu::spmv<double>(a, x.data(), y.data(), settings.threads); });
}

std::string name_of(const Candidate& c) { return c.format.text() + "/" + std::string(enum_name(c.values)); }

/// Products that one choice costs, and what is chosen.
std::string choice_cells(const Csr<Viewed>& a, const ChoiceOptions& options, double product, const Settings& settings) {
  std::string chosen = "-";
  const double seconds = least_seconds(settings, 5, [&] {
    const auto choice = choose(a, options);
    if (choice.ok()) chosen = name_of(choice->candidates.front());
  });
  return fmt::format("\t{:.1f}\t{}", seconds / product, chosen);
}

/// By the clock, as choose_auto times itself.
std::string ordering_cells(const Csr<Viewed>& a, const ChoiceOptions& options, double product) {
  pipeline::AutoOptions how;
  how.choice = options;
  how.orderings = pipeline::auto_orderings(a, options.goal);
  double seconds = std::numeric_limits<double>::infinity(), exact_seconds = seconds;
  std::string chosen = "-";
  for (int run = 0; run < 3; ++run) {
    const auto choice = pipeline::choose_auto(a, how);
    if (!choice.ok()) break;
    seconds = std::min(seconds, choice->seconds);
    exact_seconds = std::min(exact_seconds, choice->exact_seconds);
    chosen = choice->ordering() + " " + name_of(choice->best());
  }
  return fmt::format("\t{:.1f}\t{:.1f}\t{}", seconds / product, exact_seconds / product, chosen);
}

void measure(const char* input, const std::vector<const CostModel*>& models, const Settings& settings) {
  const auto matrix = pipeline::load(input, {.threads = settings.threads});
  if (!matrix.ok() || matrix->csr.values.type == ValueType::c128) {
    fmt::print("{}\t{}\n", input, matrix.ok() ? "complex values" : matrix.error().text());
    return;
  }
  const auto a = view_of(matrix->csr);
  const double product = product_seconds(a, settings);
  std::string line = fmt::format("{}\t{}\t{:.1f}", input, a.nnz, 1e6 * product);
  ChoiceOptions options;
  options.threads = settings.threads;
  line += choice_cells(a, options, product, settings);
  for (const CostModel* model : models) {
    ChoiceOptions fast = options;
    fast.goal = Goal::spmv;
    fast.model = model;
    line += choice_cells(a, fast, product, settings);
  }
  if (settings.orderings) line += ordering_cells(a, options, product);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<const char*> inputs;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--wall") == 0)
      settings.wall = true;
    else if (std::strcmp(argv[i], "--orderings") == 0)
      settings.orderings = true;
    else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      settings.threads = std::max(1, std::atoi(argv[++i]));
    else
      inputs.push_back(argv[i]);
  omp_set_num_threads(settings.threads);
  const auto cpu = pipeline::calibration_here(pipeline::DeviceKind::cpu);
  const auto gpu = pipeline::load_calibration(pipeline::DeviceKind::cuda, "", "");
  if (!cpu.ok() || !gpu.ok()) {
    fmt::print(stderr, "{}\n", cpu.ok() ? gpu.error().text() : cpu.error().text());
    return 2;
  }
  fmt::print("matrix\tnnz\tproduct_us\tsize\tchosen\tspmv_cpu\tchosen\tspmv_gpu\tchosen{}\n",
             settings.orderings ? "\torderings\tproof\tchosen" : "");
  for (const char* input : inputs) measure(input, {&cpu->model, &gpu->model}, settings);
  return 0;
}
