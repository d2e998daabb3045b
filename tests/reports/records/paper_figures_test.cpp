#include "reports/records/paper_figures.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/records/paper_table.hpp"
#include "reports/records/summary.hpp"
#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

FootprintRecord bytes(std::uint64_t index, std::uint64_t total) {
  FootprintRecord f;
  f.index_bytes = index;
  f.total_bytes = total;
  return f;
}

/// A square matrix of `nnz` entries of 8 bytes: CSR takes 12 bytes an entry, the other formats what is given.
AnalyzeRecord matrix(const std::string& name, std::uint64_t nnz, std::uint64_t bccoo, std::uint64_t bccoo_gpu) {
  AnalyzeRecord r;
  r.matrix.name = name;
  r.matrix.path = name + ".mtx";
  r.matrix.field = "real";
  r.matrix.rows = r.matrix.cols = nnz / 4;
  r.matrix.nnz = nnz;
  OrderingRecord none;
  none.footprint = {{"csr", bytes(4 * nnz, 12 * nnz)},
                    {"coo", bytes(8 * nnz, 16 * nnz)},
                    {"bccoo", bytes(bccoo, bccoo)},
                    {"bccoo-gpu", bytes(bccoo_gpu, bccoo_gpu)}};
  r.orderings = {{"none", none}};
  return r;
}

FootprintRecord& format(AnalyzeRecord& record, const std::string& name) {
  for (auto& [key, f] : record.orderings[0].second.footprint)
    if (key == name) return f;
  return record.orderings[0].second.footprint.emplace_back(name, FootprintRecord{}).second;
}

std::vector<AnalyzeRecord> three_records() {
  std::vector<AnalyzeRecord> records = {matrix("a", 10000, 60000, 130000), matrix("b", 20000, 120000, 60000),
                                        matrix("larger", 10000, 144000, 180000)};
  format(records[2], "bccoo").details = {
      {"columns_of_4_bytes", 7500}, {"columns_of_2_bytes", 2500}, {"values_in_full", 9000}};
  return records;
}

TEST(CompressedCoo, IsMeasuredAgainstCsrOfTheOriginalOrder) {
  const CompressedCoo c = summarize(three_records(), sample_papers()).compressed_coo;
  ASSERT_EQ(c.formats.size(), 3u);
  EXPECT_EQ(c.formats[0].format, "coo");
  EXPECT_EQ(c.formats[0].smaller, 0u);
  EXPECT_DOUBLE_EQ(c.formats[0].median, 16.0 / 12);
  const RelativeSize& gpu = c.formats[1];
  EXPECT_EQ(gpu.format, "bccoo-gpu");
  EXPECT_EQ(gpu.matrices, 3u);
  EXPECT_EQ(gpu.smaller, 1u);
  EXPECT_EQ(gpu.smaller_than_coo, 2u);
  EXPECT_DOUBLE_EQ(gpu.least, 0.25);
  EXPECT_DOUBLE_EQ(gpu.median, 13.0 / 12);
  EXPECT_DOUBLE_EQ(gpu.most, 1.5);
  EXPECT_DOUBLE_EQ(gpu.mean, (0.25 + 13.0 / 12 + 1.5) / 3);
  EXPECT_DOUBLE_EQ(c.formats[2].least, 0.5);
}

TEST(CompressedCoo, LeavesOutWhereTheFiguresAssumeDoubles) {
  std::vector<AnalyzeRecord> records = three_records();
  format(records[0], "csr") = bytes(40000, 40000);           // a pattern
  format(records[1], "csr") = bytes(80000, 80000 + 320000);  // complex
  const CompressedCoo c = summarize(records, sample_papers()).compressed_coo;
  EXPECT_EQ(c.formats[0].matrices, 1u);
  EXPECT_EQ(c.large_square, 3u);  // the list of exceptions takes them all
}

TEST(CompressedCoo, NamesTheMatricesThatBccooDoesNotMakeSmallerAndWhy) {
  const CompressedCoo c = summarize(three_records(), sample_papers()).compressed_coo;
  EXPECT_EQ(c.large_square, 3u);
  ASSERT_EQ(c.not_smaller.size(), 1u);
  const NotSmaller& n = c.not_smaller[0];
  EXPECT_EQ(n.name, "larger");
  EXPECT_DOUBLE_EQ(n.ratio, 1.2);
  EXPECT_DOUBLE_EQ(n.columns_of_4_bytes, 0.75);
  EXPECT_DOUBLE_EQ(n.columns_of_2_bytes, 0.25);
  EXPECT_DOUBLE_EQ(n.values_in_full, 0.9);
  EXPECT_DOUBLE_EQ(n.row_ends_per_entry, 0.25);
  EXPECT_DOUBLE_EQ(n.bytes_per_entry, 14.4);
  EXPECT_DOUBLE_EQ(n.csr_bytes_per_entry, 12);
}

