#include "cli/command_line/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

#include "cli/command.hpp"
#include "formats/core/names.hpp"

namespace spress::cli {

Option& Option::required() {
  handle_->required();
  return *this;
}

Option& Option::type_name(const std::string& name) {
  handle_->type_name(name);
  return *this;
}

Option& Option::shows_default() {
  handle_->capture_default_str();
  return *this;
}

Option& Option::excludes(Option other) {
  handle_->excludes(other.handle_);
  return *this;
}

Option& Option::at_least_two() {
  handle_->expected(2, CLI::detail::expected_max_vector_size);
  return *this;
}

Option& Option::reads_paths() {
  handle_->transform(standard_input);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& choices) {
  const auto fault_of = [choices](std::string& text) {
    const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
    return known ? std::string() : with_choices("unknown value '" + text + "'", text, "the choices are", choices);
  };
  handle_->check(CLI::Validator(fault_of, fmt::format("{{{}}}", fmt::join(choices, ","))));
  return *this;
}

Option& Option::checked(std::function<std::string(const std::string&)> fault_of) {
  handle_->check(std::move(fault_of));
  return *this;
}

Option& Option::whole_number(std::uint64_t low, std::uint64_t high) {
  return checked([low, high](const std::string& text) {  // unlike CLI::Range, which takes 0x10 and 010
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = code == std::errc() && end == text.data() + text.size();
    if (whole && value >= low && value <= high && (value == 0 || text[0] != '0')) return std::string();
    return fmt::format("'{}' is no whole number from {} to {}", text, low, high);
  });
}

Option& Option::number(double low, double high) {
  return checked([low, high](const std::string& text) {  // unlike CLI::Range, which takes NaN
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high) return std::string();
    return fmt::format("'{}' is no number from {:g} to {:g}", text, low, high);
  });
}

bool Option::given() const { return handle_->count() != 0; }

bool Option::positional() const { return handle_->get_positional(); }

std::string Option::name() const { return handle_->get_name(); }

std::vector<std::string> Option::values() const { return handle_->results(); }

template <class T>
Option Command::add_option(const std::string& names, T& value, const std::string& help) const {
  return Option(handle_->add_option(names, value, help));
}
template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;

Option Command::add_choice(const std::string& names, std::string& value, const std::vector<std::string>& choices,
                           const std::string& help) const {
  return add_option(names, value, help)
      .type_name(fmt::format("{}", fmt::join(choices, "|")))
      .one_of(choices)
      .shows_default();
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(handle_->add_flag(names, value, help));
}

std::vector<std::string> FileOption::paths() const {
  std::vector<std::string> all = option.values();
  if (values == Values::all || all.empty()) return all;
  if (values == Values::last) return {all.back()};
  return {all.begin(), all.end() - 1};
}

std::string FileOption::name() const { return values == Values::last ? "OUT" : option.name(); }

Command Registry::add(const std::string& name, const std::string& summary, const std::string& example, Common& common) {
  Command command(app.add_subcommand(name, summary));
  command.handle()->footer("\nExample:\n  " + example);
  command.add_flag("--json", common.json, "Print JSON on stdout, and nothing else there");
  command.add_flag("-q,--quiet", common.quiet, "Print no status on stderr");
  command.add_option("--threads", common.threads, "Use N threads [all]").type_name("N").whole_number(1, 4096);
  return command;
}

bool Registry::json() const {
  const auto chosen = app.get_subcommands();
  return !chosen.empty() && chosen[0]->get_option("--json")->count() != 0;
}

Option Registry::reads(Option option) {
  files.push_back({option, std::nullopt});
  return option.type_name("FILE").reads_paths();
}

Option Registry::converts(Option option) {
  files.push_back({option, std::nullopt, false, Values::but_last});
  files.push_back({option, Writes::converted, true, Values::last});
  return option.type_name("FILE");
}

Option Registry::writes(Option option, Writes kind) {
  files.push_back({option, kind});
  return option.type_name(kind == Writes::results ? "FOLDER" : "FILE");
}

Option Registry::writes_each(Option option, Writes kind) {
  files.push_back({option, kind, true});
  return option.type_name("FILE|FOLDER");
}

void Registry::on(Command command, std::function<Result<int>()> work) {
  command.handle()->callback([this, work = std::move(work)] { run = work; });
}

}  // namespace spress::cli
