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

/// Identifies the program, the records and the sizes of the files that it wrote from them into the folder.
std::string digest_of(const std::vector<reports::AnalyzeRecord>& records, const std::filesystem::path& folder) {
  const auto tool = tool_record();
  std::string text = tool.version + ' ' + tool.commit;
  for (const char* name : {"results.csv", "report.html"}) {
    std::error_code missing;
    text += ' ' + std::to_string(std::filesystem::file_size(folder / name, missing));
  }
  for (const auto& record : records)
    for (const std::string& part :
         {record.key.path, std::to_string(record.key.size), std::to_string(record.key.mtime_ns), record.key.options,
          record.tool.commit, record.error.value_or("")})
      text.append(part).push_back('\0');
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

/// Whether an earlier run wrote the folder's files from these records. summary.json, which says so, is written last.
bool is_written(const std::vector<reports::AnalyzeRecord>& records, const std::filesystem::path& folder) {
  const auto summary = io::read_text(folder / "summary.json");
  return summary.ok() && reports::digest_in(*summary) == digest_of(records, folder);
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

Status write_reports(const CollectionResult& result, const std::filesystem::path& folder) {
  const auto& records = result.records;
  if (result.resumed == records.size() && is_written(records, folder)) return Ok{};
  std::ostringstream csv;
  csv.exceptions(std::ios::badbit);
  reports::write_csv(csv, records);
  SPRESS_CHECK(write_text(csv.str(), folder / "results.csv"));
  SPRESS_CHECK(write_html_report(records, folder / "results.jsonl", folder / "report.html"));
  reports::Summary summary = reports::summarize(records);
  summary.digest = digest_of(records, folder);
  return write_text(reports::summary_json(summary), folder / "summary.json");
}

}  // namespace spress::pipeline
