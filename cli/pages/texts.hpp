// Manual pages and completions as text, made from the described command line.
#pragma once

#include <string>
#include <vector>

#include "cli/pages/described.hpp"

namespace spress::cli::pages {

/// A manual page in the man macros. version: as "spress 1.2.3"; date: as 2026-11-26.
[[nodiscard]] std::string manual_page(const DescribedCommand& command, const std::vector<DescribedCommand>& all,
                                      const std::string& version, const std::string& date);

[[nodiscard]] std::string bash_completion(const std::vector<DescribedCommand>& all);
[[nodiscard]] std::string zsh_completion(const std::vector<DescribedCommand>& all);
[[nodiscard]] std::string fish_completion(const std::vector<DescribedCommand>& all);

}  // namespace spress::cli::pages
