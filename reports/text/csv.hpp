// results.csv: the main figures for a spreadsheet, one row per matrix and ordering.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "reports/records/records.hpp"

namespace spress::reports {

/// A field as RFC 4180 wants it: in quotes where it holds a comma, a quote or a line end, or begins with an apostrophe.
std::string csv_field(std::string_view text);

/// A head line, then a row for each matrix and ordering (one with its `error` for a matrix that failed), lines ending
/// in CR LF. Columns depend on the strategies, formats and value stores that occur, in order of first appearance:
/// STRATEGY.bits, STRATEGY.rows8, ..., FORMAT.total_bytes, ..., FORMAT.VALUES. What does not apply is empty. Text
/// (never a number) that begins with = + - @, a tab or a carriage return has an apostrophe before it.
void write_csv(std::ostream& out, const std::vector<AnalyzeRecord>& records);

/// Whether a text begins as what `write_csv` writes, in this version or an earlier one.
bool is_results_csv(std::string_view text);

}  // namespace spress::reports
