#pragma once

#include <filesystem>
#include <vector>

#include "formats/result.hpp"
#include "reports/claims.hpp"
#include "reports/record_file.hpp"
#include "reports/records.hpp"

namespace spress::pipeline {

/// Writes summary.json, results.csv and report.html into a folder, each complete or not at all, unless they are of these
/// records already. Errors: unwritable.
[[nodiscard]] Status write_reports(const std::vector<reports::AnalyzeRecord>& records,
                                   const std::filesystem::path& folder);

/// Writes the HTML report, which names `source` as the place its records come from, with the claims that were judged by
/// them, if any. Errors: unwritable.
[[nodiscard]] Status write_html_report(const std::vector<reports::AnalyzeRecord>& records,
                                       const std::filesystem::path& source, const std::filesystem::path& path,
                                       const reports::Measurements& measured = {},
                                       const std::vector<reports::Claim>& claims = {});

}  // namespace spress::pipeline
