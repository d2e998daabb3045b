#include "pipeline/collection/merge.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "pipeline/collection/paper_formats.hpp"
#include "pipeline/collection/write_reports.hpp"
#include "reports/json/json.hpp"
#include "reports/text/collection_text.hpp"
#include "reports/text/wording.hpp"

namespace spress::cli {
namespace {

struct MergeArguments {
  Common common;
  std::vector<std::string> folders;
  std::string output;
};

void tell_result(const MergeArguments& options, const pipeline::CollectionResult& result) {
  for (const auto& record : result.records)
    if (record.error) tell_failure(*record.error);
  status(options.common,
         fmt::format("wrote {} of {} to {}", reports::counted(result.records.size(), "record", "records"),
                     reports::counted(options.folders.size(), "folder", "folders"), options.output));
  if (result.others != 0)
    status(options.common, fmt::format("{}/results.jsonl also keeps {} of other matrices, left out here",
                                       options.output, reports::counted(result.others, "record", "records")));
}

Result<int> run(const MergeArguments& options) {
  SPRESS_TRY(const auto result, pipeline::merge_results(options.folders, options.output, [&](const std::string& note) {
               status(options.common, "spress: " + note);
             }));
  const auto summary = reports::summarize(result.records, pipeline::paper_formats());
  SPRESS_CHECK(pipeline::write_reports(result, options.output, summary));
  if (options.common.json)
    for (const auto& record : result.records) print(reports::to_json_line(record) + "\n");
  else if (!result.records.empty())
    print_answer(reports::collection_text(summary));
  tell_result(options, result);
  return result.failed == 0 ? ExitCode::good : ExitCode::found_false;
}

}  // namespace

void add_merge(Registry& registry) {
  static MergeArguments options;
  const Command command = registry.add("merge", "Put the results of several runs of analyze together",
                                       "spress analyze gen:fem3d,n=20 gen:circuit -o part1 --shard 1/2\n"
                                       "  spress analyze gen:fem3d,n=20 gen:circuit -o part2 --shard 2/2\n"
                                       "  spress merge part1 part2 -o results",
                                       options.common);
  registry.reads(
      command.add_option("DIR", options.folders, "Folders that 'spress analyze -o' wrote, with the same options")
          .required());
  registry.writes(
      command
          .add_option("-o,--output", options.output,
                      "Folder for results.jsonl, results.csv, summary.json and report.html, as analyze writes them")
          .required(),
      Writes::results);
  registry.on(command, [] { return run(options); });
}

}  // namespace spress::cli
