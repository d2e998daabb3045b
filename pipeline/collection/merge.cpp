#include "pipeline/collection/merge.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "pipeline/collection/journal.hpp"
#include "pipeline/collection/result_folder.hpp"
#include "pipeline/digest.hpp"
#include "pipeline/ranks/run_file.hpp"
#include "reports/json/json.hpp"
#include "reports/records/newest.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;
using reports::AnalyzeRecord;

/// A record and the folder it is from.
struct FoundRecord {
  AnalyzeRecord record;
  std::string folder;
};
using FoundByPath = std::map<std::string, FoundRecord>;

/// Whether a run holds the lock of a folder's journal, or ranks are at work there. A folder that cannot be written has
/// no run.
bool is_in_work(const fs::path& folder) {
  if (RunFile::is_in_use(folder)) return true;
  const int lock = ::open((folder / ".spress.lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return false;
  const bool held = ::flock(lock, LOCK_SH | LOCK_NB) != 0;
  ::close(lock);
  return held;
}

Result<std::vector<AnalyzeRecord>> records_of(const std::string& folder,
                                              const std::function<void(const std::string&)>& on_note) {
  const fs::path file = fs::path(folder) / journal_name;
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    return Error{ErrorCode::not_found, "holds no results.jsonl; name folders that 'spress analyze -o' wrote", folder,
                 0};
  if (is_in_work(folder)) return Error{ErrorCode::usage, "a run is still writing here; wait for it", folder, 0};
  std::vector<fs::path> files = {file};
  for (fs::path& left : journals_of_ranks(folder)) files.push_back(std::move(left));  // by a killed run of processes
  std::vector<AnalyzeRecord> records;
  for (const fs::path& journal : files) {
    SPRESS_TRY(auto text, read_journal(journal));
    if (text.torn && on_note)
      on_note(journal.string() +
              ": the incomplete last line is left out; the run that was killed goes on when it is repeated");
    std::move(text.records.begin(), text.records.end(), std::back_inserter(records));
  }
  // A run that was stopped keeps the records that it was to replace.
  reports::keep_last(records, [](const AnalyzeRecord& record) { return record.key.path; });
  return records;
}

/// Whether options are the same. Version 0.1.0 wrote them in full.
bool same_options(const std::string& a, const std::string& b) {
  return a == b || digest_of(a) == b || a == digest_of(b);
}

/// Errors: usage where two records cannot stand in one collection.
Status check_together(const FoundRecord& a, const FoundRecord& b) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorCode::usage,
                 fmt::format("'{}' here and '{}' in {} {}", b.record.matrix.path, a.record.matrix.path, a.folder, why),
                 b.folder, 0};
  };
  if (!same_options(a.record.key.options, b.record.key.options))
    return refused(
        "were measured with different options; repeat one of the runs with those of the other (with --for spmv or "
        "transfer also by the same calibration)");
  const bool same_file = a.record.key.size == b.record.key.size && a.record.key.mtime_ns == b.record.key.mtime_ns;
  if (a.record.key.path == b.record.key.path && !same_file)
    return refused("are two states of one file; repeat the older run");
  return Ok{};
}

Status add(FoundRecord found, FoundByPath& all) {
  if (!all.empty()) SPRESS_CHECK(check_together(all.begin()->second, found));
  const auto [place, is_new] = all.try_emplace(found.record.key.path, found);
  if (is_new) return Ok{};
  SPRESS_CHECK(check_together(place->second, found));
  if (place->second.record.error && !found.record.error) place->second = std::move(found);
  return Ok{};
}

/// Writes the journal anew: what it keeps of other matrices, then the records. Returns how many it keeps.
Result<std::size_t> write_journal(const fs::path& output, const FoundByPath& all) {
  auto opened = Journal::open(output / journal_name);
  if (!opened.ok() && opened.error().code == ErrorCode::damaged) opened.error().message += "; name another output";
  SPRESS_TRY(Journal journal, std::move(opened));
  std::vector<const AnalyzeRecord*> lines;
  for (const auto& record : journal.records())
    if (all.count(record.key.path) == 0) lines.push_back(&record);
  const std::size_t others = lines.size();
  for (const auto& [path, found] : all) lines.push_back(&found.record);
  SPRESS_CHECK(journal.rewrite(lines));
  return others;
}

}  // namespace

Result<CollectionResult> merge_results(const std::vector<std::string>& folders, const fs::path& output,
                                       const std::function<void(const std::string&)>& on_note) {
  FoundByPath all;
  for (const std::string& folder : folders) {
    std::error_code missing;
    if (fs::equivalent(folder, output, missing))
      return Error{ErrorCode::usage, "is one of the folders to merge; name another output", folder, 0};
    SPRESS_TRY(auto records, records_of(folder, on_note));
    for (auto& record : records) SPRESS_CHECK(add({std::move(record), folder}, all));
  }
  SPRESS_CHECK(make_result_folder(output));
  if (RunFile::is_in_use(output) || !journals_of_ranks(output).empty())
    return Error{ErrorCode::usage,
                 "holds a run of several processes that goes on or was killed; name another output, or repeat that run",
                 output.string(), 0};
  CollectionResult result;
  SPRESS_TRY(result.others, write_journal(output, all));
  for (auto& [path, found] : all) {
    result.failed += found.record.error ? 1 : 0;
    result.records.push_back(std::move(found.record));
  }
  result.resumed = result.records.size();
  return result;
}

}  // namespace spress::pipeline
