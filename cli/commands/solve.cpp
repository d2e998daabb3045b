#include "pipeline/solve/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/choosing.hpp"
#include "cli/loading.hpp"
#include "cli/measuring.hpp"
#include "cli/over_ranks.hpp"
#include "formats/core/clock.hpp"
#include "pipeline/device/cuda_part.hpp"
#include "pipeline/device/machine.hpp"
#include "pipeline/source.hpp"
#include "reports/json/json.hpp"
#include "reports/text/text_table.hpp"

namespace spress::cli {
namespace {

constexpr std::uint64_t most_iterations = 1'000'000'000'000;  ///< that may be asked for: beyond any patience

struct SolveArguments {
  Common common;
  std::string input, formats, device = "cpu", type = "both", values = "raw", preconditioner = "none", pair, memory;
  std::string output, cut = "entries";
  double tolerance = 1e-8;
  std::uint64_t max_iterations = 1000;
  bool no_bandwidth = false;
};

std::string number(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string ended(const reports::SolveMeasure& r) {
  if (r.stop.empty()) return "-";
  return r.switched_at ? fmt::format("{}, switched at {}", r.stop, *r.switched_at) : r.stop;
}

std::vector<std::string> cells_of(const reports::SolveMeasure& r) {
  const bool ran = !r.stop.empty();
  return {reports::spec_of(r),
          r.values,
          r.type,
          ran ? fmt::to_string(r.iterations) : "-",
          ended(r),
          number(r.residual, "{:.1e}"),
          number(r.true_residual, "{:.1e}"),
          r.l2_error ? number(*r.l2_error, "{:.2e}") : "-",
          number(r.seconds * 1e3, "{:.4g}"),
          number(r.iterations_per_second, "{:.4g}"),
          number(r.updates_per_second / 1e6, "{:.4g}"),
          number(r.product_share * 100, "{:.0f}"),
          number(r.encode_seconds * 1e3, "{:.4g}"),
          number(r.transfer_seconds * 1e3, "{:.4g}"),
          number(r.speedup_vs_csr, "{:.2f}"),
          number(r.total_speedup_vs_csr, "{:.2f}"),
          !r.ok   ? "-"
          : *r.ok ? "ok"
                  : "FAIL",
          r.reason};
}

std::string text_of(const reports::SolveRecord& record) {
  using reports::Align;
  reports::TextTable table({{"format", Align::left},
                            {"values", Align::left},
                            {"type", Align::left},
                            {"iterations"},
                            {"end", Align::left},
                            {"residual"},
                            {"true"},
                            {"L2 error"},
                            {"ms"},
                            {"it/s"},
                            {"Mrows/s"},
                            {"SpMV %"},
                            {"encode ms"},
                            {"transfer ms"},
                            {"speedup"},
                            {"with encode"},
                            {"ok", Align::left},
                            {"", Align::left}});
  for (const auto& row : record.formats) table.row(cells_of(row));
  const std::string processes = record.parts.empty() ? "" : fmt::format("{} processes of ", record.parts.size());
  return fmt::format("{}: {} x {}, {} entries; tolerance {:g}, at most {} iterations, {}{} thread{}\n{}",
                     reports::shown(record.path, 100), record.rows, record.cols, record.nnz, record.tolerance,
                     record.max_iterations, processes, record.threads, record.threads == 1 ? "" : "s", table.str());
}

Result<std::optional<std::pair<Spec, Spec>>> parse_pair(const std::string& text) {
  using Pair = std::optional<std::pair<Spec, Spec>>;
  if (text.empty()) return Pair();
  SPRESS_TRY(auto specs, parse_formats(text));
  if (specs.size() == 2) return Pair(std::pair(std::move(specs[0]), std::move(specs[1])));
  return Error{ErrorCode::usage, "--switch " + text + ": expected two formats, as in csr,sell"};
}

std::vector<ValueType> types_of(const std::string& name) {
  if (name == "double") return {ValueType::f64};
  if (name == "float") return {ValueType::f32};
  return {ValueType::f64, ValueType::f32};
}

Result<pipeline::SolveOptions> settings_of(const SolveArguments& options, bool& choose) {
  pipeline::SolveOptions how;
  SPRESS_TRY(how.formats, parse_with_auto(options.formats, choose));
  SPRESS_TRY(how.values, parse_store(options.values));
  SPRESS_TRY(how.hidden, parse_pair(options.pair));
  how.types = types_of(options.type);
  if (options.preconditioner == "jacobi") how.preconditioner = pipeline::Preconditioner::jacobi;
  how.tolerance = options.tolerance;
  how.max_iterations = options.max_iterations;
  how.warm_up_seconds = 0.2;  // sixteen threads take about as long to be as fast as they get
  how.threads = options.common.threads;
  how.device = device_kind(options.device);
  SPRESS_TRY(how.device_memory, device_memory_of(options.memory, options.device));
  return how;
}

/// One line on a terminal, rewritten in place. Rows take about the same time; the baseline's other orders come on top.
class SolveProgressLine {
 public:
  void show(const pipeline::SolveProgress& p) const {
    const double seconds = seconds_since(start_);
    const auto done = static_cast<double>(p.done);
    const std::string left =
        p.done > 0 && p.done < p.total
            ? fmt::format(", about {} left", clock_text(seconds * (static_cast<double>(p.total) - done) / done))
            : "";
    write_stderr(fmt::format("\r\033[K{}/{} in {}{}  {}", p.done, p.total, clock_text(seconds), left,
                             reports::shown(p.what, 50)));
  }
  static void tell(const char* what) { write_stderr(fmt::format("\r\033[K{}", what)); }

 private:
  Clock::time_point start_ = Clock::now();
};

/// Reads, then solves.
Result<reports::SolveRecord> solved(const SolveArguments& options, pipeline::SolveOptions& how, bool choose) {
  SPRESS_CHECK(pipeline::check_device(how.device));
  SPRESS_TRY(const auto matrix, load_matrix(options.common, options.input));
  SPRESS_TRY(const auto problem, pipeline::load_problem(options.input));
  if (choose) SPRESS_CHECK(add_chosen(options.common, options.device, view_of(matrix.csr), how.values, how.formats));
  return pipeline::solve(matrix, problem, how);
}

Result<reports::SolveRecord> solved_over(const pipeline::Ranks& ranks, const SolveArguments& options,
                                         const pipeline::SolveOptions& how, bool choose) {
  SPRESS_CHECK(check_fit_for_ranks(choose, options.memory));
  if (how.hidden) return Error{ErrorCode::usage, "--switch is for one process; name formats by --formats"};
  io::ReadOptions reading = options.common.reading;
  reading.threads = how.threads;
  SPRESS_TRY(auto rows, pipeline::read_rank_rows(ranks, options.input, reading, cut_of(options.cut)));
  SPRESS_TRY(const auto problem, pipeline::load_problem(options.input));
  return pipeline::solve(ranks, std::move(rows), problem, how);
}

/// The bandwidth comes last: it takes seconds, which a system that cannot be solved is not to cost.
Result<reports::SolveRecord> measured(const pipeline::Ranks& ranks, const SolveArguments& options,
                                      const std::string& command_line) {
  bool choose = false;
  SPRESS_TRY(auto how, settings_of(options, choose));
  how.threads = threads_of(options.common, ranks);
  SPRESS_CHECK(ranks.agree(pipeline::take_gpu(ranks, how.device)));
  how.machine = pipeline::machine_record(how.threads, how.device);
  how.machine.command = command_line;
  const SolveProgressLine progress;
  const bool shown = ranks.leads() && shows_progress(options.common);
  if (shown) how.on_progress = [&](const auto& p) { progress.show(p); };
  auto record = ranks.several() ? solved_over(ranks, options, how, choose) : solved(options, how, choose);
  if (shown) SolveProgressLine::tell(record.ok() && !options.no_bandwidth ? "measuring the copy bandwidth" : "");
  if (record.ok() && !options.no_bandwidth)
    record->machine.copy_gb_per_s = bandwidth_over(ranks, how.device, how.threads);
  if (shown) SolveProgressLine::tell("");
  if (!record.ok() && record.error().file.empty()) record.error().file = options.input;
  return record;
}

Result<int> run(const pipeline::Ranks& ranks, const SolveArguments& options, const std::string& command_line) {
  SPRESS_TRY(auto file, open_records(ranks, options.output));
  SPRESS_TRY(const auto record, measured(ranks, options, command_line));
  if (ranks.leads()) {
    if (file) SPRESS_CHECK(file->append(reports::to_json_line(record)));
    print(options.common.json ? reports::to_json_line(record) + "\n" : text_of(record));
  }
  return record.ok ? ExitCode::good : ExitCode::found_false;
}

Result<int> run(const SolveArguments& options, const std::string& command_line) {
  SPRESS_TRY(const auto ranks, pipeline::Ranks::join());
  return over_ranks(ranks, [&] { return run(ranks, options, command_line); });
}

void add_numerics(Command command, SolveArguments& options) {
  command.add_choice("--value", options.type, {"double", "float", "both"}, "Type of values and vectors");
  command.add_choice("--preconditioner", options.preconditioner, {"none", "jacobi"},
                     "Preconditioner; jacobi divides by the diagonal");
  command.add_option("--tolerance", options.tolerance, "Stop when ||r|| <= T ||b||")
      .type_name("T")
      .number(0, 1)
      .shows_default();
  command.add_option("--max-iterations", options.max_iterations, "Stop after N iterations")
      .type_name("N")
      .whole_number(0, most_iterations)
      .shows_default();
}

}  // namespace

void add_solve(Registry& registry) {
  static SolveArguments options;
  const Command command =
      registry.add("solve", "Solve A x = b by conjugate gradient, with every format",
                   std::string("spress solve gen:fem3d,n=32 --formats csr,sell,opt-csr --preconditioner jacobi\n"
                               "  spress solve gen:fem3d,n=48 --formats csr --switch csr,slice-delta\n"
                               "  spress solve gen:fem3d,n=160 --device cuda") +
                       isa_note,
                   options.common);
  registry.reads(
      command.add_option("IN", options.input, "Matrix file, .spress file or gen:NAME,key=value,...").required());
  command
      .add_option(
          "--formats", options.formats,
          "Formats to solve with, a list of 'spress list formats' [all]; auto: the one with the fastest product as "
          "predicted")
      .type_name("LIST");
  command.add_option("--values", options.values, "Value store: raw, narrow, lut8, lut16, iso; auto: the smallest one")
      .type_name("STORE")
      .shows_default();
  const Option pair = command
                          .add_option("--switch", options.pair,
                                      "Also begin with format FROM while other threads encode TO, then switch")
                          .type_name("FROM,TO");
  add_device(command, options.device);
  add_device_memory(command, options.memory).excludes(pair);
  add_cut(command, options.cut);
  add_numerics(command, options);
  command.add_flag("--no-bandwidth", options.no_bandwidth, "Do not measure the copy bandwidth of the memory");
  registry.writes(command.add_option("-o,--output", options.output, "Append the record to a file, as one JSON line"),
                  Writes::records);
  add_no_progress(command, options.common);
  add_reading(command, options.common);
  registry.on(command, [&registry] { return run(options, registry.command_line); });
}

}  // namespace spress::cli
