#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "formats/core/result.hpp"
#include "pipeline/collection/collection.hpp"
#include "reports/records/record_file.hpp"
#include "reports/records/records.hpp"
#include "reports/records/summary.hpp"

namespace spress::pipeline {

/// What a run left in its folder that ended without a failure.
struct EarlierRun {
  reports::Summary summary;
  std::size_t others = 0;  ///< records of other matrices in results.jsonl
};

/// The run that did these items with these options already, if nothing has changed since: the items, the program and
/// the files that it wrote. All that is left to do is to print its summary. Complexity: linear in the size of
/// results.jsonl, whose text alone is looked at.
[[nodiscard]] std::optional<EarlierRun> earlier_run(const std::vector<Item>& items, const CollectionOptions& options);

/// Writes results.csv, report.html and summary.json into the folder of the result's journal, each complete or not at
/// all; summary.json, from which earlier_run() knows them, last. summary: of the result's records. Errors: unwritable.
[[nodiscard]] Status write_reports(const CollectionResult& result, const std::filesystem::path& folder,
                                   reports::Summary summary);

/// Writes the HTML report, which names `source` as the place its records come from. Errors: unwritable.
[[nodiscard]] Status write_html_report(const std::vector<reports::AnalyzeRecord>& records,
                                       const std::filesystem::path& source, const std::filesystem::path& path,
                                       const reports::Measurements& measured = {});

}  // namespace spress::pipeline
