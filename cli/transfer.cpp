#include "pipeline/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "cli/measuring.hpp"
#include "cli/progress_line.hpp"
#include "cli/stores.hpp"
#include "pipeline/line_file.hpp"
#include "pipeline/machine.hpp"
#include "pipeline/source.hpp"
#include "reports/transfer_text.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::vector<std::string> inputs;
  std::string formats, value = "both", values = "auto", memory = "pinned,pageable", output;
  double seconds = 0.1, piece_megabytes = 8;
  int repetitions = 0;
  bool no_bandwidth = false;
};

Result<std::vector<pipeline::HostMemory>> parse_memories(const std::string& text) {
  using pipeline::HostMemory;
  const Error unknown = {ErrorCode::usage,
                         "--memory '" + text + "': give a list of pinned, pageable and staged, each at most once",
                         {},
                         0};
  const auto names = parse_names(text);
  if (!names.ok()) return unknown;
  std::vector<HostMemory> out;
  for (const std::string& name : *names) {
    const auto& known = EnumNames<HostMemory>::names;
    const auto found = std::find(known.begin(), known.end(), name);
    const auto memory = static_cast<HostMemory>(found - known.begin());
    if (found == known.end() || std::find(out.begin(), out.end(), memory) != out.end()) return unknown;
    out.push_back(memory);
  }
  return out;
}

Result<pipeline::TransferOptions> transfer_options(const Options& options) {
  pipeline::TransferOptions how;
  SPRESS_TRY(how.formats, parse_formats(options.formats));
  SPRESS_TRY(const auto stores, parse_stores(options.values));
  how.choice = stores.choice;
  how.stores = stores.listed;
  if (options.value != "both") how.types = {options.value == "float" ? ValueType::f32 : ValueType::f64};
  SPRESS_TRY(how.memories, parse_memories(options.memory));
  how.threads = options.common.threads;
  how.piece = static_cast<std::size_t>(options.piece_megabytes * 1e6);
  how.pairing.seconds = options.seconds;
  how.pairing.repetitions = options.repetitions;
  return how;
}

struct Bandwidths {
  double pinned = reports::not_measured, pageable = reports::not_measured, staged = reports::not_measured;
};

Result<Bandwidths> measure_machine(const Options& options, pipeline::Wire& wire, reports::MachineRecord& machine) {
  Bandwidths out;
  if (options.no_bandwidth) return out;
  if (shows_progress(options.common)) fmt::print(stderr, "\r\033[Kmeasuring the bandwidths");
  machine.copy_gb_per_s = pipeline::copy_bandwidth(pipeline::DeviceKind::cuda, options.common.threads);
  SPRESS_TRY(out.pinned, pipeline::wire_bandwidth(wire, pipeline::HostMemory::pinned));
  SPRESS_TRY(out.pageable, pipeline::wire_bandwidth(wire, pipeline::HostMemory::pageable));
  SPRESS_TRY(out.staged, pipeline::wire_bandwidth(wire, pipeline::HostMemory::staged));
  return out;
}

Result<reports::TransferRecord> transfer_one(const pipeline::Item& item, const pipeline::TransferOptions& how,
                                             pipeline::Wire& wire) {
  if (!item.problem.empty()) return Error{ErrorCode::unreadable, item.problem, item.input, 0};
  try {
    SPRESS_TRY(const auto matrix, pipeline::load(item.input, how.threads));
    return pipeline::transfer(matrix, how, wire);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::too_large, "not enough memory for this matrix", item.input, 0};
  }
}

Result<int> run(const Options& options, const std::string& command_line) {
  SPRESS_TRY(auto how, transfer_options(options));
  SPRESS_TRY(const auto items, pipeline::collect(options.inputs));
  SPRESS_TRY(const auto wire, pipeline::wire_to_gpu());
  std::optional<pipeline::LineFile> file;
  if (!options.output.empty()) {
    SPRESS_TRY(auto opened, pipeline::LineFile::open(options.output));
    file.emplace(std::move(opened));
  }
  how.machine = pipeline::machine_record(options.common.threads, pipeline::DeviceKind::cuda);
  how.machine.command = command_line;
  SPRESS_TRY(const Bandwidths bandwidths, measure_machine(options, *wire, how.machine));
  ProgressLine progress(items.size());
  if (shows_progress(options.common)) how.on_progress = [&](const auto& p) { progress.show(p); };
  bool good = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& item = items[i];
    progress.begin(i);
    auto record = transfer_one(item, how, *wire);
    if (how.on_progress) ProgressLine::clear();
    if (!record.ok()) {
      if (items.size() == 1 || record.error().code == ErrorCode::usage) return std::move(record).error();
      record = pipeline::transfer_error_record(item.input, record.error().text(), how);
      status(options.common, "spress: failed: " + *record->error);
    }
    record->pinned_gb_per_s = bandwidths.pinned;
    record->pageable_gb_per_s = bandwidths.pageable;
    record->staged_gb_per_s = bandwidths.staged;
    if (file) SPRESS_CHECK(file->append(reports::to_json_line(*record)));
    print(options.common.json ? reports::to_json_line(*record) + "\n" : reports::transfer_text(*record));
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return ExitCode::failed;  // which the end reports
    good = good && record->ok;
  }
  return good ? ExitCode::good : ExitCode::found_false;
}

}  // namespace

void add_transfer(Registry& registry) {
  static Options options;
  auto* command = registry.add("transfer", "Time every format on its way to a GPU, against CSR sent likewise",
                               "spress transfer gen:stencil27,n=100,values=noise --formats opt-csr,bccoo\n"
                               "  spress transfer gen:fem3d,n=16 --memory pinned --value double --json",
                               options.common);
  command->add_option("IN", options.inputs, "Matrix files, .spress containers, folders or gen:NAME,key=value,...")
      ->required();
  command->add_option("--formats", options.formats, "Formats to send (default: all; 'spress list formats')");
  command->add_option("--value", options.value, "Type of the values: double, float or both")
      ->check(CLI::IsMember({"double", "float", "both"}))
      ->capture_default_str();
  add_stores(*command, options.values);
  command
      ->add_option(
          "--memory", options.memory,
          "Memory that matrices come from: a list of pinned (page-locked), pageable, and staged (pageable, but "
          "copied into locked buffers by all threads on the way)")
      ->capture_default_str();
  command
      ->add_option("--piece", options.piece_megabytes,
                   "Megabytes of the least piece where the GPU makes a CSR of it; larger at first")
      ->check(finite_range(0.001, 100000))
      ->capture_default_str();
  command->add_option("--seconds", options.seconds, "Time to measure each row; at least 7 pairs of transfers are timed")
      ->check(finite_range(0, 3600))
      ->capture_default_str();
  command->add_option("--repetitions", options.repetitions, "Pairs of transfers to time, whatever time they take")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--no-bandwidth", options.no_bandwidth, "Do not measure the bandwidths of memory and wire");
  command->add_option("-o,--output", options.output, "File to which the records are appended, one JSON line each");
  command->add_flag("--no-progress", options.common.no_progress, "Show no progress on a terminal");
  registry.on(command, [&registry] {
    const auto code = run(options, registry.command_line);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
