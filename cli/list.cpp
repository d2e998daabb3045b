#include <fmt/format.h>

#include "cli/command.hpp"
#include "encode/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "reorder/orderings.hpp"

namespace spress::cli {
namespace {

struct Row {
  std::string name, summary;
  std::vector<OptionText> options;
};

std::vector<Row> rows_of(const std::string& what) {
  std::vector<Row> rows;
  if (what == "formats")
    for (auto& f : format_entries()) rows.push_back({f.name, f.summary, f.options});
  else if (what == "orderings")
    for (const auto& o : reorder::orderings()) rows.push_back({std::string(o.name), std::string(o.summary), {}});
  else
    for (auto& g : gallery::entries()) rows.push_back({g.name, g.summary, g.options});
  return rows;
}

Json json_of(const Row& row) {
  Json options = Json::array();
  for (const auto& o : row.options) {
    Json option = {{"key", o.key}, {"default", o.value}, {"help", o.help}};
    if (!o.choices.empty()) option["choices"] = o.choices;
    options.push_back(option);
  }
  return {{"name", row.name}, {"summary", row.summary}, {"parameters", options}};
}

std::string text_of(const Row& row) {
  std::string out = fmt::format("{:<16} {}\n", row.name, row.summary);
  for (const auto& o : row.options) {
    const std::string setting = o.key + "=" + (o.choices.empty() ? o.value : o.choices);
    const std::string fallback = o.choices.empty() ? "" : fmt::format(" (default {})", o.value);
    out += fmt::format("{:<16}   {:<36} {}{}\n", "", setting, o.help, fallback);
  }
  return out;
}

}  // namespace

void add_list(Registry& registry) {
  static Common common;
  static std::string what;
  auto* command = registry.add("list", "List the formats, orderings or generated matrices, with their parameters",
                               "spress list formats", common);
  command->add_option("WHAT", what, "formats, orderings or gallery")
      ->required()
      ->check(CLI::IsMember({"formats", "orderings", "gallery"}));
  registry.on(command, [] {
    Json all = Json::array();
    for (const Row& row : rows_of(what)) {
      if (common.json)
        all.push_back(json_of(row));
      else
        print(text_of(row));
    }
    if (common.json) print_json(all);
    return ExitCode::good;
  });
}

}  // namespace spress::cli
