#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command.hpp"
#include "pipeline/listing.hpp"

namespace spress::cli {
namespace {

using Row = pipeline::ListRow;

std::string text_of(const OptionText& o) {
  const std::string setting = o.key + "=" + (o.choices.empty() ? o.value : o.choices);
  const std::string fallback = o.choices.empty() ? "" : fmt::format(" (default {})", o.value);
  return fmt::format("{:<16}   {:<36} {}{}\n", "", setting, o.help, fallback);
}

bool same(const OptionText& a, const OptionText& b) { return a.key == b.key && a.value == b.value && a.help == b.help; }

bool has(const Row& row, const OptionText& option) {
  return std::any_of(row.options.begin(), row.options.end(), [&](const auto& o) { return same(o, option); });
}

/// A line per row and parameter; parameters that every row has are told once, at the end.
std::string text_of(const std::vector<Row>& rows) {
  const auto shared = [&](const OptionText& o) {
    return rows.size() > 1 && std::all_of(rows.begin(), rows.end(), [&](const Row& row) { return has(row, o); });
  };
  std::string out, common;
  for (const Row& row : rows) {
    out += fmt::format("{:<16} {}\n", row.name, row.summary);
    if (!row.missing.empty()) out += fmt::format("{:<16}   {}\n", "", row.missing);
    for (const auto& o : row.options)
      if (!shared(o)) out += text_of(o);
  }
  for (const auto& o : rows[0].options)
    if (shared(o)) common += text_of(o);
  return common.empty() ? out : out + "all of them\n" + common;
}

/// A line per kind of file.
std::string text_of_files(const std::vector<Row>& rows) {
  std::string out = fmt::format("{:<18} {:<5} {:<6} {}\n", "kind", "read", "write", "what, and endings");
  for (const Row& row : rows) {
    const std::string by_name =
        row.file->endings_if_named.empty()
            ? ""
            : fmt::format(", of files that are named themselves {}", fmt::join(row.file->endings_if_named, " "));
    const std::string endings = fmt::to_string(fmt::join(row.file->endings, " ")) + by_name;
    out += fmt::format("{:<18} {:<5} {:<6} {}\n{:<31} {}\n", row.name, row.file->read ? "yes" : "no",
                       row.file->written ? "yes" : "no", row.summary, "",
                       endings.starts_with(", ") ? endings.substr(2) : endings);
    if (!row.missing.empty()) out += fmt::format("{:<31} {}\n", "", row.missing);
  }
  return out;
}

}  // namespace

void add_list(Registry& registry) {
  static Common common;
  static std::string what;
  const Command command =
      registry.add("list", "List formats, orderings or generated matrices with their parameters, or kinds of files",
                   "spress list formats", common);
  command.add_option("WHAT", what, "formats, orderings, gallery or files").required().one_of(pipeline::lists());
  registry.on(command, []() -> Result<int> {
    SPRESS_TRY(const auto rows, pipeline::list_rows(what));
    print(common.json ? pipeline::json_of(rows) + "\n" : rows.front().file ? text_of_files(rows) : text_of(rows));
    return ExitCode::good;
  });
}

}  // namespace spress::cli
