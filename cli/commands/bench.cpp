#include "pipeline/measure/bench.hpp"

#include <fmt/format.h>

#include "cli/choosing.hpp"
#include "cli/collection_run.hpp"
#include "cli/loading.hpp"
#include "cli/measuring.hpp"
#include "cli/over_ranks.hpp"
#include "cli/stores.hpp"
#include "pipeline/device/cuda_part.hpp"
#include "pipeline/device/machine.hpp"
#include "reports/text/bench_text.hpp"

namespace spress::cli {
namespace {

struct BenchArguments : CollectionOptions {
  std::string device = "cpu", value = "double", memory, cut = "entries";
  bool no_peers = false;
};

Result<pipeline::BenchOptions> bench_options(const BenchArguments& options) {
  pipeline::BenchOptions how;
  bool choose = false;
  SPRESS_TRY(how.formats, parse_with_auto(options.formats, choose));
  if (choose) {
    SPRESS_TRY(how.choose_by, pipeline::calibration_here(device_kind(options.device)));
  }
  SPRESS_TRY(const auto stores, parse_stores(options.values));
  how.choice = stores.choice;
  how.stores = stores.listed;
  how.value = options.value == "float" ? ValueType::f32 : ValueType::f64;
  how.threads = options.common.threads;
  how.pairing.seconds = options.seconds;
  how.pairing.repetitions = options.repetitions;
  SPRESS_TRY(how.device, pipeline::find_device(device_kind(options.device)));
  SPRESS_TRY(how.device_memory, device_memory_of(options.memory, options.device));
  if (options.no_peers || how.device_memory != 0) how.device.peers.clear();  // which hold the whole matrix
  return how;
}

reports::MachineRecord measured_machine(const pipeline::Ranks& ranks, const BenchArguments& options, int threads,
                                        const std::string& command_line) {
  const auto device = device_kind(options.device);
  auto machine = pipeline::machine_record(threads, device);
  machine.command = command_line;
  if (options.no_bandwidth) return machine;
  if (ranks.leads() && shows_progress(options.common)) write_progress("measuring the copy bandwidth");
  machine.copy_gb_per_s = bandwidth_over(ranks, device, threads);
  return machine;
}

bool on_gpu(const reports::MachineRecord& machine) { return machine.driver.has_value(); }

void warn(const Common& common, const reports::BenchRecord& record) {
  if (record.working_set_in_cache)
    status(common, fmt::format("spress: warning: {} fits {} ({}): its times say little about larger matrices",
                               record.path, on_gpu(record.machine) ? "twice the L2 cache" : "the last-level cache",
                               human_bytes(record.machine.last_level_cache_bytes)));
}

/// Measures the items one after another on all ranks.
Result<int> run(const pipeline::Ranks& ranks, const BenchArguments& options, const std::string& command_line) {
  SPRESS_TRY(auto how, bench_options(options));
  if (ranks.several()) SPRESS_CHECK(check_fit_for_ranks(how.choose_by.has_value(), options.memory));
  if (ranks.several()) how.device.peers.clear();  // which hold the whole matrix
  how.threads = threads_of(options.common, ranks);
  SPRESS_CHECK(ranks.agree(pipeline::take_gpu(ranks, how.device.kind)));
  SPRESS_CHECK(pipeline::check_generated(options.inputs));
  SPRESS_TRY(const auto items, ranks.agree(pipeline::collect(options.inputs)));
  std::string names;
  for (const auto& item : items) names += item.input + '\n';
  SPRESS_CHECK(ranks.check_same(std::hash<std::string>{}(names), "list of matrices"));
  SPRESS_TRY(auto file, open_records(ranks, options.output));
  how.machine = measured_machine(ranks, options, how.threads, command_line);
  const auto measure = [&](const pipeline::Item& item) -> Result<reports::BenchRecord> {
    if (!ranks.several())
      return measure_item<reports::BenchRecord>(item, options.common,
                                                [&](Matrix matrix) { return pipeline::bench(std::move(matrix), how); });
    if (!item.problem.empty()) return Error{ErrorCode::unreadable, item.problem, item.input, 0};
    io::ReadOptions reading = options.common.reading;
    reading.threads = how.threads;
    SPRESS_TRY(auto rows, pipeline::read_rank_rows(ranks, item.input, reading, cut_of(options.cut)));
    return pipeline::bench(ranks, std::move(rows), how);
  };
  return measure_each<reports::BenchRecord>(
      options, items, file, how, measure,
      [&](const std::string& input, const std::string& message) {
        return pipeline::failed_bench_record(input, message, how);
      },
      reports::bench_text, [&](const reports::BenchRecord& record) { warn(options.common, record); }, ranks);
}

Result<int> run(const BenchArguments& options, const std::string& command_line) {
  SPRESS_TRY(const auto ranks, pipeline::Ranks::join());
  return over_ranks(ranks, [&] { return run(ranks, options, command_line); });
}

}  // namespace

void add_bench(Registry& registry) {
  static BenchArguments options;
  const Command command =
      registry.add("bench", "Time the matrix-vector product of every format, beside CSR and other libraries",
                   std::string("spress bench gen:stencil27,n=40,values=noise --formats csr,opt-csr,sell\n"
                               "  spress bench gen:stencil27,n=160,values=noise --device cuda") +
                       isa_note,
                   options.common);
  registry.reads(
      command.add_option("IN", options.inputs, "Matrix files, .spress files, folders or gen:NAME,key=value,...")
          .required());
  command
      .add_option("--formats", options.formats,
                  "Formats to time, a list of 'spress list formats' [all]; auto: the one with the fastest product as "
                  "predicted; "
                  "all,auto: both")
      .type_name("LIST");
  add_device(command, options.device);
  add_device_memory(command, options.memory);
  add_cut(command, options.cut);
  command.add_choice("--value", options.value, {"double", "float"}, "Type of the values, and of all work");
  add_stores(command, options.values);
  add_timing(command, options, "products");
  command.add_flag("--no-peers", options.no_peers, "Do not time other libraries");
  command.add_flag("--no-bandwidth", options.no_bandwidth, "Do not measure the copy bandwidth of the memory");
  add_records(registry, command, options);
  add_reading(command, options.common);
  registry.on(command, [&registry] { return run(options, registry.command_line); });
}

}  // namespace spress::cli
