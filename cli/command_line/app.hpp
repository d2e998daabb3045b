// The command line as CLI11 describes it: what the tool parses, and what its manual pages and completions are made of.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace spress::cli {

/// One sentence about the tool, for its help and its manual page.
inline constexpr const char* about = "Store sparse matrices in fewer bytes, and measure what that gains";

/// Gives `registry.app` the options of the tool itself and all subcommands.
void define_commands(Registry& registry);

/// The words of the command line as `define_commands` knows them: `help X` is `X --help`, `help` is `--help`, and
/// `analyse` is `analyze`.
[[nodiscard]] std::vector<std::string> known_words(std::vector<std::string> words);

}  // namespace spress::cli
