#include "pipeline/listing.hpp"

#include "encode/shared/any.hpp"
#include "formats/core/names.hpp"
#include "formats/gallery/gallery.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "formats/json/text.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {
namespace {

json::Value value_of(const ListRow& row, const FileFacts& file) {
  json::Value out = {{"name", row.name}, {"summary", row.summary}};
  out["endings"] = file.endings;
  out["endings_if_named"] = file.endings_if_named;
  out["by_content"] = file.by_content;
  out["read"] = file.read;
  out["written"] = file.written;
  if (!file.needs.empty()) out["needs"] = file.needs;
  if (!row.missing.empty()) out["missing"] = row.missing;
  return out;
}

json::Value value_of(const ListRow& row) {
  if (row.file) return value_of(row, *row.file);
  json::Value options = json::Value::array();
  for (const auto& o : row.options) {
    json::Value option = {{"key", o.key}, {"default", o.value}, {"help", o.help}};
    if (!o.choices.empty()) option["choices"] = o.choices;
    options.push_back(option);
  }
  json::Value out = {{"name", row.name}, {"summary", row.summary}, {"parameters", options}};
  if (row.symmetric) out["symmetric"] = *row.symmetric;
  if (!row.missing.empty()) out["missing"] = row.missing;
  return out;
}

std::vector<ListRow> formats() {
  std::vector<ListRow> rows;
  for (auto& f : format_entries()) rows.push_back({f.name, f.summary, f.options, {}, {}});
  return rows;
}

std::vector<ListRow> orderings() {
  std::vector<ListRow> rows;
  for (const auto& o : reorder::orderings())
    rows.push_back({std::string(o.name), std::string(o.summary), {}, std::string(o.missing), o.symmetric(), {}});
  return rows;
}

std::vector<ListRow> generators() {
  std::vector<ListRow> rows;
  for (auto& g : gallery::entries()) rows.push_back({g.name, g.summary, g.options, {}, {}});
  return rows;
}

std::vector<std::string> strings(const std::vector<std::string_view>& views) { return {views.begin(), views.end()}; }

std::vector<ListRow> files() {
  std::vector<ListRow> rows;
  for (const io::FileKind& kind : io::file_kinds()) {
    ListRow row{std::string(kind.name), std::string(kind.summary), {}, {}, {}, FileFacts{}};
    row.file->endings = strings(kind.endings);
    row.file->endings_if_named = strings(kind.endings_if_named);
    row.file->by_content = kind.recognises != nullptr;
    row.file->read = kind.read != nullptr;
    row.file->written = kind.write != nullptr;
    row.file->needs = kind.needs;
    if (kind.read == nullptr) row.missing = "not read by this build, which lacks " + row.file->needs;
    rows.push_back(std::move(row));
  }
  rows.push_back(
      {"spress", "spress files, every version", {}, {}, {}, FileFacts{{".spress"}, {}, true, true, true, {}}});
  return rows;
}

struct List {
  std::string_view name;
  std::vector<ListRow> (*rows)();
};
constexpr List all[] = {{"formats", formats}, {"orderings", orderings}, {"gallery", generators}, {"files", files}};

}  // namespace

std::vector<std::string> lists() {
  std::vector<std::string> names;
  for (const List& list : all) names.emplace_back(list.name);
  return names;
}

Result<std::vector<ListRow>> list_rows(std::string_view what) {
  for (const List& list : all)
    if (list.name == what) return list.rows();
  return unknown_name("list", what, lists());
}

std::string json_of(const std::vector<ListRow>& rows) {
  json::Value out = json::Value::array();
  for (const ListRow& row : rows) out.push_back(value_of(row));
  return out.dump();
}

}  // namespace spress::pipeline
