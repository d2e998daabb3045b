// Fuzzes the reading of records: the input is a file of records of any subcommand, a summary, or a journal that an
// earlier run left. What can be read must be written and read again as the same, and every report is made of it.
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/collection/journal.hpp"
#include "pipeline/collection/line_file.hpp"
#include "reports/html/html.hpp"
#include "reports/json/json.hpp"
#include "reports/records/record_file.hpp"
#include "reports/records/summary.hpp"
#include "reports/text/collection_text.hpp"
#include "reports/text/csv.hpp"
#include "reports/text/matrix_text.hpp"
#include "tests/fuzz/scratch_file.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/reports/sample.hpp"

namespace {

using namespace spress;
using namespace spress::reports;

std::string lines_of(const RecordFile& file) {
  std::string lines;
  const auto add = [&](const auto& records) {
    for (const auto& record : records) lines += to_json_line(record) + "\n";
  };
  add(file.analyze);
  add(file.measured.bench);
  add(file.measured.transfer);
  add(file.measured.solve);
  return lines;
}

RecordFile read_lines(std::string_view text) {
  std::istringstream in{std::string(text)};
  return read_record_file(in);
}

void make_reports(const RecordFile& file) {
  const Summary summary = summarize(file.analyze, sample_papers());
  (void)(collection_text(summary) + paper_text(summary));
  for (const AnalyzeRecord& record : file.analyze) (void)(matrix_text(record) + matrix_text(record, true));
  std::ostringstream out;
  write_csv(out, file.analyze);
  write_html(out, file.analyze, {}, file.measured);
}

void check_records(std::string_view text) {
  const RecordFile file = read_lines(text);
  const std::string lines = lines_of(file);
  const RecordFile again = read_lines(lines);
  if (!again.bad_lines.empty() || lines_of(again) != lines) __builtin_trap();
  (void)is_summary(text);
  if (const auto summary = parse_summary(text)) {
    const std::string json = summary_json(*summary.record);
    const auto same = parse_summary(json);
    if (!same || summary_json(*same.record) != json) __builtin_trap();
    (void)(collection_text(*same.record) + paper_text(*same.record));
  }
  make_reports(file);
}

/// A journal that opens must open again with the same records, and take one more.
void check_journal(const std::filesystem::path& path) {
  std::vector<AnalyzeRecord> before;
  {
    auto journal = pipeline::Journal::open(path);
    if (!journal.ok()) return;
    before = journal->records();
    if (!before.empty() && !journal->append(before.front()).ok()) __builtin_trap();
  }
  const auto journal = pipeline::Journal::open(path);
  if (!journal.ok() || journal->records().size() != before.size() + (before.empty() ? 0 : 1)) __builtin_trap();
}

}  // namespace

std::vector<std::string> spress::fuzz::make_seeds() {
  std::vector<std::string> seeds;
  RecordFile all;
  all.analyze = sample_records(4);
  all.measured = sample_measurements(3);
  std::istringstream lines(lines_of(all));
  for (std::string line; std::getline(lines, line);) seeds.push_back(line + "\n");
  seeds.push_back(seeds[0] + seeds[1]);
  seeds.push_back(summary_json(summarize(all.analyze)));
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::ScratchFolder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_records(text);
  check_journal(folder.file("results.jsonl", text));
  (void)pipeline::LineFile::open(folder.file("bench.jsonl", text));
  return 0;
}
