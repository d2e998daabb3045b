// Error messages for command lines that cannot be parsed.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of another library
class ParseError;
}

namespace spress::cli {

/// Whether the first word is to be a subcommand and is none.
[[nodiscard]] bool names_no_command(const CLI::App& app, const std::vector<std::string>& words);
/// Says so, with what may have been meant; returns the exit code.
int complain_of_command(const CLI::App& app, const std::string& name);

/// An empty value is a variable of a script that was not set, and never the default. Options with a default of their
/// own say themselves what they want. Throws CLI::ValidationError.
void refuse_empty_values(const CLI::App& app);

/// Says what is wrong with a command line; returns the exit code.
int complain(const CLI::App& app, const CLI::ParseError& error);

}  // namespace spress::cli
