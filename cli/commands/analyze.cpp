#include "pipeline/collection/analyze.hpp"

#include <fmt/format.h>

#include "cli/choosing.hpp"
#include "cli/file_run.hpp"
#include "cli/loading.hpp"
#include "cli/measuring.hpp"
#include "pipeline/collection/collection.hpp"
#include "pipeline/collection/paper_formats.hpp"
#include "pipeline/collection/shard.hpp"
#include "pipeline/collection/write_reports.hpp"
#include "reports/json/json.hpp"
#include "reports/records/summary.hpp"
#include "reports/text/choice_text.hpp"
#include "reports/text/collection_text.hpp"
#include "reports/text/matrix_text.hpp"
#include "reports/text/text_table.hpp"
#include "reports/text/wording.hpp"

namespace spress::cli {
namespace {

struct AnalyzeArguments {
  Common common;
  std::vector<std::string> paths;
  std::string output, orderings = "none,rcm", formats, goal = "memory", device = "cpu", shard;
  JobFlags jobs;
  bool fresh = false, why = false, papers = false, all = false, stream = false;
};

/// Finds the calibration that auto predicts by. Errors: usage; those of calibration_here where the goal needs it.
Status set_calibration(const AnalyzeArguments& options, pipeline::AnalyzeOptions& analyze) {
  auto calibration = pipeline::calibration_here(device_kind(options.device));
  if (calibration.ok()) {
    SPRESS_CHECK(pipeline::check_goal(analyze.goal, *calibration));
    analyze.calibration = std::move(calibration).value();
  } else if (analyze.goal != Goal::memory) {
    return std::move(calibration).error();
  } else {
    status(options.common, "spress: no times are predicted: " + calibration.error().text());
  }
  return Ok{};
}

Result<pipeline::CollectionOptions> collection_options(const AnalyzeArguments& options) {
  pipeline::CollectionOptions out;
  SPRESS_TRY(out.analyze.orderings, parse_names("orderings", options.orderings));
  SPRESS_TRY(out.analyze.formats, parse_formats(options.formats));
  out.analyze.threads = options.common.threads;
  out.analyze.reading = options.common.reading;
  SPRESS_TRY(out.analyze.goal, parse_goal(options.goal));
  if (!options.stream) SPRESS_CHECK(set_calibration(options, out.analyze));
  out.output = options.output;
  out.jobs = options.jobs.jobs;
  out.fresh = options.fresh;
  SPRESS_TRY(out.memory, memory_of(options.jobs));
  if (options.stream) {
    SPRESS_TRY(out.analyze.stream, stream_options(options.jobs, options.output.empty() ? "/tmp" : options.output));
    out.jobs = 1;
  }
  SPRESS_CHECK(pipeline::check_options(out.analyze));
  return out;
}

/// Where records are from that this run did not make.
void tell_earlier(const AnalyzeArguments& options, std::size_t resumed, std::size_t all, std::size_t others) {
  if (resumed != 0)
    status(options.common, fmt::format("{} of {} taken from an earlier run (--fresh starts over)", resumed,
                                       reports::counted(all, "record", "records")));
  if (others != 0)
    status(options.common, fmt::format("{}/results.jsonl also keeps {} of other matrices, left out here",
                                       options.output, reports::counted(others, "record", "records")));
}

void tell_where(const AnalyzeArguments& options, bool nothing_new) {
  if (!options.output.empty())
    status(options.common,
           fmt::format("{} results.jsonl, results.csv, summary.json and report.html {} {}",
                       nothing_new ? "left" : "wrote", nothing_new ? "as they were in" : "to", options.output));
}

void tell_result(const AnalyzeArguments& options, const pipeline::CollectionResult& result) {
  for (const auto& record : result.records)
    if (record.error) tell_failure(*record.error);
  tell_earlier(options, result.resumed, result.records.size(), result.others);
}

/// Whether the records themselves are asked for, beside what the summary says of them.
bool prints_records(const AnalyzeArguments& options, const std::vector<pipeline::Item>& items) {
  return options.common.json || options.why || items.size() == 1;
}

void print_collection(const AnalyzeArguments& options, const reports::Summary& summary) {
  print_answer(reports::collection_text(summary));
  if (options.papers) print(reports::paper_text(summary));
}

/// The answer first, then what was asked for besides.
void print_all(const AnalyzeArguments& options, const std::vector<reports::AnalyzeRecord>& records,
               const reports::Summary& summary) {
  if (records.empty()) return;  // a shard of fewer matrices than shards
  if (records.size() == 1) {
    print_answer(reports::matrix_text(records.front(), options.all));
    if (options.papers) print(reports::paper_text(summary));
  } else {
    print_collection(options, summary);
  }
  for (const auto& record : records)
    if (options.why && record.choice) print("\n" + reports::choice_text(record));
}

/// The matrices to measure: all of the collection, or its shard.
Result<std::vector<pipeline::Item>> chosen_items(const AnalyzeArguments& options) {
  pipeline::Shard shard;
  if (!options.shard.empty()) {
    auto parsed = pipeline::parse_shard(options.shard);
    if (!parsed.ok()) parsed.error().message.insert(0, "--shard ");
    SPRESS_TRY(shard, std::move(parsed));
  }
  SPRESS_TRY(auto items, pipeline::collect(options.paths, pipeline::Wanted::matrices, note_to(options.common)));
  const std::size_t all = items.size();
  items = pipeline::items_of(shard, std::move(items));
  if (!options.shard.empty())
    status(options.common, fmt::format("shard {}: {} of {} matrices", options.shard, items.size(), all));
  return items;
}

/// The processes that share the run. Shards share nothing, whoever started them.
Result<pipeline::Ranks> ranks_of(const AnalyzeArguments& options) {
  if (!options.shard.empty()) return pipeline::Ranks::alone();
  return pipeline::Ranks::join();
}

Result<int> run(const AnalyzeArguments& options) {
  SPRESS_CHECK(pipeline::check_generated(options.paths));
  SPRESS_TRY(auto how, collection_options(options));
  SPRESS_TRY(auto ranks, ranks_of(options));
  how.ranks = &ranks;
  if (how.analyze.stream) share_memory(*how.analyze.stream, options.jobs, ranks);
  const bool progress = shows_progress(options.common);
  how.on_note = [&](const std::string& note) {
    status(options.common, (progress ? "\r\033[Kspress: " : "spress: ") + note);
  };
  if (!ranks.leads()) {
    SPRESS_CHECK(pipeline::follow_collection(how));
    return ExitCode::good;
  }
  if (ranks.several() && options.output.empty())
    return Error{ErrorCode::usage, "several processes share a run through its folder of results; name one with -o"};
  SPRESS_TRY(const auto items, chosen_items(options));
  const auto earlier = options.output.empty() ? std::nullopt : pipeline::earlier_run(items, how);
  if (earlier && !prints_records(options, items)) {
    print_collection(options, earlier->summary);
    tell_earlier(options, items.size(), items.size(), earlier->others);
    tell_where(options, true);
    return ExitCode::good;
  }
  how.on_progress = progress_of(options.common, ranks);
  if (options.common.json)
    how.on_record = [](const reports::AnalyzeRecord& record) { print(reports::to_json_line(record) + "\n"); };
  auto result = pipeline::run_collection(items, how);
  if (progress) write_stderr("\r\033[K");
  if (!result.ok()) return std::move(result).error();
  auto summary = reports::summarize(result->records, pipeline::paper_formats());
  summary.matrices_per_rank = result->matrices_per_rank;
  if (!options.output.empty() && !earlier) SPRESS_CHECK(pipeline::write_reports(*result, options.output, summary));
  if (!options.common.json) print_all(options, result->records, summary);
  tell_result(options, *result);
  tell_where(options, earlier.has_value());
  return result->failed == 0 ? ExitCode::good : ExitCode::found_false;
}

}  // namespace

void add_analyze(Registry& registry) {
  static AnalyzeArguments options;
  const Command command = registry.add("analyze", "Measure what a matrix, or a collection, costs in every format",
                                       "spress analyze gen:fem3d,n=20 gen:circuit -o results", options.common);
  registry.reads(
      command.add_option("PATH", options.paths, "Files, folders (searched recursively) or gen:NAME,key=value,...")
          .required());
  registry.writes(
      command.add_option(
          "-o,--output", options.output,
          "Folder for results.jsonl, results.csv, summary.json and report.html; a run goes on where it stopped"),
      Writes::results);
  command.add_option("--orderings", options.orderings, "Orderings to measure, a list of 'spress list orderings'")
      .type_name("LIST")
      .shows_default();
  command.add_option("--formats", options.formats, "Formats to measure, a list of 'spress list formats' [all]")
      .type_name("LIST");
  add_goal(command, options.goal);
  const Option device = add_device(command, options.device);
  command.add_flag("--all", options.all, "Print every format and ordering of a single matrix, not only the smallest");
  const Option why =
      command.add_flag("--why", options.why, "Print a line for each candidate of auto, with bytes and predicted times");
  command.add_flag("--papers", options.papers, "Print the tables that mirror those of the papers, too");
  add_jobs(command, options.jobs, options.common);
  command
      .add_option("--shard", options.shard,
                  "Measure only part I of N, so that N machines share a collection, each with a folder of its own")
      .type_name("I/N");
  add_stream(command, options.stream,
             "Only the original order is measured: rcm and the choice of auto need the whole matrix")
      .excludes(device)
      .excludes(why);
  command.add_flag("--fresh", options.fresh, "Forget the records of an earlier run");
  add_reading(command, options.common);
  registry.on(command, [] { return run(options); });
}

}  // namespace spress::cli
