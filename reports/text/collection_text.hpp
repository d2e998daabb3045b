// The costs of a collection as a whole, as text for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "reports/records/summary.hpp"

namespace spress::reports {

inline constexpr std::size_t collection_lines = 60;  ///< of collection_text, at most

/// How many matrices there are, what they take in CSR and in the best formats, what `auto` takes, what their indices
/// need, what reordering gains, and what failed. Lines have at most `answer_columns` characters.
[[nodiscard]] std::string collection_text(const Summary& summary);

}  // namespace spress::reports
