// The folder of `analyze -o`: which files a run may replace there.
#pragma once

#include <filesystem>

#include "formats/core/result.hpp"

namespace spress::pipeline {

/// Refuses a folder in which results.jsonl, results.csv, summary.json or report.html is not from `spress analyze`. An
/// absent or empty file is good, and so is a results.jsonl whose only line is the beginning of a record. Changes
/// nothing. Errors: usage for somebody else's file, a folder or a device; unreadable.
[[nodiscard]] Status check_result_folder(const std::filesystem::path& folder);

/// Creates the folder where it is not there, and checks it. Errors: those of check_result_folder; unwritable.
[[nodiscard]] Status make_result_folder(const std::filesystem::path& folder);

}  // namespace spress::pipeline
