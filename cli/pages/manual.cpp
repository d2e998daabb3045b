#include <fmt/format.h>

#include <string_view>

#include "cli/pages/texts.hpp"

namespace spress::cli::pages {
namespace {

/// Text that troff shows as it is. A hyphen would become one that nobody can paste as a minus.
std::string escaped(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char letter : text) {
    if (line_begins && (letter == '.' || letter == '\'')) out += "\\&";
    line_begins = letter == '\n';
    if (letter == '\\')
      out += "\\e";
    else if (letter == '-')
      out += "\\-";
    else
      out += letter;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string full_name(const DescribedCommand& command) {
  return command.name.empty() ? "spress" : "spress-" + command.name;
}

std::string synopsis(const DescribedCommand& command) {
  std::string out = bold("spress") + (command.name.empty() ? "" : " " + bold(command.name));
  if (command.name.empty()) return out + " " + italic("SUBCOMMAND") + " [" + italic("OPTIONS") + "]";
  for (const DescribedOption& option : command.options) {
    if (!option.positional() && !option.required) continue;
    const std::string word = (option.positional() ? "" : bold(option.names.front()) + " ") + italic(option.value);
    out += " " + (option.required ? word : "[" + word + "]") + (option.repeats ? " ..." : "");
  }
  return out + " [" + italic("OPTIONS") + "]";
}

std::string described(const DescribedOption& option) {
  std::string tag;
  for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty()) tag += (tag.empty() ? "" : " ") + italic(option.value);
  std::string text = escaped(option.help);
  if (!option.fallback.empty()) text += " [" + escaped(option.fallback) + "]";
  return ".TP\n" + tag + "\n" + text + (option.required ? " (required)" : "") + "\n";
}

std::string section(std::string_view heading, std::string_view text) {
  return fmt::format(".SH {}\n{}\n", heading, text);
}

/// What holds for all subcommands, told once.
std::string common_sections() {
  const auto item = [](std::string_view tag, std::string_view text) {
    return fmt::format(".TP\n{}\n{}\n", bold(tag), escaped(text));
  };
  std::string out = section(
      "INPUTS",
      escaped("An input is a file of a kind that spress list files names, text also compressed or in an archive; "
              "a folder where several matrices are wanted, - for standard input, or a generated matrix "
              "gen:NAME,key=value,... (see spress list gallery)."));
  out += ".SH EXIT STATUS\n" + item("0", "Good.") +
         item("1", "Something was checked and found false, or a matrix of a collection failed.") +
         item("2", "An error: bad usage, or an input that cannot be read, or an output that cannot be written.");
  out += ".SH ENVIRONMENT\n" +
         item("SPRESS_ISA", "portable, avx2 or avx512: the widest instructions that products on the CPU may use.") +
         item("OMP_NUM_THREADS",
              "Threads where --threads is not given. Without it, as many as there are processors, and no more than a "
              "control group grants.") +
         item("NO_COLOR", "No colours on a terminal.") +
         item("XDG_CACHE_HOME", "Where spress calibrate keeps what it measured.");
  return out;
}

std::string see_also(const DescribedCommand& command, const std::vector<DescribedCommand>& all) {
  if (!command.name.empty()) return section("SEE ALSO", bold("spress") + "(1)");
  std::string pages;
  for (const DescribedCommand& other : all)
    if (!other.name.empty()) pages += (pages.empty() ? "" : ",\n") + bold(full_name(other)) + "(1)";
  return section("SEE ALSO", pages);
}

std::string list_of_commands(const std::vector<DescribedCommand>& all) {
  std::string out = ".SH SUBCOMMANDS\n";
  for (const DescribedCommand& command : all)
    if (!command.name.empty()) out += fmt::format(".TP\n{}\n{}\n", bold(command.name), escaped(command.summary));
  return out;
}

}  // namespace

std::string manual_page(const DescribedCommand& command, const std::vector<DescribedCommand>& all,
                        const std::string& version, const std::string& date) {
  const std::string name = full_name(command);
  std::string out = fmt::format(".\\\" Generated from the options of the tool.\n.TH {} 1 {} \"{}\" \"spress\"\n",
                                escaped(name), date, escaped(version));
  out += section("NAME", escaped(name) + " \\- " + escaped(command.summary));
  out += section("SYNOPSIS", synopsis(command));
  out += section("DESCRIPTION", escaped(command.summary) + ".");
  if (command.name.empty()) out += list_of_commands(all);
  out += ".SH OPTIONS\n";
  for (const DescribedOption& option : command.options) out += described(option);
  if (command.name.empty()) out += common_sections();
  if (!command.example.empty()) out += section("EXAMPLE", ".nf\n" + escaped(command.example) + "\n.fi");
  return out + see_also(command, all);
}

}  // namespace spress::cli::pages
