// Why `auto` takes what it takes, as text for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "reports/records/records.hpp"

namespace spress::reports {

/// A line for each of the first `most` candidates of a matrix, the chosen one first. csr_bytes: of CSR with raw values,
/// 0 where it is not known.
[[nodiscard]] std::string choice_text(const std::string& name, const ChoiceRecord& choice, std::uint64_t csr_bytes,
                                      std::size_t most);

}  // namespace spress::reports
