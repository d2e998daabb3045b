#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/parse_records.hpp"
#include "formats/io/bytes/text_file.hpp"
#include "pipeline/collection/paper_formats.hpp"
#include "pipeline/collection/write_reports.hpp"
#include "reports/records/newest.hpp"
#include "reports/text/wording.hpp"

namespace spress::cli {
namespace {

struct ReportArguments {
  Common common;
  std::vector<std::string> inputs;
  std::string output;
};

/// The records of all files.
struct Material {
  std::vector<reports::AnalyzeRecord> analyze;
  reports::Measurements measured;
};

template <class Record>
void append(std::vector<Record>& to, std::vector<Record>& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

Status add_records(const std::string& path, const std::string& text, const Common& common, Material& material) {
  SPRESS_TRY(auto read, parse_records(path, text, common));
  const auto& measured = read.measured;
  if (read.analyze.empty() && measured.bench.empty() && measured.transfer.empty() && measured.solve.empty())
    return Error{ErrorCode::syntax, "holds no record; give files of analyze -o, bench, transfer or solve", path, 0};
  append(material.analyze, read.analyze);
  append(material.measured.bench, read.measured.bench);
  append(material.measured.transfer, read.measured.transfer);
  append(material.measured.solve, read.measured.solve);
  return Ok{};
}

Result<Material> read_material(const ReportArguments& options) {
  Material material;
  for (const std::string& path : options.inputs) {
    SPRESS_TRY(const std::string text, io::read_text(path));
    if (reports::is_summary(text))
      return Error{ErrorCode::usage, "is a summary, not records; give the results.jsonl beside it", path, 0};
    SPRESS_CHECK(add_records(path, text, options.common, material));
  }
  auto& measured = material.measured;
  const std::size_t dropped = reports::keep_newest(material.analyze) + reports::keep_newest(measured.bench) +
                              reports::keep_newest(measured.transfer) + reports::keep_newest(measured.solve);
  if (dropped != 0)
    status(options.common,
           fmt::format("left out {} of what newer ones measure again", reports::counted(dropped, "record", "records")));
  return material;
}

std::string source_of(const std::vector<std::string>& inputs) {
  constexpr std::size_t named = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(named, inputs.size()); ++i) text += (i == 0 ? "" : ", ") + inputs[i];
  return inputs.size() <= named ? text : text + fmt::format(" and {} more files", inputs.size() - named);
}

/// The number of records of matrices that did not fail.
template <class Record>
std::size_t good(const std::vector<Record>& records) {
  return static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(), [](const Record& record) { return !record.error; }));
}

Json told(const ReportArguments& options, const Material& material) {
  const auto& measured = material.measured;
  Json json = {{"path", options.inputs.front()},      {"output", options.output},
               {"matrices", good(material.analyze)},  {"bench", good(measured.bench)},
               {"transfer", good(measured.transfer)}, {"solve", measured.solve.size()}};
  if (options.inputs.size() > 1) json["paths"] = options.inputs;
  return json;
}

Result<int> run(const ReportArguments& options) {
  SPRESS_TRY(const Material material, read_material(options));
  const auto& [analyze, measured] = material;
  SPRESS_CHECK(pipeline::write_html_report(analyze, source_of(options.inputs), options.output, measured));
  if (options.common.json) print_json(told(options, material));
  status(options.common, fmt::format("{}: {} analysed, {} benchmarked, {} sent, {} solved", options.output,
                                     reports::counted(good(analyze), "matrix", "matrices"), good(measured.bench),
                                     good(measured.transfer), measured.solve.size()));
  return ExitCode::good;
}

}  // namespace

void add_report(Registry& registry) {
  static ReportArguments options;
  const Command command = registry.add(
      "report", "Make an HTML report of results",
      "spress analyze gen:fem3d,n=20 -o results\n  spress report results/results.jsonl -o report.html", options.common);
  registry.reads(
      command
          .add_option(
              "RESULTS", options.inputs,
              "results.jsonl of 'spress analyze -o', or records of 'bench', 'transfer' and 'solve' (--json), in one "
              "file or several")
          .required());
  registry.writes(command.add_option("-o,--output", options.output, "HTML file to write").required(), Writes::page);
  registry.on(command, [] { return run(options); });
}

}  // namespace spress::cli
