// Describes one matrix and its costs, as text for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "reports/records/records.hpp"

namespace spress::reports {

inline constexpr std::size_t matrix_lines = 25;  ///< of matrix_text, at most

/// The matrix, its bytes in CSR and in the six smallest formats, what `auto` takes and why, and what reordering gains:
/// at most `matrix_lines` lines. all: every format and ordering, however many lines that takes.
[[nodiscard]] std::string matrix_text(const AnalyzeRecord& record, bool all = false);

}  // namespace spress::reports
