// Records as JSON, one document per line, and back. The keys are a contract: scripts depend on them.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/records/records.hpp"

namespace spress::json {
class View;
}

namespace spress::reports {

/// A record read from text, or what is wrong with the text, naming the key ("orderings.rcm.bandwidth: ...").
template <class Record>
struct Parsed {
  std::optional<Record> record;
  std::string error;
  explicit operator bool() const { return record.has_value(); }
};

/// One line of JSON without the line end. A number that is not finite is written as null, a byte that is no part of
/// valid UTF-8 as U+FFFD.
std::string to_json_line(const AnalyzeRecord& record);
std::string to_json_line(const VerifyRecord& record);
std::string to_json_line(const MeasureRecord& record);
std::string to_json_line(const SolveRecord& record);
std::string to_json_line(const BenchRecord& record);
std::string to_json_line(const ChoiceRecord& record);

/// Reads what `to_json_line` writes. Keys of the contract must be present with their types; unknown keys are skipped,
/// and what joined later than the contract may be absent. A null number reads as NaN.
/// Errors: no JSON, another schema version, a missing key, a wrong type, a value out of range.
Parsed<AnalyzeRecord> parse_analyze_record(std::string_view json);
Parsed<VerifyRecord> parse_verify_record(std::string_view json);
Parsed<SolveRecord> parse_solve_record(std::string_view json);
Parsed<BenchRecord> parse_bench_record(std::string_view json);

/// Reads a record from a document that is parsed already. Errors: as above, but for no JSON.
Parsed<AnalyzeRecord> read_analyze_record(json::View document);
Parsed<SolveRecord> read_solve_record(json::View document);
Parsed<BenchRecord> read_bench_record(json::View document);

/// A file of lines: the records that can be read, and the lines that cannot.
struct BadLine {
  std::size_t number = 0;  ///< 1-based
  std::string error;
};
struct AnalyzeRecords {
  std::vector<AnalyzeRecord> records;
  std::vector<BadLine> bad_lines;
  bool ends_torn = false;  ///< the last line lacks its line end: a run was killed while writing it
};
/// Blank lines are skipped. A torn last line counts as a record if it can be read, else as a bad line.
AnalyzeRecords read_analyze_records(std::istream& in);

}  // namespace spress::reports
