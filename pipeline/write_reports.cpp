#include "pipeline/write_reports.hpp"

#include <sstream>

#include "formats/io/output_file.hpp"
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
  SPRESS_CHECK(write_text(reports::summary_json(reports::summarize(records)), folder / "summary.json"));
  std::ostringstream csv;
  csv.exceptions(std::ios::badbit);
  reports::write_csv(csv, records);
  SPRESS_CHECK(write_text(csv.str(), folder / "results.csv"));
  return write_html_report(records, folder / "results.jsonl", folder / "report.html");
}

}  // namespace spress::pipeline
