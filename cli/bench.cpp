#include "pipeline/bench.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "cli/measuring.hpp"
#include "cli/progress_line.hpp"
#include "cli/stores.hpp"
#include "pipeline/line_file.hpp"
#include "pipeline/machine.hpp"
#include "pipeline/source.hpp"
#include "reports/bench_text.hpp"
#include "reports/json.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::vector<std::string> inputs;
  std::string formats, device = "cpu", value = "double", values = "auto", output;
  double seconds = 1;
  int repetitions = 0;
  bool no_peers = false, no_bandwidth = false;
};

Result<pipeline::BenchOptions> bench_options(const Options& options) {
  pipeline::BenchOptions how;
  SPRESS_TRY(how.formats, parse_formats(options.formats));
  SPRESS_TRY(const auto stores, parse_stores(options.values));
  how.choice = stores.choice;
  how.stores = stores.listed;
  how.value = options.value == "float" ? ValueType::f32 : ValueType::f64;
  how.threads = options.common.threads;
  how.pairing.seconds = options.seconds;
  how.pairing.repetitions = options.repetitions;
  SPRESS_TRY(how.device, pipeline::find_device(device_kind(options.device)));
  if (options.no_peers) how.device.peers.clear();
  return how;
}

reports::MachineRecord measured_machine(const Options& options, const std::string& command_line) {
  const auto device = device_kind(options.device);
  auto machine = pipeline::machine_record(options.common.threads, device);
  machine.command = command_line;
  if (options.no_bandwidth) return machine;
  if (shows_progress(options.common)) fmt::print(stderr, "\r\033[Kmeasuring the copy bandwidth");
  machine.copy_gb_per_s = pipeline::copy_bandwidth(device, options.common.threads);
  return machine;
}

Result<reports::BenchRecord> bench_one(const pipeline::Item& item, const pipeline::BenchOptions& how) {
  if (!item.problem.empty()) return Error{ErrorCode::unreadable, item.problem, item.input, 0};
  try {
    SPRESS_TRY(auto matrix, pipeline::load(item.input, how.threads));
    return pipeline::bench(std::move(matrix), how);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::too_large, "not enough memory for this matrix", item.input, 0};
  }
}

bool on_gpu(const reports::MachineRecord& machine) { return machine.driver.has_value(); }

void warn(const Common& common, const reports::BenchRecord& record) {
  if (record.error) status(common, "spress: failed: " + *record.error);
  if (record.working_set_in_cache)
    status(common, fmt::format("spress: warning: {} fits {} ({}): its times say little about larger matrices",
                               record.path, on_gpu(record.machine) ? "twice the L2 cache" : "the last-level cache",
                               human_bytes(record.machine.last_level_cache_bytes)));
}

Result<int> run(const Options& options, const std::string& command_line) {
  SPRESS_TRY(auto how, bench_options(options));
  SPRESS_TRY(const auto items, pipeline::collect(options.inputs));
  std::optional<pipeline::LineFile> file;
  if (!options.output.empty()) {
    SPRESS_TRY(auto opened, pipeline::LineFile::open(options.output));
    file.emplace(std::move(opened));
  }
  how.machine = measured_machine(options, command_line);
  ProgressLine progress(items.size());
  if (shows_progress(options.common)) how.on_progress = [&](const auto& p) { progress.show(p); };
  bool good = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& item = items[i];
    progress.begin(i);
    auto record = bench_one(item, how);
    if (how.on_progress) ProgressLine::clear();
    if (!record.ok()) {
      if (items.size() == 1 || record.error().code == ErrorCode::usage) return std::move(record).error();
      record = pipeline::bench_error_record(item.input, record.error().text(), how);
    }
    if (file) SPRESS_CHECK(file->append(reports::to_json_line(*record)));
    print(options.common.json ? reports::to_json_line(*record) + "\n" : reports::bench_text(*record));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return ExitCode::failed;  // which the end reports
    warn(options.common, *record);
    good = good && record->ok;
  }
  return good ? ExitCode::good : ExitCode::found_false;
}

}  // namespace

void add_bench(Registry& registry) {
  static Options options;
  auto* command = registry.add("bench", "Time the products of all formats against CSR and other libraries",
                               std::string("spress bench gen:stencil27,n=100,values=noise --formats csr,opt-csr,sell "
                                           "--threads 4\n"
                                           "  spress bench gen:stencil27,n=160,values=noise --device cuda") +
                                   isa_note,
                               options.common);
  command->add_option("IN", options.inputs, "Matrix files, .spress containers, folders or gen:NAME,key=value,...")
      ->required();
  command->add_option("--formats", options.formats, "Formats to time (default: all; 'spress list formats')");
  add_device(*command, options.device);
  command->add_option("--value", options.value, "Type of the values and of all work: double or float")
      ->check(CLI::IsMember({"double", "float"}))
      ->capture_default_str();
  add_stores(*command, options.values);
  command->add_option("--seconds", options.seconds, "Time to measure each row; at least 7 pairs of products are timed")
      ->check(finite_range(0, 3600))
      ->capture_default_str();
  command->add_option("--repetitions", options.repetitions, "Pairs of products to time, whatever time they take")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--no-peers", options.no_peers, "Leave other libraries out");
  command->add_flag("--no-bandwidth", options.no_bandwidth, "Do not measure the copy bandwidth of the memory");
  command->add_option("-o,--output", options.output, "File to which the records are appended, one JSON line each");
  command->add_flag("--no-progress", options.common.no_progress, "Show no progress on a terminal");
  registry.on(command, [&registry] {
    const auto code = run(options, registry.command_line);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
