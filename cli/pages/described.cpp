#include "cli/pages/described.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string_view>

#include "formats/values/store_names.hpp"
#include "pipeline/listing.hpp"

namespace spress::cli::pages {
namespace {

using Names = std::vector<std::string>;

Names listed(std::string_view list, Names first = {}) {
  const auto rows = pipeline::list_rows(list);
  if (!rows.ok()) return first;
  for (const auto& row : *rows) first.push_back(row.name);
  return first;
}

/// Values that are names of the lists: an option with such a name takes them in every subcommand.
struct NamedValues {
  ValueKind kind;
  Names choices;
};
const std::map<std::string, NamedValues>& named_values() {
  static const std::map<std::string, NamedValues> all = {
      {"--formats", {ValueKind::list, listed("formats", {"auto"})}},
      {"--format", {ValueKind::choice, listed("formats", {"auto"})}},
      {"--orderings", {ValueKind::list, listed("orderings")}},
      {"--ordering", {ValueKind::choice, listed("orderings", {"auto"})}},
      {"--values", {ValueKind::list, store_choices()}},
      {"generate NAME", {ValueKind::choice, listed("gallery")}},
  };
  return all;
}

/// The names in "GOAL:{memory,spmv}", the type of an option that was given choices.
Names names_in_braces(const std::string& type) {
  Names out;
  const auto begin = type.find('{'), end = type.find('}', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return out;
  for (std::size_t at = begin + 1; at < end;) {
    const auto comma = std::min(type.find(',', at), end);
    out.push_back(type.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

void describe_value(const Registry& registry, const std::string& command, const CLI::Option* option,
                    DescribedOption& out) {
  const auto file = std::find_if(registry.files.begin(), registry.files.end(),
                                 [&](const FileOption& known) { return known.option.handle() == option; });
  if (file != registry.files.end()) {
    out.kind = file->writes == Writes::results ? ValueKind::folder : ValueKind::file;
    return;
  }
  out.choices = names_in_braces(option->get_type_name());
  if (!out.choices.empty()) out.kind = ValueKind::choice;
  Names keys = out.names;
  if (out.positional()) keys.push_back(command + " " + option->get_name());
  for (const std::string& key : keys)
    if (const auto known = named_values().find(key); known != named_values().end()) {
      out.kind = known->second.kind;
      out.choices = known->second.choices;
    }
}

DescribedOption described(const Registry& registry, const std::string& command, const CLI::Option* option) {
  DescribedOption out;
  for (const std::string& name : option->get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option->get_lnames()) out.names.push_back("--" + name);
  const std::string type = option->get_type_name();
  if (out.positional())
    out.value = option->get_name();
  else if (option->get_type_size() != 0)
    out.value = type.substr(0, type.find(":{"));
  out.help = option->get_description();
  out.fallback = option->get_default_str();
  out.required = option->get_required();
  out.repeats = option->get_items_expected_max() > 1;
  if (!out.value.empty()) describe_value(registry, command, option, out);
  return out;
}

DescribedCommand described(const Registry& registry, const CLI::App& app, const std::string& name) {
  DescribedCommand out;
  out.name = name;
  out.summary = app.get_description();
  const std::string footer = app.get_footer();
  constexpr std::string_view heading = "\nExample:\n";
  if (footer.starts_with(heading)) out.example = footer.substr(heading.size());
  for (const CLI::Option* option : app.get_options()) out.options.push_back(described(registry, name, option));
  std::stable_partition(out.options.begin(), out.options.end(), [](const auto& o) { return o.positional(); });
  return out;
}

}  // namespace

std::vector<DescribedCommand> described(const Registry& registry) {
  std::vector<DescribedCommand> out = {described(registry, registry.app, "")};
  for (const CLI::App* command : std::as_const(registry.app).get_subcommands([](const CLI::App*) { return true; }))
    out.push_back(described(registry, *command, command->get_name()));
  return out;
}

}  // namespace spress::cli::pages
