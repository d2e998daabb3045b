#include "reports/text/csv.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

/// A reader of RFC 4180 written from the RFC, to hold the writer to.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = lines.back().back();
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      lines.back().emplace_back();
    } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      if (i + 1 < text.size()) lines.push_back({""});
    } else {
      field += c;
    }
  }
  return lines;
}

std::vector<std::map<std::string, std::string>> rows_of(const std::vector<AnalyzeRecord>& records) {
  std::ostringstream out;
  write_csv(out, records);
  const auto lines = read_csv(out.str());
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), lines[0].size()) << "line " << i;
    auto& row = rows.emplace_back();
    for (std::size_t c = 0; c < lines[i].size(); ++c) row[lines[0].at(c)] = lines[i][c];
  }
  return rows;
}

AnalyzeRecord one_record() {
  AnalyzeRecord r;
  r.matrix.name = "a,\"b\"\nc";
  r.matrix.path = "p";
  r.matrix.rows = 3;
  r.matrix.pattern_symmetric = true;
  OrderingRecord o;
  o.bandwidth = 7;
  o.seconds = 0.5;
  o.index_classes = {{"direct", {16, {1, 2, 3}, {4, 5, 6}}}};
  FootprintRecord csr;
  csr.total_bytes = 99;
  csr.parameters = "c=32,sigma=1";
  csr.values = {{"raw", 99}, {"lut8", {}}};
  FootprintRecord none;
  none.reason = "cannot";
  o.footprint = {{"csr", csr}, {"other", none}};
  OrderingRecord rcm;
  rcm.status = "not_applicable";
  rcm.reason = "not square";
  r.orderings = {{"none", o}, {"rcm", rcm}};
  r.best = {"csr", "none", "raw", 99, "c=32,sigma=1"};
  return r;
}

TEST(Csv, FieldsAreQuotedOnlyWhereTheyMust) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("a\rb"), "\"a\rb\"");
  EXPECT_EQ(csv_field("'=a"), "\"'=a\"");
}

TEST(Csv, NoTextIsAFormula) {
  for (const std::string begin : {"=", "+", "-", "@", "\t", "\r"}) {
    AnalyzeRecord record = one_record();
    record.matrix.name = begin + "1+cmd()";
    EXPECT_EQ(rows_of({record})[0].at("name"), "'" + record.matrix.name);
  }
  AnalyzeRecord record = one_record();
  record.matrix.name = "a=b";
  record.orderings[0].second.seconds = -0.5;
  EXPECT_EQ(rows_of({record})[0].at("name"), "a=b");
  EXPECT_EQ(rows_of({record})[0].at("seconds"), "-0.5");
}

TEST(Csv, IsKnownByItsFirstColumns) {
  for (const std::vector<AnalyzeRecord>& records : {std::vector<AnalyzeRecord>{}, {one_record()}}) {
    std::ostringstream out;
    write_csv(out, records);
    EXPECT_TRUE(is_results_csv(out.str())) << out.str();
  }
  EXPECT_FALSE(is_results_csv("name,path,rows\r\n"));
  EXPECT_FALSE(is_results_csv(""));
}

TEST(Csv, OneRowPerMatrixAndOrdering) {
  const auto rows = rows_of({one_record()});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("name"), "a,\"b\"\nc");
  EXPECT_EQ(rows[0].at("rows"), "3");
  EXPECT_EQ(rows[0].at("pattern_symmetric"), "true");
  EXPECT_EQ(rows[0].at("ordering"), "none");
  EXPECT_EQ(rows[0].at("bandwidth"), "7");
  EXPECT_EQ(rows[0].at("seconds"), "0.5");
  EXPECT_EQ(rows[0].at("direct.bits"), "16");
  EXPECT_EQ(rows[0].at("direct.rows32"), "3");
  EXPECT_EQ(rows[0].at("direct.nnz8"), "4");
  EXPECT_EQ(rows[0].at("csr.total_bytes"), "99");
  EXPECT_EQ(rows[0].at("csr.parameters"), "c=32,sigma=1");
  EXPECT_EQ(rows[0].at("csr.raw"), "99");
  EXPECT_EQ(rows[0].at("csr.lut8"), "");
  EXPECT_EQ(rows[0].at("other.total_bytes"), "");
  EXPECT_EQ(rows[0].at("best.total_bytes"), "99");
  EXPECT_EQ(rows[0].at("best.parameters"), "c=32,sigma=1");
  EXPECT_EQ(rows[1].at("ordering"), "rcm");
  EXPECT_EQ(rows[1].at("status"), "not_applicable");
  EXPECT_EQ(rows[1].at("reason"), "not square");
  EXPECT_EQ(rows[1].at("bandwidth"), "");
}

TEST(Csv, AnErrorHasOneRowWithItsText) {
  AnalyzeRecord broken;
  broken.matrix.name = "broken";
  broken.error = "line 3: \"x\" is no number";
  const auto rows = rows_of({one_record(), broken});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].at("error"), *broken.error);
  EXPECT_EQ(rows[2].at("status"), "error");
  EXPECT_EQ(rows[2].at("rows"), "");
  EXPECT_EQ(rows[2].at("best.format"), "");
}

TEST(Csv, EveryRowHasEveryColumn) {
  const auto records = sample_records(60);
  std::size_t expected = 0;
  for (const AnalyzeRecord& r : records) expected += r.error ? 1 : r.orderings.size();
  EXPECT_EQ(rows_of(records).size(), expected);
}

TEST(Csv, NoRecordsGiveTheHeadLine) { EXPECT_TRUE(rows_of({}).empty()); }

}  // namespace
}  // namespace spress::reports
