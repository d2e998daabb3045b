#include "pipeline/measure/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/collection_run.hpp"
#include "cli/loading.hpp"
#include "cli/measuring.hpp"
#include "cli/stores.hpp"
#include "pipeline/device/machine.hpp"
#include "pipeline/measure/file_transfer.hpp"
#include "reports/text/transfer_text.hpp"

namespace spress::cli {
namespace {

struct TransferArguments : CollectionOptions {
  TransferArguments() { seconds = 0.1; }
  std::string value = "both", memory = "pinned,pageable";
  double piece_megabytes = 8;
  bool cold = false;
};

Result<std::vector<pipeline::HostMemory>> parse_memories(const std::string& text) {
  using pipeline::HostMemory;
  const Error unknown = {ErrorCode::usage,
                         "--memory '" + text + "': give a list of pinned, pageable and staged, each at most once"};
  const auto names = parse_names("kinds of memory", text);
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

Result<pipeline::TransferOptions> transfer_options(const TransferArguments& options) {
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

Result<Bandwidths> measure_machine(const TransferArguments& options, pipeline::Wire& wire,
                                   reports::MachineRecord& machine) {
  Bandwidths out;
  if (options.no_bandwidth) return out;
  if (shows_progress(options.common)) write_progress("measuring the bandwidths");
  machine.copy_gb_per_s = pipeline::copy_bandwidth(pipeline::DeviceKind::cuda, options.common.threads);
  SPRESS_TRY(out.pinned, pipeline::wire_bandwidth(wire, pipeline::HostMemory::pinned));
  SPRESS_TRY(out.pageable, pipeline::wire_bandwidth(wire, pipeline::HostMemory::pageable));
  SPRESS_TRY(out.staged, pipeline::wire_bandwidth(wire, pipeline::HostMemory::staged));
  return out;
}

Result<int> run(const TransferArguments& options, const std::string& command_line) {
  SPRESS_TRY(auto how, transfer_options(options));
  SPRESS_CHECK(pipeline::check_generated(options.inputs));
  SPRESS_TRY(const auto items, pipeline::collect(options.inputs));
  const auto is_file = [](const pipeline::Item& item) { return pipeline::is_container_file(item.input); };
  if (options.cold && std::none_of(items.begin(), items.end(), is_file))
    return Error{ErrorCode::usage, "--cold times .spress files, and none is given; leave it out"};
  SPRESS_TRY(const auto wire, pipeline::wire_to_gpu());
  SPRESS_TRY(auto file, open_records(options.output));
  how.machine = pipeline::machine_record(options.common.threads, pipeline::DeviceKind::cuda);
  how.machine.command = command_line;
  SPRESS_TRY(const Bandwidths bandwidths, measure_machine(options, *wire, how.machine));
  const auto with_bandwidths = [&](reports::TransferRecord record) {
    record.pinned_gb_per_s = bandwidths.pinned;
    record.pageable_gb_per_s = bandwidths.pageable;
    record.staged_gb_per_s = bandwidths.staged;
    return record;
  };
  const auto measure = [&](const Matrix& matrix) -> Result<reports::TransferRecord> {
    std::optional<reports::FileTransferRecord> from_file;
    if (pipeline::is_container_file(matrix.info.path)) {
      const pipeline::FileTransferOptions from = {options.cold, how.threads, how.pairing};
      SPRESS_TRY(from_file, pipeline::transfer_file(matrix.info.path, from, *wire));
    }
    SPRESS_TRY(auto record, pipeline::transfer(matrix, how, *wire));
    if (from_file) add_file(record, std::move(*from_file));
    return with_bandwidths(std::move(record));
  };
  return measure_each<reports::TransferRecord>(
      options, items, file, how,
      [&](const pipeline::Item& item) { return measure_item<reports::TransferRecord>(item, options.common, measure); },
      [&](const std::string& input, const std::string& message) {
        return with_bandwidths(pipeline::failed_transfer_record(input, message, how));
      },
      reports::transfer_text, [](const reports::TransferRecord&) {});
}

}  // namespace

void add_transfer(Registry& registry) {
  static TransferArguments options;
  const Command command =
      registry.add("transfer", "Time the transfer of every format to a GPU, beside CSR",
                   "spress transfer gen:stencil27,n=100,values=noise --formats opt-csr,slice-delta\n"
                   "  spress transfer gen:fem3d,n=16 --memory pinned --value double --json\n"
                   "  spress encode gen:fem3d,n=20 -o fem.spress\n  spress transfer fem.spress --formats csr --cold",
                   options.common);
  registry.reads(
      command.add_option("IN", options.inputs, "Matrix files, .spress files, folders or gen:NAME,key=value,...")
          .required());
  command.add_option("--formats", options.formats, "Formats to send, a list of 'spress list formats' [all]")
      .type_name("LIST");
  command.add_choice("--value", options.value, {"double", "float", "both"}, "Type of the values");
  add_stores(command, options.values);
  command
      .add_option(
          "--memory", options.memory,
          "Memory to send from: a list of pinned (page-locked), pageable, and staged (pageable, which all threads copy "
          "into page-locked buffers on the way)")
      .type_name("LIST")
      .shows_default();
  command
      .add_option("--piece", options.piece_megabytes,
                  "Send at least MB megabytes a piece where the GPU makes CSR of the pieces")
      .type_name("MB")
      .number(0.001, 100000)
      .shows_default();
  command.add_flag(
      "--cold", options.cold,
      "Time the way of .spress files from the disk: have the system drop them from memory before each run");
  add_timing(command, options, "transfers");
  command.add_flag("--no-bandwidth", options.no_bandwidth, "Do not measure the bandwidths of the memory and the link");
  add_records(registry, command, options);
  add_reading(command, options.common);
  registry.on(command, [&registry] { return run(options, registry.command_line); });
}

}  // namespace spress::cli
