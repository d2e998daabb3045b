#include "reports/records/record_file.hpp"

#include <istream>
#include <string>
#include <utility>

#include "formats/json/tree.hpp"
#include "reports/records/old_records.hpp"
#include "reports/records/summary.hpp"

namespace spress::reports {
namespace {

template <class Record>
std::optional<GeneratorRecord>& generator_of(Record& record) {
  return record.generator;
}
std::optional<GeneratorRecord>& generator_of(AnalyzeRecord& record) { return record.matrix.generator; }
template <class Record>
const std::string& path_of(const Record& record) {
  return record.path;
}
const std::string& path_of(const AnalyzeRecord& record) { return record.matrix.path; }

/// The lines of a file, sorted into their records.
class Reader {
 public:
  RecordFile out;

  void read(std::string_view line, std::size_t number) {
    number_ = number;
    const std::string wrong = tree_.parse(line);
    out.ends_torn = !wrong.empty();
    if (out.ends_torn) return refuse("not a JSON document: " + wrong);
    const json::View record = tree_.root();
    if (!record.is(json::Kind::object)) return refuse(std::string("must be an object, not ") + record.kind_name());
    const auto named = record.find("kind");
    if (named && !named->is(json::Kind::string))
      return refuse(std::string("kind: must be a string, not ") + named->kind_name());
    const std::string kind = named ? named->text() : std::string(kind_of_old_record(record));
    if (kind == AnalyzeRecord::kind)
      keep(read_analyze_record(record), "analyze", !named, out.analyze);
    else if (kind == BenchRecord::kind)
      keep(read_bench_record(record), "bench", !named, out.measured.bench);
    else if (kind == TransferRecord::kind)
      keep(read_transfer_record(record), "transfer", !named, out.measured.transfer);
    else if (kind == SolveRecord::kind)
      keep(read_solve_record(record), "solve", !named, out.measured.solve);
    else
      refuse("kind: '" + kind + "' is none of analysis, bench, transfer and solve");
  }

 private:
  void refuse(std::string error) { out.bad_lines.push_back({number_, std::move(error)}); }

  template <class Record>
  void keep(Parsed<Record> parsed, const char* subcommand, bool old, std::vector<Record>& records) {
    if (!parsed) return refuse(std::string("not a record of 'spress ") + subcommand + "': " + parsed.error);
    if (old) generator_of(*parsed.record) = generator_of_old_path(path_of(*parsed.record));
    records.push_back(std::move(*parsed.record));
  }

  json::Tree tree_;
  std::size_t number_ = 0;
};

}  // namespace

bool is_summary(std::string_view text) {
  json::Tree tree;
  if (!tree.parse(text).empty()) return false;
  const json::View summary = tree.root();
  if (!summary.is(json::Kind::object)) return false;
  const auto version = summary.find("schema_version"), kind = summary.find("kind");
  if (!version || version->natural() != schema_version) return false;
  return kind ? kind->equals(Summary::kind) : is_old_summary(summary);
}

RecordFile read_record_file(std::istream& in) {
  in.exceptions(std::ios::badbit);  // else a lack of memory would look like the end of the file
  Reader reader;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) reader.read(line, number);
    reader.out.ends_torn &= in.eof();
  }
  return std::move(reader.out);
}

}  // namespace spress::reports
