// The command line as plain data, for manual pages and completions. All of it comes from the options as they are
// defined for parsing, and from the lists that `spress list` prints.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace spress::cli::pages {

/// The sort of a value: any text; one name of `choices`; several of them with commas between; a file; a folder.
enum class ValueKind { any, choice, list, file, folder };

struct DescribedOption {
  std::vector<std::string> names;    ///< "-o", "--output"; empty for a positional one
  std::string value;                 ///< what stands for its value in help texts; empty for a flag
  ValueKind kind = ValueKind::any;   ///< of the value
  std::vector<std::string> choices;  ///< of the value
  std::string help, fallback;        ///< fallback: the default, if it is shown
  bool required = false, repeats = false;

  [[nodiscard]] bool positional() const { return names.empty(); }
};

struct DescribedCommand {
  std::string name, summary, example;    ///< the example of the tool itself is empty
  std::vector<DescribedOption> options;  ///< positional ones first
};

/// The tool itself, and then each subcommand. Requires: define_commands(registry) was called.
[[nodiscard]] std::vector<DescribedCommand> described(const Registry& registry);

}  // namespace spress::cli::pages
