#pragma once

#include <filesystem>
#include <vector>

#include "formats/result.hpp"
#include "pipeline/collection.hpp"
#include "reports/claims.hpp"
#include "reports/record_file.hpp"
#include "reports/records.hpp"

namespace spress::pipeline {

/// Writes results.csv, report.html and summary.json into a folder, each complete or not at all. Leaves them as they are
/// where all records come from an earlier run that wrote these files. Errors: unwritable.
[[nodiscard]] Status write_reports(const CollectionResult& result, const std::filesystem::path& folder);

/// Writes the HTML report, which names `source` as the place its records come from, with the claims that were judged by
/// them, if any. Errors: unwritable.
[[nodiscard]] Status write_html_report(const std::vector<reports::AnalyzeRecord>& records,
                                       const std::filesystem::path& source, const std::filesystem::path& path,
                                       const reports::Measurements& measured = {},
                                       const std::vector<reports::Claim>& claims = {});

}  // namespace spress::pipeline