TEST(CompressedCoo, EqualIsNotSmallerAndSmallOrRectangularOnesAreNotAsked) {
  std::vector<AnalyzeRecord> records = {matrix("equal", 10000, 120000, 1), matrix("small", 9999, 999999, 1),
                                        matrix("wide", 10000, 999999, 1)};
  ++records[2].matrix.cols;
  const CompressedCoo c = summarize(records, sample_papers()).compressed_coo;
  EXPECT_EQ(c.large_square, 1u);
  ASSERT_EQ(c.not_smaller.size(), 1u);
  EXPECT_EQ(c.not_smaller[0].name, "equal");
}

/// af_shell3 with 1000 entries: in single precision 1020 slots in blocks of 4 and 75% of the traffic.
AnalyzeRecord blocked() {
  AnalyzeRecord r = matrix("af_shell3", 1000, 1, 1);
  format(r, "amb").details = {{"block", 2},
                              {"value_slots", 1500},
                              {"traffic_bytes", 80},
                              {"single_block", 4},
                              {"single_segment", 250},
                              {"single_value_slots", 1020},
                              {"single_traffic_bytes", 30},
                              {"single_traffic_bytes_block_1", 40}};
  return r;
}

TEST(ZeroFill, IsThatOfSinglePrecisionAsInThePaper) {
  const auto fills = summarize({blocked()}, sample_papers()).zero_fill;
  ASSERT_EQ(fills.size(), 1u);
  EXPECT_EQ(fills[0].name, "af_shell3");
  EXPECT_EQ(fills[0].block, 4u);
  EXPECT_EQ(fills[0].segment, 250u);
  EXPECT_DOUBLE_EQ(fills[0].fill_percent, 2);
  EXPECT_DOUBLE_EQ(fills[0].traffic_percent.value(), 75);
}

TEST(ZeroFill, NeedsItsDetailsAndEntries) {
  AnalyzeRecord old = blocked(), empty = blocked(), complex = blocked();
  format(old, "amb").details.clear();
  empty.matrix.nnz = 0;
  format(complex, "csr") = bytes(4000, 20000);
  EXPECT_TRUE(summarize({old, empty, complex}, sample_papers()).zero_fill.empty());
}

TEST(ZeroFill, OfAMatrixOfFloatsIsTheOnlyOneThereIs) {
  AnalyzeRecord r = blocked();
  format(r, "csr") = bytes(4000, 8000);
  format(r, "amb").details = {{"block", 3}, {"segment", 9}, {"value_slots", 1000}, {"traffic_bytes", 5}};
  const auto fills = summarize({r}, sample_papers()).zero_fill;
  ASSERT_EQ(fills.size(), 1u);
  EXPECT_EQ(fills[0].block, 3u);
  EXPECT_DOUBLE_EQ(fills[0].fill_percent, 0);
  EXPECT_FALSE(fills[0].traffic_percent.has_value());
}

TEST(PaperFigures, StandInTheSummaryAsTextAndJson) {
  std::vector<AnalyzeRecord> records = three_records();
  records.push_back(blocked());
  const Summary s = summarize(records, sample_papers());
  const auto json = nlohmann::json::parse(summary_json(s));
  EXPECT_EQ(json["compressed_coo"]["formats"][2]["format"], "bccoo");
  EXPECT_EQ(json["compressed_coo"]["not_smaller"][0]["values_in_full"], 0.9);
  EXPECT_EQ(json["zero_fill"][0]["block"], 4);
  EXPECT_EQ(json["zero_fill"][0]["traffic_percent"], 75.0);
  EXPECT_EQ(json["paper_001"]["zero_fill"].size(), paper_zero_fill.size());
  EXPECT_EQ(json["paper_000"]["matrices"], 56);
  const std::string text = paper_text(s);
  EXPECT_NE(text.find("bccoo is smaller than CSR on 2 of 3 square matrices with at least 10,000 entries"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("larger   1.200        14.40   12.00          75.0%        25.0%       90.0%        0.25"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("af_shell3      4      5  2.000%  0.096%   75.00%  75.62%"), std::string::npos) << text;
}

TEST(PaperFigures, AreLeftOutWhereNobodySaysWhichFormatsTheyAreAbout) {
  std::vector<AnalyzeRecord> records = three_records();
  records.push_back(blocked());
  const Summary s = summarize(records);
  EXPECT_TRUE(s.compressed_coo.formats.empty());
  EXPECT_EQ(s.compressed_coo.large_square, 0u);
  EXPECT_TRUE(s.zero_fill.empty());
  EXPECT_EQ(paper_text(s).find("paper 000"), std::string::npos);
}

}  // namespace
}  // namespace spress::reports
