#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "cli/pages/texts.hpp"

namespace spress::cli::pages {
namespace {

/// Text within single quotes, where _arguments reads brackets and colons.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\'')
      out += "'\\''";
    else if (letter == '[' || letter == ']' || letter == ':' || letter == '\\')
      out += std::string("\\") + letter;
    else
      out += letter;
  }
  return out;
}

std::string action_of(const DescribedOption& option) {
  switch (option.kind) {
    case ValueKind::choice: return fmt::format("({})", fmt::join(option.choices, " "));
    case ValueKind::list: return fmt::format("_values -s , {} {}", option.value, fmt::join(option.choices, " "));
    case ValueKind::file: return "_files";
    case ValueKind::folder: return "_files -/";
    case ValueKind::any: return " ";
  }
  return " ";
}

std::string argument_of(const DescribedOption& option) {
  const std::string value = fmt::format(":{}:{}", escaped(option.value), action_of(option));
  if (option.positional()) return fmt::format("'{}{}'", option.repeats ? "*" : "", value);
  std::string names = option.names.front();
  if (option.names.size() > 1) names = fmt::format("'{{{}}}'", fmt::join(option.names, ","));
  const std::string apart = option.names.size() > 1 ? fmt::format("({})", fmt::join(option.names, " ")) : "";
  return fmt::format("'{}{}[{}]{}'", apart, names, escaped(option.help), option.value.empty() ? "" : value);
}

std::string arguments_of(const DescribedCommand& command) {
  std::string out;
  for (const DescribedOption& option : command.options) out += " \\\n        " + argument_of(option);
  return out;
}

}  // namespace

std::string zsh_completion(const std::vector<DescribedCommand>& all) {
  std::string commands, cases;
  for (const DescribedCommand& command : all) {
    if (command.name.empty()) continue;
    commands += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary));
    cases += fmt::format("      {})\n        _arguments{}\n        ;;\n", command.name, arguments_of(command));
  }
  return fmt::format(
      "#compdef spress\n# Completion of spress for zsh. Generated from the options of the tool.\n\n"
      "_spress() {{\n  local context state state_descr line\n  typeset -A opt_args\n  local -a commands\n  commands=(\n"
      "{}    'help:Say more of a subcommand'\n  )\n  _arguments -C{} \\\n        '1:subcommand:->command' "
      "'*::argument:->rest'\n"
      "  case $state in\n    command) _describe subcommand commands ;;\n    rest)\n      case $words[1] in\n"
      "      help) _describe subcommand commands ;;\n{}      esac\n      ;;\n  esac\n}}\n\n"
      "if [[ $funcstack[1] == _spress ]]; then _spress \"$@\"; else compdef _spress spress; fi\n",
      commands, arguments_of(all.front()), cases);
}

}  // namespace spress::cli::pages
