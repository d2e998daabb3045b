// The records as the report's page wants them: short keys and arrays, because a collection has thousands of matrices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/records/paper_figures.hpp"
#include "reports/records/record_file.hpp"
#include "reports/records/records.hpp"
#include "reports/records/runs.hpp"

namespace spress::reports {

/// One JSON document without a "<", fit to stand inside a script element. Keys: reports/html/page/data.js.
/// Measurements stand in it as their records do in a file.
/// papers: the formats that figures beside the papers' are about.
std::string page_data(const std::vector<AnalyzeRecord>& records, std::string_view source,
                      const Measurements& measured = {}, const PaperFormats& papers = {});

}  // namespace spress::reports
