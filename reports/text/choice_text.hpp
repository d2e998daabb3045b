// Why `auto` takes what it takes, as text for a terminal.
#pragma once

#include <string>

#include "reports/records/records.hpp"

namespace spress::reports {

/// Says in two or three sentences what `auto` takes for a matrix, and why. Requires: a choice with a candidate.
[[nodiscard]] std::string choice_sentences(const AnalyzeRecord& record);

/// A line for each candidate of a matrix, the chosen one first. Requires: a choice with a candidate.
[[nodiscard]] std::string choice_text(const AnalyzeRecord& record);

}  // namespace spress::reports
