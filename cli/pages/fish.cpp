#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "cli/pages/texts.hpp"

namespace spress::cli::pages {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + "'";
}

std::string condition_of(const DescribedCommand& command) {
  return command.name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + command.name;
}

/// What may follow, as fish asks for it: -x takes no files, -r takes some.
std::string value_of(const DescribedOption& option) {
  const std::string choices = in_quotes(fmt::format("{}", fmt::join(option.choices, " ")));
  switch (option.kind) {
    case ValueKind::choice: return " -x -a " + choices;
    case ValueKind::list: return fmt::format(" -x -a \"(__fish_append , {})\"", fmt::join(option.choices, " "));
    case ValueKind::file: return " -r -F";
    case ValueKind::folder: return " -x -a '(__fish_complete_directories)'";
    case ValueKind::any: return " -x";
  }
  return "";
}

std::string line_of(const DescribedCommand& command, const DescribedOption& option) {
  std::string out = "complete -c spress -n " + in_quotes(condition_of(command));
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) out += option.positional() && option.kind == ValueKind::file ? " -F" : value_of(option);
  return out + " -d " + in_quotes(option.help) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<DescribedCommand>& all) {
  std::string out =
      "# Completion of spress for fish. Generated from the options of the tool.\ncomplete -c spress -f\n"
      "complete -c spress -n __fish_use_subcommand -a help -d 'Say more of a subcommand'\n";
  for (const DescribedCommand& command : all) {
    if (!command.name.empty())
      out += fmt::format("complete -c spress -n __fish_use_subcommand -a {} -d {}\n", command.name,
                         in_quotes(command.summary));
    for (const DescribedOption& option : command.options) out += line_of(command, option);
  }
  return out;
}

}  // namespace spress::cli::pages
