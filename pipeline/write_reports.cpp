#include "pipeline/write_reports.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <sstream>

#include "formats/io/output_file.hpp"
#include "formats/io/text_file.hpp"
#include "pipeline/version.hpp"
#include "reports/csv.hpp"
#include "reports/html.hpp"
#include "reports/summary.hpp"

namespace spress::pipeline {
namespace {

Status write_text(const std::string& text, const std::filesystem::path& path) {
  SPRESS_TRY(auto file, io::OutputFile::create(path));
  SPRESS_CHECK(file.write(text.data(), text.size()));
  return file.commit();
}

/// Of all that the files of a folder are written from.
std::string digest_of(const std::vector<reports::AnalyzeRecord>& records) {
  const auto tool = tool_record();
  std::string text = tool.version + ' ' + tool.commit;
  for (const auto& record : records)
    for (const std::string& part :
         {record.key.path, std::to_string(record.key.size), std::to_string(record.key.mtime_ns), record.key.options,
          record.tool.commit, record.error.value_or("")})
      text.append(part).push_back('\0');
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

/// Whether the folder's files are of these records: summary.json, which says so, is written last.
bool is_written(const std::string& digest, const std::filesystem::path& folder) {
  for (const char* name : {"results.csv", "report.html"})
    if (!std::filesystem::exists(folder / name)) return false;
  const auto summary = io::read_text(folder / "summary.json");
  return summary.ok() && reports::digest_in(*summary) == digest;
}

}  // namespace

Status write_html_report(const std::vector<reports::AnalyzeRecord>& records, const std::filesystem::path& source,
                         const std::filesystem::path& path, const reports::Measurements& measured,
                         const std::vector<reports::Claim>& claims) {
  reports::HtmlOptions options;
  options.source = source.string();
  options.claims = claims;
  if (!claims.empty()) options.title = "spress against the papers and the vendors";
  std::ostringstream html;
  html.exceptions(std::ios::badbit);  // else a lack of memory would leave half a page
  reports::write_html(html, records, options, measured);
  return write_text(html.str(), path);
}

Status write_reports(const std::vector<reports::AnalyzeRecord>& records, const std::filesystem::path& folder) {
  const std::string digest = digest_of(records);
  if (is_written(digest, folder)) return Ok{};
  std::ostringstream csv;
  csv.exceptions(std::ios::badbit);
  reports::write_csv(csv, records);
  SPRESS_CHECK(write_text(csv.str(), folder / "results.csv"));
  SPRESS_CHECK(write_html_report(records, folder / "results.jsonl", folder / "report.html"));
  reports::Summary summary = reports::summarize(records);
  summary.digest = digest;
  return write_text(reports::summary_json(summary), folder / "summary.json");
}

}  // namespace spress::pipeline
