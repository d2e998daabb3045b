// Why `auto` takes what it takes, as text for a terminal.
#pragma once

#include <cstdint>
#include <string>

#include "reports/records/records.hpp"

namespace spress::reports {

/// What `auto` takes for a matrix and why, in two or three sentences. Requires: a choice with a candidate.
[[nodiscard]] std::string choice_sentences(const AnalyzeRecord& record);

/// A line for each candidate of a matrix, the chosen one first. csr_bytes: of CSR with raw values, 0 where it is not
/// known.
[[nodiscard]] std::string choice_text(const std::string& name, const ChoiceRecord& choice, std::uint64_t csr_bytes);

}  // namespace spress::reports
