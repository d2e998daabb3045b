// The records as the report's page wants them: short keys and arrays, because a collection has thousands of matrices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/claims.hpp"
#include "reports/record_file.hpp"
#include "reports/records.hpp"

namespace spress::reports {

/// Cells of a spy plot, shortened: a digit stands for itself, each letter behind it for more of the same: a..z for 1 to
/// 26, A..Z for 26, 52, .. 676.
std::string shorten_runs(std::string_view cells);

/// One JSON document without a "<", fit to stand inside a script element. Keys: reports/page/data.js.
/// Measurements stand in it as their records do in a file.
std::string page_data(const std::vector<AnalyzeRecord>& records, std::string_view source,
                      const Measurements& measured = {}, const std::vector<Claim>& claims = {});

}  // namespace spress::reports
