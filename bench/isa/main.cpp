// Compares instruction-set ceilings, csr with its peers, and slice-delta with csr: `./dev bench isa`.
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/head.hpp"
#include "bench/isa/measure.hpp"
#include "encode/shared/any.hpp"
#include "kernels/peers/peer.hpp"
#include "pipeline/calibrate/calibration.hpp"
#include "pipeline/device/machine.hpp"

namespace {

using namespace spress;
using bench::Comparison;
using bench::Timed;
using Json = nlohmann::ordered_json;

/// Starts the program again with each thread bound to a core of its own, if OpenMP does not bind threads yet: it reads
/// its environment only when a program starts.
void bind_threads(char** argv) {
  if (omp_get_proc_bind() != omp_proc_bind_false || std::getenv("OMP_PROC_BIND") != nullptr) return;
  setenv("OMP_PROC_BIND", "close", 1);
  setenv("OMP_PLACES", "cores", 1);
  execv("/proc/self/exe", argv);
}

/// One, and one for each core.
std::vector<int> usual_threads() {
  const int cores = std::max(1, omp_get_num_places() != 0 ? omp_get_num_places() : omp_get_max_threads());
  return cores == 1 ? std::vector<int>{1} : std::vector<int>{1, cores};
}

double milliseconds(const Timed& timed) { return 1e3 * timed.seconds; }

/// The time over that of what it is compared with: the best lower one for a ceiling, the first one for others.
double ratio_of(const Comparison& c, std::size_t i) {
  return c.kind == "ceilings" ? to_best_lower(c.timed, i) : c.timed[i].seconds / c.timed[0].seconds;
}

void print_text(const Comparison& c) {
  fmt::print("{:>2}  {:<11}  {:<24}", c.threads, c.kind, c.format);
  for (std::size_t i = 0; i < c.timed.size(); ++i) {
    if (c.kind != "slice-delta" || i != 0) fmt::print("  {}", c.timed[i].name);
    if (!c.timed[i].wrong.empty())
      fmt::print(" WRONG");
    else
      fmt::print(" {:.3f}", milliseconds(c.timed[i]));
    if (i != 0) fmt::print(" ({:.2f})", ratio_of(c, i));
  }
  fmt::print("{}{}\n", c.kind == "slice-delta" && c.least == 0 ? "  not what auto takes" : "",
             c.misses.empty() ? "" : "  MISS");
  std::fflush(stdout);
}

void print_json(const Comparison& c) {
  Json line = {{"kind", c.kind}, {"matrix", c.matrix}, {"nnz", c.nnz}, {"threads", c.threads}, {"format", c.format}};
  if (c.kind == "slice-delta") line["chosen_by_auto"] = c.least != 0;
  for (std::size_t i = 0; i < c.timed.size(); ++i) {
    Json timed = {{"name", c.timed[i].name}, {"ms", milliseconds(c.timed[i])}};
    if (i != 0) timed["ratio"] = ratio_of(c, i);
    if (!c.timed[i].wrong.empty()) timed["wrong"] = c.timed[i].wrong;
    line["timed"].push_back(timed);
  }
  line["misses"] = c.misses;
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

void print_head(const std::string& command, const bench::Settings& settings) {
  const auto machine = pipeline::machine_record(settings.threads.back());
  const auto peers = peers::names();
  if (settings.json) {
    const Json head = {{"machine", machine.machine}, {"compiler", machine.compiler}, {"commit", machine.commit},
                       {"command", command},         {"threads", settings.threads},  {"peers", peers},
                       {"runs", settings.turns.runs}};
    fmt::print("{}\n", head.dump());
    return;
  }
  fmt::print(
      "{}peers     {}\n\n"
      "Times are milliseconds of one product in double precision, the least of {} runs taken in turn.\n"
      "In brackets: the time of a ceiling over that of the best lower one, else over that of the first in the line.\n",
      bench::head_lines(machine, command), bench::joined(peers), settings.turns.runs);
}

void add_options(CLI::App& app, bench::Settings& settings, std::string& formats) {
  app.add_option("MATRIX", settings.inputs, "files or gen:NAME,key=value [one of each kind in the gallery]");
  app.add_option("--entries", settings.entries, "entries of each matrix of the gallery, about")
      ->check(CLI::Range(1e3, 1e9))
      ->capture_default_str();
  app.add_option("--threads", settings.threads, "numbers of threads [1, and one for each core]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 4096));
  app.add_option("--formats", formats, "formats whose ceilings are compared, as in csr,opt-csr:index=delta [all]");
  app.add_option("--runs", settings.turns.runs, "runs of each contender")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", settings.turns.seconds, "of one run")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_option("--repeats", settings.repeats, "times that a miss is measured again before it counts")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  app.add_flag("--json", settings.json, "JSON lines instead of text");
}

int fail(const Error& error) {
  fmt::print(stderr, "bench_isa: error: {}\n", error.text());
  return 2;
}

/// Fills in what the command line leaves out. Errors: usage, for formats that do not exist.
Status complete(bench::Settings& settings, const std::string& formats) {
  if (settings.threads.empty()) settings.threads = usual_threads();
  if (settings.inputs.empty()) settings.inputs = bench::gallery_inputs(settings.entries);
  settings.formats = all_formats();
  if (formats.empty()) return Ok{};
  SPRESS_TRY(settings.formats, parse_spec_list(formats));
  for (const Spec& spec : settings.formats) SPRESS_CHECK(check_format(spec));
  return Ok{};
}

/// 0: every target is met. 1: some are missed. 2: an error.
int run(const bench::Settings& settings, const std::string& command) {
  const auto calibration = pipeline::calibration_here(pipeline::DeviceKind::cpu);
  if (!calibration.ok()) return fail(calibration.error());
  print_head(command, settings);
  std::vector<std::string> misses;
  for (const auto& input : settings.inputs) {
    if (!settings.json) fmt::print("\n{}\n", input);
    const Status measured = measure(input, calibration->model, settings, [&](const Comparison& c) {
      settings.json ? print_json(c) : print_text(c);
      misses.insert(misses.end(), c.misses.begin(), c.misses.end());
    });
    if (!measured.ok()) return fail(measured.error());
  }
  if (!settings.json) {
    fmt::print("\n{} missed target{}\n", misses.size(), misses.size() == 1 ? "" : "s");
    for (const auto& miss : misses) fmt::print("  {}\n", miss);
  }
  return misses.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  bind_threads(argv);
  bench::Settings settings;
  CLI::App app{"Compare the times of instruction-set ceilings, csr with its peers, and slice-delta with csr",
               "bench_isa"};
  std::string formats;
  add_options(app, settings, formats);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (const Status completed = complete(settings, formats); !completed.ok()) return fail(completed.error());
  return run(settings, bench::joined({argv, argv + argc}));
}
