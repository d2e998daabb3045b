#include "pipeline/collection/write_reports.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "formats/io/bytes/output_file.hpp"
#include "formats/io/bytes/text_file.hpp"
#include "pipeline/collection/journal.hpp"
#include "pipeline/collection/paper_formats.hpp"
#include "pipeline/digest.hpp"
#include "pipeline/version.hpp"
#include "reports/html/html.hpp"
#include "reports/records/summary.hpp"
#include "reports/text/csv.hpp"

namespace spress::pipeline {
namespace {

using namespace std::string_view_literals;

Status write_text(const std::string& text, const std::filesystem::path& path) {
  SPRESS_TRY(auto file, io::OutputFile::create(path));
  SPRESS_CHECK(file.write(text.data(), text.size()));
  return file.commit();
}

struct FileDigest {
  XXH64_hash_t hash = 0;
  std::size_t lines = 0;
};

/// Nothing where the file cannot be read.
std::optional<FileDigest> digest_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  FileDigest digest;
  std::vector<char> piece(1 << 20);
  do {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto bytes = static_cast<std::size_t>(file.gcount());
    XXH64_update(&state, piece.data(), bytes);
    digest.lines += static_cast<std::size_t>(std::count(piece.begin(), piece.begin() + file.gcount(), '\n'));
  } while (file.good());
  if (!file.eof()) return std::nullopt;
  digest.hash = XXH64_digest(&state);
  return digest;
}

/// Changes with the keys of the records, the journal, the program, and the sizes of the files that it wrote from them.
std::string digest_of(const std::vector<reports::ResumeKey>& keys, const FileDigest& journal,
                      const std::filesystem::path& folder) {
  const auto tool = tool_record();
  std::string text = fmt::format("{} {} {:016x}", tool.version, tool.commit, journal.hash);
  for (const auto& key : keys) text += fmt::format("\0{}\0{}\0{}\0{}"sv, key.path, key.size, key.mtime_ns, key.options);
  for (const char* name : {"results.csv", "report.html"}) {
    std::error_code missing;
    text += ' ' + std::to_string(std::filesystem::file_size(folder / name, missing));
  }
  return pipeline::digest_of(text);
}

}  // namespace

Status write_html_report(const std::vector<reports::AnalyzeRecord>& records, const std::filesystem::path& source,
                         const std::filesystem::path& path, const reports::Measurements& measured) {
  reports::HtmlOptions options;
  options.source = source.string();
  options.papers = paper_formats();
  std::ostringstream html;
  html.exceptions(std::ios::badbit);  // else a lack of memory would leave half a page
  reports::write_html(html, records, options, measured);
  return write_text(html.str(), path);
}

std::optional<EarlierRun> earlier_run(const std::vector<Item>& items, const CollectionOptions& options) {
  const auto& folder = options.output;
  for (const char* name : {"summary.json", "results.jsonl"}) {  // what is no file may never end
    std::error_code missing;
    if (options.fresh || !std::filesystem::is_regular_file(folder / name, missing)) return std::nullopt;
  }
  if (!journals_of_ranks(folder).empty()) return std::nullopt;  // of a run that was killed
  const auto text = io::read_text(folder / "summary.json");
  if (!text.ok()) return std::nullopt;
  auto summary = reports::parse_summary(*text);
  if (!summary || summary.record->digest.empty()) return std::nullopt;
  const auto journal = digest_of_file(folder / journal_name);
  if (!journal || summary.record->digest != digest_of(keys_of(items, options), *journal, folder)) return std::nullopt;
  return EarlierRun{std::move(*summary.record), journal->lines - items.size()};
}

Status write_reports(const CollectionResult& result, const std::filesystem::path& folder, reports::Summary summary) {
  std::ostringstream csv;
  csv.exceptions(std::ios::badbit);
  reports::write_csv(csv, result.records);
  SPRESS_CHECK(write_text(csv.str(), folder / "results.csv"));
  SPRESS_CHECK(write_html_report(result.records, folder / journal_name, folder / "report.html"));
  const auto journal = digest_of_file(folder / journal_name);
  std::vector<reports::ResumeKey> keys;
  for (const auto& record : result.records) keys.push_back(record.key);
  if (result.failed == 0 && journal) summary.digest = digest_of(keys, *journal, folder);  // what failed is tried again
  return write_text(reports::summary_json(summary), folder / "summary.json");
}

}  // namespace spress::pipeline
