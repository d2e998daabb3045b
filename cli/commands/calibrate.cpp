#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "cli/collection_run.hpp"
#include "cli/loading.hpp"
#include "cli/measuring.hpp"
#include "cli/parse_records.hpp"
#include "formats/io/bytes/text_file.hpp"
#include "pipeline/calibrate/calibration.hpp"
#include "pipeline/calibrate/calibrator.hpp"
#include "pipeline/measure/bench.hpp"
#include "reports/text/text_table.hpp"

namespace spress::cli {
namespace {

struct CalibrateArguments : CollectionOptions {
  std::string device = "cpu";
  std::vector<std::string> from;
};

Result<pipeline::BenchOptions> bench_options(const CalibrateArguments& options, const reports::MachineRecord& machine) {
  pipeline::BenchOptions how;
  SPRESS_TRY(how.device, pipeline::find_device(device_kind(options.device)));
  how.device.peers.clear();
  how.formats = pipeline::calibration_formats();
  if (!options.formats.empty()) {
    SPRESS_TRY(how.formats, parse_formats(options.formats));
  }
  how.choice = pipeline::StoreChoice::all;
  how.threads = options.common.threads;
  how.pairing.seconds = options.seconds;
  how.pairing.repetitions = options.repetitions;
  how.machine = machine;
  return how;
}

/// The machine that records tell of, as far as they agree.
struct Measured {
  pipeline::Calibrator calibrator;
  reports::MachineRecord machine;
};

Status take(Measured& measured, const reports::BenchRecord& record, const Common& common) {
  if (record.error) return Ok{};
  SPRESS_TRY(const auto matrix, load_matrix(common, record.path));
  return measured.calibrator.add(matrix, record);
}

Result<std::vector<reports::BenchRecord>> read_records(const std::vector<std::string>& files, const Common& common) {
  std::vector<reports::BenchRecord> records;
  for (const std::string& file : files) {
    SPRESS_TRY(const std::string text, io::read_text(file));
    SPRESS_TRY(auto read, parse_records(file, text, common));
    std::move(read.measured.bench.begin(), read.measured.bench.end(), std::back_inserter(records));
  }
  if (records.empty()) return Error{ErrorCode::usage, "--from names files without records of bench"};
  return records;
}

/// The device of a measurement, and the threads where it is the processor. All records of a calibration have the same.
std::string where_of(const reports::MachineRecord& machine) {
  std::string device = pipeline::device_name(machine);
  return machine.driver ? device : fmt::format("{} with {} threads", device, machine.threads);
}

Result<Measured> from_records(const CalibrateArguments& options) {
  SPRESS_TRY(const auto records, read_records(options.from, options.common));
  const auto kind = device_kind(options.device);
  Measured measured{pipeline::Calibrator(kind, records[0].machine.last_level_cache_bytes, options.common.threads),
                    records[0].machine};
  for (const auto& record : records) {
    const bool on_gpu = record.machine.driver.has_value();
    if (on_gpu != (kind == pipeline::DeviceKind::cuda))
      return Error{ErrorCode::usage, "--from: " + record.path + " was measured on " +
                                         (on_gpu ? "a GPU; add --device cuda" : "a CPU; drop --device cuda")};
    if (where_of(record.machine) != where_of(records[0].machine))
      return Error{ErrorCode::usage, "--from: " + record.path + " was measured on " + where_of(record.machine) +
                                         ", not on " + where_of(records[0].machine) +
                                         "; give the records of one machine and number of threads"};
    SPRESS_CHECK(take(measured, record, options.common));
  }
  return measured;
}

Result<Measured> from_measuring(const CalibrateArguments& options, const std::string& command_line) {
  const auto kind = device_kind(options.device);
  SPRESS_CHECK(pipeline::check_device(kind));
  auto machine = pipeline::machine_record(options.common.threads, kind);
  machine.command = command_line;
  if (!options.no_bandwidth) machine.copy_gb_per_s = pipeline::copy_bandwidth(kind, options.common.threads);
  SPRESS_TRY(auto how, bench_options(options, machine));
  const auto inputs = options.inputs.empty() ? pipeline::calibration_inputs(kind) : options.inputs;
  SPRESS_CHECK(pipeline::check_generated(inputs));
  SPRESS_TRY(const auto items, pipeline::collect(inputs));
  Measured measured{pipeline::Calibrator(kind, machine.last_level_cache_bytes, options.common.threads), machine};
  ProgressLine progress(items.size());
  if (shows_progress(options.common)) how.on_progress = [&](const auto& p) { progress.show(p); };
  for (std::size_t i = 0; i < items.size(); ++i) {
    progress.begin(i);
    SPRESS_TRY(auto matrix, load_matrix(options.common, items[i].input));
    SPRESS_TRY(const auto record, pipeline::bench(std::move(matrix), how));
    if (how.on_progress) ProgressLine::clear();
    SPRESS_CHECK(take(measured, record, options.common));
  }
  return measured;
}

/// Records may be of another machine, whose link cannot be measured here.
bool is_this_gpu(const reports::MachineRecord& machine) {
  return machine.driver && machine.device == pipeline::machine_record(1, pipeline::DeviceKind::cuda).device;
}

std::string text_of(const reports::CalibrationRecord& record) {
  using reports::Align;
  reports::TextTable table({{"format", Align::left}, {"type", Align::left}, {"products"}, {"error %"}, {"worst %"}});
  for (const auto& row : record.formats)
    table.row({row.format, row.type, fmt::to_string(row.products), fmt::format("{:.1f}", 100 * row.error),
               fmt::format("{:.1f}", 100 * row.worst)});
  return table.str();
}

Result<int> run(const CalibrateArguments& options, const std::string& command_line) {
  const auto kind = device_kind(options.device);
  const std::string file = options.output.empty() ? pipeline::calibration_file(kind).string() : options.output;
  if (file.empty()) return Error{ErrorCode::usage, "neither XDG_CACHE_HOME nor HOME is set: give -o FILE"};
  SPRESS_TRY(auto out, pipeline::create_calibration(file));
  SPRESS_TRY(const auto measured, options.from.empty() ? from_measuring(options, command_line) : from_records(options));
  SPRESS_TRY(auto record, measured.calibrator.finish());
  record.machine = measured.machine;
  if (is_this_gpu(record.machine)) SPRESS_CHECK(pipeline::measure_link(record));
  print(options.common.json ? reports::to_json_line(record) + "\n" : text_of(record));
  SPRESS_CHECK(pipeline::write_calibration(record, std::move(out)));
  status(options.common, "wrote " + file);
  return ExitCode::good;
}

}  // namespace

void add_calibrate(Registry& registry) {
  static CalibrateArguments options;
  options.seconds = 0.05;
  const Command command =
      registry.add("calibrate", "Measure this machine, so that auto can predict the times of products",
                   std::string("spress calibrate --device cuda\n"
                               "  spress bench gen:fem3d,n=40 gen:circuit gen:poisson2d -o bench.jsonl\n"
                               "  spress calibrate --from bench.jsonl -o calibration.json") +
                       isa_note,
                   options.common);
  Option from =
      command.add_option("--from", options.from, "Take records that 'spress bench -o' wrote, instead of measuring");
  registry.reads(from);
  from.excludes(
      registry.reads(command.add_option("IN", options.inputs, "Matrices to measure [generated ones of many kinds]")));
  from.excludes(
      command.add_option("--formats", options.formats, "Formats to measure [all, with each choice of their parameters]")
          .type_name("LIST"));
  add_device(command, options.device);
  for (const Option option : add_timing(command, options, "products")) from.excludes(option);
  from.excludes(
      command.add_flag("--no-bandwidth", options.no_bandwidth, "Do not measure the copy bandwidth of the memory"));
  registry.writes(
      command.add_option(
          "-o,--output", options.output,
          "File to write [the one that auto reads: $XDG_CACHE_HOME/spress/calibration-cpu.json or -cuda.json]"),
      Writes::calibration);
  add_no_progress(command, options.common);
  add_reading(command, options.common);
  registry.on(command, [&registry] { return run(options, registry.command_line); });
}

}  // namespace spress::cli
