#include "reports/html/html.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/html/embedded.hpp"
#include "reports/html/page_data.hpp"
#include "reports/html/picture.hpp"
#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

using Json = nlohmann::ordered_json;

std::string html_of(const std::vector<AnalyzeRecord>& records, const HtmlOptions& options = {}) {
  std::ostringstream out;
  write_html(out, records, options);
  return out.str();
}

/// The text of the element whose opening tag ends with `opening`.
std::string between(const std::string& html, const std::string& opening, const std::string& closing) {
  const std::size_t begin = html.find(opening);
  if (begin == std::string::npos) return {};
  const std::size_t start = begin + opening.size();
  return html.substr(start, html.find(closing, start) - start);
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The inverse of shorten_runs, written from its description.
std::string lengthen_runs(const std::string& runs) {
  std::string cells;
  for (const char c : runs) {
    if (c >= '0' && c <= '9') cells += c;
    if (c >= 'a' && c <= 'z') cells += std::string(static_cast<std::size_t>(c - 'a' + 1), cells.back());
    if (c >= 'A' && c <= 'Z') cells += std::string(static_cast<std::size_t>(c - 'A' + 1) * 26, cells.back());
  }
  return cells;
}

TEST(Page, IsKnownByItsFirst64Kilobytes) {
  std::ostringstream out;
  write_html(out, {});
  EXPECT_TRUE(is_report_page(out.str().substr(0, 64 * 1024)));
  EXPECT_FALSE(is_report_page("<!DOCTYPE html>\n<html lang=\"en\">"));
}

TEST(Runs, ShortFormsByHand) {
  EXPECT_EQ(shorten_runs(""), "");
  EXPECT_EQ(shorten_runs("9105"), "9105");
  EXPECT_EQ(shorten_runs("0001"), "0b1");
  EXPECT_EQ(shorten_runs(std::string(27, '0')), "0z");
  EXPECT_EQ(shorten_runs(std::string(28, '0')), "0Aa");
}

TEST(Runs, EveryLengthComesBack) {
  for (std::size_t length = 0; length < 3000; ++length) {
    const std::string cells = std::string(length, '0') + "7" + std::string(length / 3, '2');
    ASSERT_EQ(lengthen_runs(shorten_runs(cells)), cells) << length;
  }
}

TEST(PageData, HoldsTheFiguresOfEachMatrix) {
  std::vector<AnalyzeRecord> records = sample_records(12);
  const Json data = Json::parse(page_data(records, "results.jsonl"));
  EXPECT_EQ(data["source"], "results.jsonl");
  EXPECT_EQ(data["matrices"].size(), 11u);  // the twelfth is an error
  EXPECT_EQ(data["summary"]["errors"].size(), 1u);
  const Json& first = data["matrices"][0];
  const OrderingRecord& none = records[0].orderings[0].second;
  EXPECT_EQ(first[0], records[0].matrix.name);
  EXPECT_EQ(first[4], records[0].matrix.nnz);
  EXPECT_EQ(first[14][0][0], none.bandwidth);
  EXPECT_EQ(first[14][0][6][2][0], none.index_classes[2].second.matrix_bits);
  EXPECT_EQ(first[14][0][7][1][2], none.footprint[1].second.total_bytes);
  EXPECT_EQ(first[14][0][8], none.spy.size);
  EXPECT_EQ(first[14][0][9], picture_of(none.spy).text);
  EXPECT_EQ(first[14][0][10],
            records[0].choice->candidates[records[0].choice->candidates[0].ordering != "none"].total_bytes);
  EXPECT_EQ(first[15][0], records[0].choice->candidates[0].ordering);
  EXPECT_EQ(first[16], "");
}

TEST(PageData, SaysWhatThePapersCompare) {
  PaperFormats papers = sample_papers();
  papers.measured = {{"004", "own", {"one", "other"}, true}};
  const Json data = Json::parse(page_data({}, "", {}, papers));
  EXPECT_EQ(data["summary"]["paper_formats"]["measured"].dump(),
            R"([{"paper":"004","own":"own","beside":["one","other"],"peers":true}])");
}

TEST(PageData, NamesTheGenerator) {
  std::vector<AnalyzeRecord> records = sample_records(2);
  records[1].matrix.generator = {"identity", {}};
  const Json data = Json::parse(page_data(records, ""));
  EXPECT_EQ(data["matrices"][0][16], "");
  EXPECT_EQ(data["matrices"][1][16], "identity");
}

TEST(Html, IsOneFileThatAsksNothingOfANetwork) {
  const std::string html = html_of(sample_records(5));
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(html.find("unsafe-eval"), std::string::npos);
  EXPECT_EQ(html.find("sourceMappingURL"), std::string::npos);
  EXPECT_EQ(html.find("<script src"), std::string::npos);
  EXPECT_EQ(html.find("@import"), std::string::npos);
  EXPECT_EQ(html.find("{{"), html.find("{{", html.find("<script>\n/* vega:")));  // no place left unfilled in the page
}

TEST(Html, HostileNamesCannotLeaveTheirPlace) {
  std::vector<AnalyzeRecord> records = sample_records(3);
  const std::string plain = html_of(records);
  records[1].matrix.name = "</script><script>alert(1)</script><!--<script>";
  records[2].error = "{{scripts}} </title>";
  const std::string html = html_of(records, {.title = "<b>&\"'</title>", .source = "</script>"});
  EXPECT_EQ(occurrences(html, "<script>"), occurrences(plain, "<script>"));
  EXPECT_EQ(occurrences(html, "</script"), occurrences(plain, "</script"));
  EXPECT_EQ(occurrences(html, "</title"), 1u);
  EXPECT_NE(html.find("&lt;b&gt;&amp;&quot;&#39;&lt;/title&gt;"), std::string::npos);
  const Json data = Json::parse(between(html, "id=\"data\">", "</script>"));
  EXPECT_EQ(data["matrices"][1][0], records[1].matrix.name);
  EXPECT_EQ(data["summary"]["errors"][0]["error"], *records[2].error);
}

TEST(Html, HasItsChartsOrSaysWhyNot) {
  const std::string html = html_of({});
  EXPECT_EQ(has_charts(),
            html.find("vega-lite") != std::string::npos && html.find("/* vega-lite:") != std::string::npos);
  EXPECT_EQ(between(html, "id=\"charts-missing\">", "</script>").empty(), has_charts());
  EXPECT_EQ(has_charts(), charts_missing_reason().empty());
}

TEST(Html, StaysSmall) {
  const std::size_t page = html_of({}).size();
  EXPECT_LT(page, 1100000u);
  EXPECT_LT(html_of(sample_records(100)).size() - page, 100u * 5000u);
}

}  // namespace
}  // namespace spress::reports
