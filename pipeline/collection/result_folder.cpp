#include "pipeline/collection/result_folder.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/io/bytes/input_file.hpp"
#include "formats/io/bytes/text_file.hpp"
#include "formats/json/tree.hpp"
#include "reports/html/html.hpp"
#include "reports/json/json.hpp"
#include "reports/records/record_file.hpp"
#include "reports/text/csv.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

/// The first bytes of a regular file, at most `most`. Errors: unreadable.
Result<std::string> beginning(const fs::path& file, std::size_t most) {
  SPRESS_TRY(const auto in, io::InputFile::open(file));
  std::string text(std::min<std::uint64_t>(most, in->size()), '\0');
  SPRESS_TRY(const std::size_t bytes, in->read_at(0, text.data(), text.size()));
  text.resize(bytes);
  return text;
}

/// The first line without its end, or all of a file that has no line end. Errors: unreadable.
Result<std::string> first_line(const fs::path& file) {
  for (std::size_t most = 1 << 16;; most *= 2) {
    SPRESS_TRY(std::string text, beginning(file, most));
    const std::size_t end = text.find('\n');
    if (end == std::string::npos && text.size() == most) continue;
    text.resize(std::min(end, text.size()));
    return text;
  }
}

/// Whether the first line is a record of analyze, or, without a line end, the torn beginning of one.
Result<bool> holds_records(const fs::path& file) {
  constexpr std::string_view record_begin = "{\"schema_version\":";
  SPRESS_TRY(const std::string begin, beginning(file, record_begin.size()));
  if (begin != record_begin) return false;
  SPRESS_TRY(const std::string line, first_line(file));
  if (reports::parse_analyze_record(line)) return true;
  std::error_code code;
  return fs::file_size(file, code) == line.size() && !json::Tree().parse(line).empty();
}

Result<bool> holds_table(const fs::path& file) {
  SPRESS_TRY(const std::string begin, beginning(file, 1024));
  return reports::is_results_csv(begin);
}

Result<bool> holds_summary(const fs::path& file) {
  SPRESS_TRY(const std::string begin, beginning(file, 1));
  if (begin != "{") return false;
  SPRESS_TRY(const std::string text, io::read_text(file));
  return reports::is_summary(text);
}

Result<bool> holds_page(const fs::path& file) {
  SPRESS_TRY(const std::string begin, beginning(file, 64 * 1024));
  return reports::is_report_page(begin);
}

struct Kind {
  const char* name;
  Result<bool> (*ours)(const fs::path&);
};
constexpr std::array<Kind, 4> kinds = {{{"results.jsonl", holds_records},
                                        {"results.csv", holds_table},
                                        {"summary.json", holds_summary},
                                        {"report.html", holds_page}}};

Status check(const fs::path& file, const Kind& kind) {
  const auto refused = [&](const std::string& fault) {
    return Error{ErrorCode::usage, fault + "; nothing was changed: name another folder with -o, or move this one away",
                 file.string(), 0};
  };
  std::error_code code;
  const auto status = fs::status(file, code);
  if (status.type() == fs::file_type::not_found) return Ok{};
  if (!fs::exists(status)) return Error{ErrorCode::unreadable, "cannot be read: " + code.message(), file.string(), 0};
  if (!fs::is_regular_file(status)) return refused("is no regular file");
  if (fs::file_size(file, code) == 0 && !code) return Ok{};
  SPRESS_TRY(const bool ours, kind.ours(file));
  if (!ours) return refused("was not written by 'spress analyze'");
  return Ok{};
}

}  // namespace

Status check_result_folder(const fs::path& folder) {
  for (const Kind& kind : kinds) SPRESS_CHECK(check(folder / kind.name, kind));
  return Ok{};
}

Status make_result_folder(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code && fs::is_regular_file(folder))
    return Error{ErrorCode::unwritable, "is a file; results go into a folder: name another", folder.string(), 0};
  if (code) return Error{ErrorCode::unwritable, "cannot be created: " + code.message(), folder.string(), 0};
  return check_result_folder(folder);
}

}  // namespace spress::pipeline
