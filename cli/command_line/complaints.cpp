#include "cli/command_line/complaints.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "cli/style.hpp"
#include "formats/core/names.hpp"
#include "reports/text/printable.hpp"

namespace spress::cli {
namespace {

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

/// Proposes flags of the subcommand that resemble an unknown one; nothing where none does.
std::string proposal_for(const CLI::App& command, const std::string& flag) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
  const std::string name = flag.substr(0, flag.find('='));
  return did_you_mean(name.substr(std::min(name.find_first_not_of('-'), name.size())), known, "--");
}

/// The flags that nothing took, as a complaint, or nothing.
std::string unknown_flags(const CLI::App& app, const CLI::App& command) {
  std::string flags, proposal;
  for (const std::string& word : app.remaining(true)) {
    if (word.size() < 2 || word[0] != '-' || word == "--") continue;
    flags += (flags.empty() ? "" : " ") + word;
    std::error_code ignored;
    if (proposal.empty())
      proposal =
          std::filesystem::exists(word, ignored) ? "the file of that name is ./" + word : proposal_for(command, word);
  }
  if (flags.empty()) return flags;
  return "The following argument was not expected: " + flags + (proposal.empty() ? "" : "; " + proposal);
}

/// Whoever mistyped a flag should hear of it first, not of what else is missing.
bool may_come_of_a_flag(const CLI::ParseError& error) {
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  return code == CLI::ExitCodes::RequiredError || code == CLI::ExitCodes::ExtrasError ||
         code == CLI::ExitCodes::ArgumentMismatch;
}

/// The parser's words for a value too many, too few or of a flag, said plainly.
std::string plain_words(const std::string& what) {
  const auto holds = [&](std::string_view part) { return what.find(part) != std::string::npos; };
  const std::string name = what.substr(0, what.find(':'));
  if (holds(": At Most 1 required but received")) return name + " is given more than once";
  if (holds(": At least 2 required but received 1"))
    return name + ": an input and an output are needed, and one name was given";
  if (constexpr std::string_view missing = ": 1 required ", end = " missing"; holds(missing) && what.ends_with(end)) {
    const std::string value = what.substr(name.size() + missing.size());
    return name + " needs a value: " + value.substr(0, value.size() - end.size());
  }
  if (constexpr std::string_view unread = "Could not convert: ", is = " = "; what.starts_with(unread) && holds(is)) {
    const std::string flag = what.substr(unread.size(), what.find(is) - unread.size());
    return flag + " takes no value, and '" + what.substr(what.find(is) + is.size()) + "' was given";
  }
  return what;
}

}  // namespace

bool names_no_command(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return false;
  const auto commands = names_of_commands(app);
  return std::find(commands.begin(), commands.end(), words[0]) == commands.end();
}

int complain_of_command(const CLI::App& app, const std::string& name) {
  return report(unknown_name("subcommand", name, names_of_commands(app)));
}

void refuse_empty_values(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& word : option->results())
        if (word.empty() && option->get_default_str().empty())
          throw CLI::ValidationError(option->get_name(), option->get_positional()
                                                             ? "the name is empty"
                                                             : "the value is empty; give one, or leave the option out");
}

int complain(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : " " + chosen[0]->get_name();
  const std::string flags =
      may_come_of_a_flag(error) ? unknown_flags(app, chosen.empty() ? app : *chosen[0]) : std::string();
  write_stderr(fmt::format("spress{}: {} {}\nTry 'spress{} --help'.\n", command,
                           styled("error:", Style::error, STDERR_FILENO),
                           reports::printable(flags.empty() ? plain_words(error.what()) : flags), command));
  return ExitCode::failed;
}

}  // namespace spress::cli
