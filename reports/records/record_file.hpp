// A file of records of several subcommands, one to a line: what `spress report` reads.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json/json.hpp"
#include "reports/records/records.hpp"
#include "reports/records/transfer_record.hpp"

namespace spress::reports {

/// What was measured of products, transfers and solvers, beside the analysis of matrices.
struct Measurements {
  std::vector<BenchRecord> bench;
  std::vector<SolveRecord> solve;
  std::vector<TransferRecord> transfer;
};

/// Whether a text is one JSON document such as `analyze -o` leaves in summary.json.
bool is_summary(std::string_view text);

struct RecordFile {
  std::vector<AnalyzeRecord> analyze;
  Measurements measured;
  std::vector<BadLine> bad_lines;
  bool ends_torn = false;  ///< the last line is no document and has no end: a run was killed while writing it
};

/// Each line is read as the record that its `kind` names; reports/records/old_records.hpp tells the kind of lines
/// without one. Blank lines are skipped. A last line without its end counts if it is complete.
RecordFile read_record_file(std::istream& in);

}  // namespace spress::reports
