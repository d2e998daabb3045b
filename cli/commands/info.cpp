#include <fmt/format.h>

#include <map>

#include "cli/command.hpp"
#include "cli/file_check.hpp"
#include "cli/file_run.hpp"
#include "formats/io/container/container.hpp"
#include "reports/text/printable.hpp"
#include "reports/text/text_table.hpp"

namespace spress::cli {
namespace {

struct InfoArguments {
  Common common;
  std::vector<std::string> inputs;
  JobFlags jobs;
  bool quick = false;
};

struct Sizes {
  std::uint64_t bytes = 0, stored = 0;
  std::map<std::string, std::uint64_t> codings;  ///< how many blocks each won
};

Sizes sizes_of(const io::ArrayRecord& array) {
  Sizes sizes;
  for (const auto& block : array.blocks) {
    sizes.bytes += block.bytes;
    sizes.stored += block.stored_bytes;
    ++sizes.codings[block.transform];
  }
  return sizes;
}

std::string text_of(const std::map<std::string, std::uint64_t>& codings) {
  std::string out;
  for (const auto& [name, count] : codings) out += fmt::format("{}{} x{}", out.empty() ? "" : ", ", name, count);
  return out;
}

Json json_of(const io::ContainerHead& head, const std::string& path, bool quick) {
  const auto& matrix = head.info.matrix;
  Json out = {{"path", path},
              {"version", head.version},
              {"format", head.format},
              {"format_version", head.format_version},
              {"parameters", head.info.parameters},
              {"ordering", head.info.ordering},
              {"matrix",
               {{"name", matrix.name},
                {"field", enum_name(matrix.field)},
                {"symmetry", enum_name(matrix.symmetry)},
                {"stored_entries", matrix.stored_entries},
                {"duplicates", matrix.duplicates}}},
              {"file_bytes", head.file_bytes},
              {"checked", !quick}};
  for (const auto& [name, value] : head.scalars) out["scalars"][name] = value;
  out["arrays"] = Json::array();
  for (const auto& array : head.arrays) {
    const auto sizes = sizes_of(array);
    Json codings = Json::object();
    for (const auto& [name, count] : sizes.codings) codings[name] = count;
    out["arrays"].push_back({{"name", array.name},
                             {"role", array.role},
                             {"type", array.type},
                             {"count", array.count},
                             {"bytes", sizes.bytes},
                             {"stored_bytes", sizes.stored},
                             {"blocks", array.blocks.size()},
                             {"codings", std::move(codings)}});
  }
  return out;
}

std::string text_of(const io::ContainerHead& head, bool quick) {
  using reports::printable;
  const auto& matrix = head.info.matrix;
  std::string out = fmt::format("matrix    {} ({}, {})\nformat    {}{}{}\nordering  {}\nfile      {} (version {}{})\n",
                                printable(matrix.name), enum_name(matrix.field), enum_name(matrix.symmetry),
                                head.format, head.info.parameters.empty() ? "" : ":", printable(head.info.parameters),
                                printable(head.info.ordering), human_bytes(head.file_bytes), head.version,
                                quick ? "" : ", every block sound");
  for (const auto& [name, value] : head.scalars) out += fmt::format("{:<13} {}\n", printable(name), printable(value));
  if (quick && head.arrays.empty()) return out + "\nWithout --quick, also the arrays, their bytes and their codings.\n";
  out += fmt::format("\n{:<18} {:<12} {:<5} {:>14} {:>10} {:>10}  {}\n", "array", "role", "type", "count", "bytes",
                     "stored", "blocks");
  for (const auto& array : head.arrays) {
    const auto sizes = sizes_of(array);
    out += fmt::format("{:<18} {:<12} {:<5} {:>14} {:>10} {:>10}  {}\n", printable(array.name), array.role, array.type,
                       array.count, human_bytes(sizes.bytes), human_bytes(sizes.stored), text_of(sizes.codings));
  }
  return out;
}

Result<io::ContainerHead> head_of(const std::filesystem::path& path, bool quick, int threads) {
  return quick ? io::read_container_head(path) : io::check_container(path, threads);
}

Result<int> tell_one(const InfoArguments& options) {
  const std::string& input = options.inputs.front();
  SPRESS_TRY(const auto head, head_of(input, options.quick, options.common.threads));
  if (options.common.json)
    print_json(json_of(head, input, options.quick));
  else
    print_answer(text_of(head, options.quick));
  return ExitCode::good;
}

std::string scalar_of(const io::ContainerHead& head, std::string_view wanted) {
  for (const auto& [name, value] : head.scalars)
    if (name == wanted) return value;
  return "-";
}

/// A line for each file, in the order of names; what could not be read is told of apart.
std::string table_of(const std::vector<pipeline::Item>& items,
                     const std::vector<std::optional<io::ContainerHead>>& heads) {
  using reports::Align;
  reports::TextTable table({{"file", Align::left},
                            {"format", Align::left},
                            {"values", Align::left},
                            {"ordering", Align::left},
                            {"rows"},
                            {"cols"},
                            {"nnz"},
                            {"bytes"}});
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!heads[i]) continue;
    const io::ContainerHead& head = *heads[i];
    const std::string values = scalar_of(head, head.format == "matrix" ? "value_type" : "value_store");
    table.row({reports::shown(items[i].below, 60), head.format, values, reports::shown(head.info.ordering, 20),
               scalar_of(head, "rows"), scalar_of(head, "cols"), scalar_of(head, "nnz"), human_bytes(head.file_bytes)});
  }
  return table.str();
}

Result<int> tell_each(const InfoArguments& options) {
  SPRESS_TRY(const auto items, pipeline::collect(options.inputs, pipeline::Wanted::containers));
  SPRESS_TRY(auto files, file_run_options(options.jobs, options.common));
  std::vector<std::optional<io::ContainerHead>> heads(items.size());
  files.on_outcome = [&](const pipeline::FileOutcome& outcome) {
    if (!outcome.error.empty()) tell_outcome(options.common, outcome, items[outcome.item]);
  };
  const auto read = [&](std::size_t i, const std::filesystem::path&, int threads,
                        pipeline::MemoryGate::Share&) -> Status {
    SPRESS_TRY(heads[i], head_of(items[i].input, options.quick, threads));
    return Ok{};
  };
  SPRESS_TRY(const auto totals, pipeline::run_files(items, {}, files, read));
  for (std::size_t i = 0; options.common.json && i < items.size(); ++i)
    if (heads[i]) print_json(json_of(*heads[i], items[i].input, options.quick));
  if (options.common.json) return finish_files(options.common, pipeline::Ranks::alone(), totals, "read");
  if (files.on_progress) write_stderr("\r\033[K");
  if (totals.done != 0) print(table_of(items, heads));
  return totals.failed == 0 ? ExitCode::good : ExitCode::found_false;
}

}  // namespace

void add_info(Registry& registry) {
  static InfoArguments options;
  const Command command =
      registry.add("info", "List what .spress files hold, and check every block",
                   "spress encode gen:fem3d,n=20 -o fem.spress\n  spress info fem.spress\n"
                   "  spress encode gen:poisson2d,n=50 gen:circuit -o encoded/\n  spress info --quick encoded/",
                   options.common);
  registry.reads(
      command.add_option("IN", options.inputs, "A .spress file; or several, or folders: a line for each file")
          .required());
  command.add_flag("--quick", options.quick, "Read the descriptor alone, and check no block");
  add_jobs(command, options.jobs, options.common);
  registry.on(command, [] { return is_one_file(options.inputs) ? tell_one(options) : tell_each(options); });
}

}  // namespace spress::cli
