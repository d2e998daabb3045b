#include "cli/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/style.hpp"
#include "encode/shared/any.hpp"
#include "formats/core/names.hpp"
#include "reports/text/printable.hpp"

namespace spress::cli {

CLI::App* Registry::add(const std::string& name, const std::string& summary, const std::string& example,
                        Common& common) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer("\nExample:\n  " + example);
  command->add_flag("--json", common.json, "Print JSON on stdout, and nothing else there");
  command->add_flag("-q,--quiet", common.quiet, "Print no status on stderr");
  command->add_option("--threads", common.threads, "Use N threads [all]")->type_name("N")->check(CLI::Range(1, 4096));
  return command;
}

std::string standard_input(const std::string& path) { return path == "-" ? "/dev/stdin" : path; }

std::vector<std::string> FileOption::paths() const {
  std::vector<std::string> all = option->results();
  if (values == Values::all || all.empty()) return all;
  if (values == Values::last) return {all.back()};
  return {all.begin(), all.end() - 1};
}

std::string FileOption::name() const { return values == Values::last ? "OUT" : option->get_name(); }

CLI::Option* Registry::reads(CLI::Option* option) {
  files.push_back({option, std::nullopt});
  return option->type_name("FILE")->transform(standard_input);
}

CLI::Option* Registry::converts(CLI::Option* option) {
  files.push_back({option, std::nullopt, false, Values::but_last});
  files.push_back({option, Writes::converted, true, Values::last});
  return option->type_name("FILE");
}

CLI::Option* Registry::writes(CLI::Option* option, Writes kind) {
  files.push_back({option, kind});
  return option->type_name(kind == Writes::results ? "FOLDER" : "FILE");
}

CLI::Option* Registry::writes_each(CLI::Option* option, Writes kind) {
  files.push_back({option, kind, true});
  return option->type_name("FILE|FOLDER");
}

void Registry::on(CLI::App* command, std::function<int()> work) {
  command->callback([this, work = std::move(work)] { run = work; });
}

void write_stderr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

int report(const Error& error) {
  write_stderr(
      fmt::format("spress: {} {}\n", styled("error:", Style::error, STDERR_FILENO), reports::printable(error.text())));
  return ExitCode::failed;
}

void tell_failure(const std::string& what, bool progress) {
  write_stderr(fmt::format("{}spress: {} {}\n", progress ? "\r\033[K" : "",
                           styled("failed:", Style::error, STDERR_FILENO), reports::printable(what)));
}

void status(const Common& common, const std::string& line) {
  if (!common.quiet) write_stderr(reports::printable(line) + "\n");
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_answer(const std::string& text) { print(with_headline(text, STDOUT_FILENO)); }

void print_json(const Json& json) { print(json.dump() + "\n"); }

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> units = {"B", "kB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < units.size(); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

CLI::Validator one_of(const std::vector<std::string>& choices) {
  const auto fault_of = [choices](std::string& text) {
    const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
    return known ? std::string() : with_choices("unknown value '" + text + "'", text, "the choices are", choices);
  };
  return CLI::Validator(fault_of, fmt::format("{{{}}}", fmt::join(choices, ",")));
}

CLI::Validator finite_range(double low, double high) {
  const auto fault_of = [low, high](std::string& text) {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high) return std::string();
    return fmt::format("'{}' is no number from {:g} to {:g}", text, low, high);
  };
  return CLI::Validator(fault_of, fmt::format("FLOAT in [{:g} - {:g}]", low, high));
}

Result<std::vector<Spec>> parse_formats(const std::string& text) {
  if (text.empty()) return all_formats();
  SPRESS_TRY(auto specs, parse_spec_list(text));
  for (const Spec& spec : specs) SPRESS_CHECK(check_format(spec));
  return specs;
}

}  // namespace spress::cli
