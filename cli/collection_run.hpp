// Subcommands that measure matrix after matrix: their options, the walk over the inputs, the records.
#pragma once

#include <array>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "cli/loading.hpp"
#include "cli/progress_line.hpp"
#include "pipeline/ranks/ranks.hpp"
#include "reports/json/json.hpp"

namespace spress::cli {

struct CollectionOptions {
  Common common;
  std::vector<std::string> inputs;
  std::string formats, values = "auto", output;
  double seconds = 1;
  int repetitions = 0;
  bool no_bandwidth = false;
};

/// unit: what is timed in pairs.
inline std::array<Option, 2> add_timing(Command command, CollectionOptions& options, const std::string& unit) {
  Option seconds =
      command.add_option("--seconds", options.seconds, "Time each row for S seconds, and at least 7 pairs of " + unit)
          .type_name("S")
          .number(0, 3600)
          .shows_default();
  Option repetitions =
      command.add_option("--repetitions", options.repetitions, "Time N pairs of " + unit + ", however long that takes")
          .type_name("N")
          .whole_number(1, 1'000'000);
  return {seconds, repetitions};
}

inline void add_records(Registry& registry, Command command, CollectionOptions& options) {
  registry.writes(command.add_option("-o,--output", options.output, "Append the records to a file, one JSON line each"),
                  Writes::records);
  add_no_progress(command, options.common);
}

/// The record that measure(matrix) makes of an input. Errors: those of loading and measuring; too_large where memory
/// runs out.
template <class Record, class Measure>
[[nodiscard]] Result<Record> measure_item(const pipeline::Item& item, const Common& common, const Measure& measure) {
  if (!item.problem.empty()) return Error{ErrorCode::unreadable, item.problem, item.input, 0};
  try {
    SPRESS_TRY(auto matrix, load_matrix(common, item.input));
    return measure(std::move(matrix));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::too_large, "not enough memory for this matrix", item.input, 0};
  }
}

/// Measures all items by measure(item), and writes a record for each as soon as it is there: to the file, and to stdout
/// as JSON or as text_of(record). One that fails becomes the record failed(input, message), unless it is the only one.
/// tell(record) after each. how: what measure goes by; it is told how to show progress. Of several ranks the leader
/// alone writes, and all end where it cannot.
template <class Record, class How, class Measure, class Failed, class Text, class Tell>
[[nodiscard]] Result<int> measure_each(const CollectionOptions& options, const std::vector<pipeline::Item>& items,
                                       std::optional<pipeline::LineFile>& file, How& how, const Measure& measure,
                                       const Failed& failed, const Text& text_of, const Tell& tell,
                                       const pipeline::Ranks& ranks = pipeline::Ranks::alone()) {
  ProgressLine progress(items.size());
  if (ranks.leads() && shows_progress(options.common)) how.on_progress = [&](const auto& p) { progress.show(p); };
  bool good = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    progress.begin(i);
    Result<Record> record = measure(items[i]);
    if (how.on_progress) ProgressLine::clear();
    if (!record.ok()) {
      if (items.size() == 1 || record.error().code == ErrorCode::usage) return std::move(record).error();
      record = failed(items[i].input, record.error().text());
    }
    good = good && record->ok;
    SPRESS_CHECK(ranks.agree(file ? file->append(reports::to_json_line(*record)) : Status(Ok{})));
    Status printed = Ok{};
    if (ranks.leads()) {
      if (options.common.json)
        print(reports::to_json_line(*record) + "\n");
      else
        print_answer(text_of(*record));
      if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) printed = Error{ErrorCode::unwritable, "stdout"};
    }
    if (!ranks.agree(printed).ok()) return ExitCode::failed;  // which the end reports
    if (!ranks.leads()) continue;
    if (record->error) tell_failure(*record->error);
    tell(*record);
  }
  return good ? ExitCode::good : ExitCode::found_false;
}

}  // namespace spress::cli
