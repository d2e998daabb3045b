#include "reports/records/record_file.hpp"

#include <istream>
#include <string>

#include "formats/json/tree.hpp"

namespace spress::reports {
namespace {

/// Whether a JSON text has an object with this key. A quote within a string is escaped, so none can be mistaken for it.
bool has_key(std::string_view json, std::string_view key) {
  const std::string quoted = '"' + std::string(key) + '"';
  for (std::size_t at = json.find(quoted); at != std::string_view::npos; at = json.find(quoted, at + 1)) {
    const std::size_t next = json.find_first_not_of(" \t", at + quoted.size());
    if (next != std::string_view::npos && json[next] == ':') return true;
  }
  return false;
}

template <class Record>
void keep(Parsed<Record> parsed, const char* subcommand, std::size_t number, std::vector<Record>& records,
          std::vector<BadLine>& bad_lines) {
  if (parsed)
    records.push_back(std::move(*parsed.record));
  else
    bad_lines.push_back({number, std::string("not a record of 'spress ") + subcommand + "': " + parsed.error});
}

}  // namespace

bool is_summary(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));  // of a file of records: the first of them
  if (line != "{" && line != "{\r" && !has_key(line, "selections")) return false;
  json::Tree tree;
  if (!tree.parse(text).empty()) return false;
  const json::View summary = tree.root();
  const auto has = [&](const char* key, auto fits) {
    const auto found = summary.find(key);
    return found && fits(*found);
  };
  return summary.is(json::Kind::object) &&
         has("schema_version", [](json::View v) { return v.natural() == schema_version; }) &&
         has("collection", [](json::View v) { return v.is(json::Kind::object); }) &&
         has("selections", [](json::View) { return true; });
}

RecordFile read_record_file(std::istream& in) {
  in.exceptions(std::ios::badbit);  // else a lack of memory would look like the end of the file
  RecordFile out;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    out.ends_torn = in.eof();
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (has_key(line, "right_hand_side"))
      keep(parse_solve_record(line), "solve", number, out.measured.solve, out.bad_lines);
    else if (has_key(line, "pinned_gb_per_s"))
      keep(parse_transfer_record(line), "transfer", number, out.measured.transfer, out.bad_lines);
    else if (has_key(line, "machine"))
      keep(parse_bench_record(line), "bench", number, out.measured.bench, out.bad_lines);
    else
      keep(parse_analyze_record(line), "analyze", number, out.analyze, out.bad_lines);
  }
  return out;
}

}  // namespace spress::reports
