#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/pages/texts.hpp"

namespace spress::cli::pages {
namespace {

constexpr const char* kind_names[] = {"any", "choice", "list", "file", "folder"};

/// A line of a case: what follows the option, or stands for a positional argument, of a subcommand.
std::string case_of(const DescribedCommand& command, const DescribedOption& option) {
  std::string patterns;
  for (const std::string& name : option.names)
    patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : "|", command.name, name);
  if (option.positional()) patterns = fmt::format("'{} '", command.name);
  return fmt::format("    {}) kind={} choices='{}' ;;\n", patterns, kind_names[static_cast<int>(option.kind)],
                     fmt::join(option.choices, " "));
}

std::string values_of(const std::vector<DescribedCommand>& all) {
  std::string out;
  for (const DescribedCommand& command : all) {
    bool has_positional = false;  // one kind for all of a subcommand: bash does not count them here
    for (const DescribedOption& option : command.options) {
      if (option.value.empty() || (option.positional() && has_positional)) continue;
      has_positional = has_positional || option.positional();
      out += case_of(command, option);
    }
  }
  return out;
}

std::string options_of(const std::vector<DescribedCommand>& all) {
  std::string out;
  for (const DescribedCommand& command : all) {
    std::vector<std::string> names;
    for (const DescribedOption& option : command.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
    out += fmt::format("    '{}') options='{}' ;;\n", command.name, fmt::join(names, " "));
  }
  return out;
}

constexpr const char* program = R"bash(
_spress() {
  local word=${COMP_WORDS[COMP_CWORD]} before='' command='' option='' kind='' choices='' options='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
  done
  if [[ $command == analyse ]]; then command=analyze; fi
  ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $before == = ]] && ((COMP_CWORD > 1)); then  # --option=value is three words
    before=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $word == = ]]; then
    word=''
  fi
  COMPREPLY=()
  if [[ $before == : && ${COMP_WORDS[COMP_CWORD - 2]} == gen ]]; then  # and so is gen:name
    COMPREPLY=($(compgen -W "$_spress_generators" -- "$word"))
    return
  fi
  if [[ -z $command || $command == help ]]; then
    _spress_options ''
    COMPREPLY=($(compgen -W "$_spress_commands help $options" -- "$word"))
    return
  fi
  if [[ $before == -* ]]; then option=$before; fi
  if [[ $word != -* || -n $option ]]; then _spress_value "$command" "$option"; fi
  if [[ -z $kind && -n $option ]]; then option='' && _spress_value "$command" ''; fi  # behind a flag
  if [[ $word == -* && -z $option ]]; then
    _spress_options "$command"
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  case $kind in
    choice) COMPREPLY=($(compgen -W "$choices" -- "$word")) ;;
    list)
      local head=''
      if [[ $word == *,* ]]; then head=${word%,*},; fi
      COMPREPLY=($(compgen -P "$head" -W "$choices" -- "${word##*,}"))
      compopt -o nospace 2>/dev/null
      ;;
    file)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      ;;
    folder)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      ;;
  esac
}

complete -F _spress spress
)bash";

}  // namespace

std::string bash_completion(const std::vector<DescribedCommand>& all) {
  std::vector<std::string> commands, generators;
  for (const DescribedCommand& command : all) {
    if (!command.name.empty()) commands.push_back(command.name);
    if (command.name == "generate") generators = command.options.front().choices;
  }
  return fmt::format(
      "# Completion of spress for bash. Generated from the options of the tool.\n"
      "_spress_commands='{}'\n_spress_generators='{}'\n\n"
      "# _spress_value COMMAND OPTION: sets kind and choices; OPTION is empty for what stands without one.\n"
      "_spress_value() {{\n  case \"$1 $2\" in\n{}  esac\n}}\n\n"
      "# _spress_options COMMAND: sets options.\n_spress_options() {{\n  case $1 in\n{}  esac\n}}\n{}",
      fmt::join(commands, " "), fmt::join(generators, " "), values_of(all), options_of(all), program);
}

}  // namespace spress::cli::pages
