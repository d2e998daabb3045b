#include "reports/records/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/json/json.hpp"
#include "reports/records/paper_table.hpp"
#include "reports/text/collection_text.hpp"
#include "reports/text/text_table.hpp"
#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

FootprintRecord bytes(std::uint64_t model, std::uint64_t index, std::uint64_t total) {
  FootprintRecord f;
  f.model_index_bytes = model;
  f.index_bytes = index;
  f.total_bytes = total;
  return f;
}

OrderingRecord ordering(int delta_bits, std::uint64_t bandwidth, std::uint64_t opt_model) {
  OrderingRecord o;
  o.bandwidth = bandwidth;
  o.index_classes = {{"delta", {delta_bits, {}, {}}}};
  o.footprint = {{"csr", bytes(100, 120, 200)}, {"opt-csr", bytes(opt_model, 60, 150)}};
  return o;
}

AnalyzeRecord matrix(const std::string& name, std::uint64_t rows, std::uint64_t cols) {
  AnalyzeRecord r;
  r.matrix.name = name;
  r.matrix.rows = rows;
  r.matrix.cols = cols;
  r.matrix.nnz = 10;
  r.matrix.pattern_symmetric = rows == cols;
  return r;
}

/// Three matrices that could be analysed, one of them rectangular, and one that could not.
std::vector<AnalyzeRecord> four_records() {
  AnalyzeRecord a = matrix("a", 5, 5), b = matrix("b", 7, 7), wide = matrix("wide", 2, 9),
                broken = matrix("broken", 0, 0);
  a.orderings = {{"none", ordering(16, 8, 50)}, {"rcm", ordering(8, 2, 25)}};
  b.orderings = {{"none", ordering(8, 3, 40)}, {"rcm", ordering(16, 6, 100)}};
  b.matrix.pattern_symmetric = false;
  OrderingRecord not_applicable;
  not_applicable.status = "not_applicable";
  wide.orderings = {{"none", ordering(32, 8, 0)}, {"rcm", not_applicable}};
  wide.orderings[0].second.footprint[1].second.reason = "does not fit";
  a.best = {"opt-csr", "rcm", "lut8", 70};
  b.best = {"opt-csr", "none", "raw", 150};
  wide.best = {"csr", "none", "raw", 200};
  broken.error = "broken.mtx:1: no banner";
  return {a, b, wide, broken};
}

TEST(Summary, CountsMatricesErrorsAndTheirKinds) {
  const Summary s = summarize(four_records());
  EXPECT_EQ(s.records, 4u);
  EXPECT_EQ(s.analysed, 3u);
  EXPECT_EQ(s.square, 2u);
  EXPECT_EQ(s.pattern_symmetric, 1u);
  EXPECT_EQ(s.nnz, 30u);
  ASSERT_EQ(s.errors.size(), 1u);
  EXPECT_EQ(s.errors[0].name, "broken");
  EXPECT_EQ(s.errors[0].error, "broken.mtx:1: no banner");
}

void expect_counts(const ClassTally& t, std::uint64_t bits8, std::uint64_t bits16, std::uint64_t bits32,
                   std::uint64_t left_out) {
  EXPECT_EQ(t.matrices.bits8, bits8) << t.strategy << " " << t.ordering;
  EXPECT_EQ(t.matrices.bits16, bits16) << t.strategy << " " << t.ordering;
  EXPECT_EQ(t.matrices.bits32, bits32) << t.strategy << " " << t.ordering;
  EXPECT_EQ(t.left_out, left_out) << t.strategy << " " << t.ordering;
}

TEST(Summary, ClassesCountMatricesAndLeaveOutThoseWithoutTheOrdering) {
  const Summary s = summarize(four_records());
  ASSERT_EQ(s.selections.size(), 2u);
  const SelectionSummary& all = s.selections[0];
  EXPECT_EQ(all.matrices, 3u);
  ASSERT_EQ(all.classes.size(), 2u);
  expect_counts(all.classes[0], 1, 1, 1, 0);
  expect_counts(all.classes[1], 1, 1, 0, 1);
  const SelectionSummary& symmetric = s.selections[1];
  EXPECT_EQ(symmetric.matrices, 1u);
  expect_counts(symmetric.classes[0], 0, 1, 0, 0);
  expect_counts(symmetric.classes[1], 1, 0, 0, 0);
}

TEST(Summary, CompositionHasClassBeforeInRowsAndAfterInColumns) {
  const Summary s = summarize(four_records());
  ASSERT_EQ(s.selections[0].compositions.size(), 1u);
  const Composition& c = s.selections[0].compositions[0];
  EXPECT_EQ(c.ordering, "rcm");
  EXPECT_EQ(c.counts[1][0], 1u);  // a: 16 to 8
  EXPECT_EQ(c.counts[0][1], 1u);  // b: 8 to 16
  EXPECT_EQ(c.counts[2][2], 0u);
  EXPECT_EQ(c.better, 1u);
  EXPECT_EQ(c.worse, 1u);
  EXPECT_EQ(c.worse_names, (std::vector<std::string>{"b"}));
  EXPECT_EQ(c.left_out, 1u);
}

CandidateRecord candidate(const std::string& ordering, std::uint64_t bytes) {
  CandidateRecord c;
  c.ordering = ordering;
  c.total_bytes = bytes;
  c.exact = true;
  return c;
}

ChoiceRecord choice(std::vector<CandidateRecord> candidates) {
  ChoiceRecord c;
  c.goal = "size";
  c.candidates = std::move(candidates);
  return c;
}

/// The four, with what auto takes of each: rcm for a (150 to 100 bytes), none for b (150, rcm 300) and wide.
std::vector<AnalyzeRecord> chosen_records() {
  std::vector<AnalyzeRecord> records = four_records();
  records[0].choice = choice({candidate("rcm", 100), candidate("none", 150), candidate("rcm", 160)});
  records[1].choice = choice({candidate("none", 150), candidate("none", 200), candidate("rcm", 300)});
  records[2].choice = choice({candidate("none", 200)});
  return records;
}

TEST(Summary, AutoIsCountedAsTheOrderThatItTakes) {
  const Summary s = summarize(chosen_records());
  const SelectionSummary& all = s.selections[0];
  ASSERT_EQ(all.classes.size(), 3u);
  EXPECT_EQ(all.classes[2].ordering, "auto");
  expect_counts(all.classes[2], 2, 0, 1, 0);  // a after rcm, b and wide as they are
  ASSERT_EQ(all.compositions.size(), 2u);
  const Composition& c = all.compositions[1];
  EXPECT_EQ(c.ordering, "auto");
  EXPECT_EQ(c.counts[1][0], 1u);
  EXPECT_EQ(c.counts[0][0], 1u);
  EXPECT_EQ(c.counts[2][2], 1u);
  EXPECT_EQ(c.better, 1u);
  EXPECT_EQ(c.worse, 0u);
  ASSERT_EQ(all.auto_takes.size(), 2u);
  EXPECT_EQ(all.auto_takes[0].first, "none");
  EXPECT_EQ(all.auto_takes[0].second, 2u);
  EXPECT_EQ(all.auto_takes[1].first, "rcm");
  EXPECT_EQ(s.orderings, (std::vector<std::string>{"none", "rcm"}));  // those that were run
}

void expect_changes(const ByteChanges& c, std::uint64_t smaller, std::uint64_t same, std::uint64_t larger) {
  EXPECT_EQ(c.smaller, smaller);
  EXPECT_EQ(c.same, same);
  EXPECT_EQ(c.larger, larger);
  EXPECT_EQ(c.matrices, smaller + same + larger);
}

TEST(Summary, BytesAreComparedWithTheOriginalOrder) {
  std::vector<AnalyzeRecord> records = chosen_records();
  FootprintRecord& after = records[1].orderings[1].second.footprint[1].second;  // b in opt-csr: 60 of index, 150 in all
  after.index_bytes = 80;
  after.total_bytes = 170;
  after.values = {{"raw", 90}, {"lut8", 10}, {"iso", {}}};
  const SelectionSummary all = summarize(records).selections[0];
  ASSERT_EQ(all.bytes.size(), 2u);
  const OrderBytes &rcm = all.bytes[0], &taken = all.bytes[1];
  expect_changes(rcm.chosen, 1, 0, 1);  // wide has no rcm
  EXPECT_EQ(rcm.chosen.before_bytes, 300u);
  EXPECT_EQ(rcm.chosen.after_bytes, 400u);
  EXPECT_NEAR(rcm.chosen.mean_ratio, std::sqrt(100.0 / 150 * 300.0 / 150), 1e-12);
  EXPECT_DOUBLE_EQ(rcm.chosen.worst_ratio, 2);
  EXPECT_EQ(rcm.chosen.worst_name, "b");
  expect_changes(rcm.smallest, 1, 1, 0);  // b: 150 to 80 + 10
  EXPECT_EQ(rcm.smallest.after_bytes, 150u + 90u);
  EXPECT_EQ(taken.ordering, "auto");
  expect_changes(taken.chosen, 1, 2, 0);
  EXPECT_EQ(taken.chosen.after_bytes, 450u);
  expect_changes(taken.smallest, 0, 3, 0);
}

TEST(Summary, BytesOfASampleAreNotCompared) {
  std::vector<AnalyzeRecord> records = chosen_records();
  records[0].choice->candidates[0].exact = false;
  const SelectionSummary all = summarize(records).selections[0];
  EXPECT_EQ(all.bytes[0].chosen.matrices, 1u);  // of rcm: b
  EXPECT_EQ(all.bytes[1].chosen.matrices, 2u);  // of auto: b and wide
}

/// Where time counts, the best of an order is the fastest; the one that is taken stands first whatever its place.
TEST(Summary, TheBestOfAnOrderGoesByTheGoal) {
  std::vector<AnalyzeRecord> records = chosen_records();
  records[0].choice = choice({candidate("rcm", 140), candidate("rcm", 170), candidate("none", 150)});
  records[0].choice->goal = "spmv";
  records[0].choice->declined = "rcm would take 170 bytes";
  for (std::size_t i = 0; i < 3; ++i) records[0].choice->candidates[i].predicted_seconds = std::array{2.0, 1.0, 3.0}[i];
  const SelectionSummary all = summarize(records).selections[0];
  EXPECT_EQ(all.bytes[0].chosen.after_bytes, 170u + 300u);  // rcm, were it taken blindly
  EXPECT_EQ(all.bytes[1].chosen.after_bytes, 140u + 150u + 200u);
  EXPECT_EQ(all.auto_declined, 1u);
}

TEST(Summary, RecordsWithoutAChoiceShowNoAuto) {
  const SelectionSummary all = summarize(four_records()).selections[0];
  EXPECT_EQ(all.classes.size(), 2u);
  ASSERT_EQ(all.bytes.size(), 1u);
  EXPECT_EQ(all.bytes[0].chosen.matrices, 0u);
  EXPECT_EQ(all.bytes[0].smallest.matrices, 2u);
  EXPECT_TRUE(all.auto_takes.empty());
}

TEST(Summary, IndexBytesAreThoseOfMatricesThatAreNotTiny) {
  std::vector<AnalyzeRecord> records = four_records();
  records[0].matrix.nnz = 32768;
  records[0].matrix.rows = 3276;
  records[1].matrix.nnz = 40000;
  records[1].matrix.rows = 4001;  // fewer than 10 a row
  records[2].matrix.nnz = 32767;
  records[2].matrix.rows = 10;
  const auto set_sizes = [](AnalyzeRecord& record, double of_opt_csr) {
    auto& footprint = record.orderings[0].second.footprint;
    const auto nnz = static_cast<double>(record.matrix.nnz);
    footprint[0].second.index_bytes = static_cast<std::uint64_t>(4 * nnz);
    footprint[0].second.total_bytes = static_cast<std::uint64_t>(12 * nnz);
    footprint[1].second.total_bytes = static_cast<std::uint64_t>((8 + of_opt_csr) * nnz);
  };
  set_sizes(records[0], 0.5);
  Summary s = summarize(records);
  ASSERT_EQ(s.index_bytes.size(), 2u);
  EXPECT_EQ(s.index_bytes[1].format, "opt-csr");
  EXPECT_EQ(s.index_bytes[1].matrices, 1u);
  EXPECT_DOUBLE_EQ(s.index_bytes[1].mean, 0.5);
  EXPECT_EQ(s.index_bytes[1].above_csr, 0u);
  records[1].matrix.rows = 4000;
  set_sizes(records[1], 8);
  s = summarize(records);
  EXPECT_DOUBLE_EQ(s.index_bytes[1].mean, 2);
  EXPECT_DOUBLE_EQ(s.index_bytes[1].most, 8);
  EXPECT_EQ(s.index_bytes[1].above_csr, 1u);
}

TEST(Summary, ReductionFactorsAreCsrOverFormat) {
  const Summary s = summarize(four_records());
  ASSERT_EQ(s.footprints.size(), 4u);
  const FormatSummary& none = s.footprints[2];
  EXPECT_EQ(none.format, "opt-csr");
  EXPECT_EQ(none.ordering, "none");
  EXPECT_EQ(none.matrices, 2u);
  EXPECT_EQ(none.left_out, 1u);
  EXPECT_DOUBLE_EQ(none.model_index.mean, (2.0 + 2.5) / 2);
  EXPECT_DOUBLE_EQ(none.model_index.median, 2.25);
  EXPECT_DOUBLE_EQ(none.model_index.best, 2.5);
  EXPECT_EQ(none.model_index.best_name, "b");
  EXPECT_EQ(none.model_index.smaller, 2u);
  EXPECT_DOUBLE_EQ(none.index.mean, 2.0);
  EXPECT_EQ(none.index.best_name, "a");  // equal factors: the first by name
  EXPECT_EQ(none.total_bytes, 300u);
  EXPECT_EQ(none.csr_total_bytes, 400u);
  const FormatSummary& rcm = s.footprints[3];
  EXPECT_DOUBLE_EQ(rcm.model_index.mean, (4.0 + 1.0) / 2);
  EXPECT_EQ(rcm.model_index.smaller, 1u);  // equal is not smaller
}

TEST(Summary, AFormatOfNoBytesHasNoFactor) {
  std::vector<AnalyzeRecord> records = four_records();
  records[0].orderings[0].second.footprint[1].second.model_index_bytes = 0;
  const Summary s = summarize(records);
  EXPECT_EQ(s.footprints[2].model_index.matrices, 1u);
  EXPECT_DOUBLE_EQ(s.footprints[2].model_index.mean, 2.5);
  EXPECT_EQ(s.footprints[2].model_index.smaller, 2u);
}

TEST(Summary, BestCountsChoicesMostFrequentFirst) {
  const BestSummary best = summarize(four_records()).best;
  EXPECT_EQ(best.matrices, 3u);
  EXPECT_EQ(best.total_bytes, 420u);
  EXPECT_EQ(best.csr_total_bytes, 600u);
  ASSERT_EQ(best.formats.size(), 2u);
  EXPECT_EQ(best.formats[0].first, "opt-csr");
  EXPECT_EQ(best.formats[0].second, 2u);
  EXPECT_EQ(best.orderings[0].first, "none");
  EXPECT_EQ(best.choices[0].first, "csr / none / raw");  // of equals, the first by name
}

TEST(Summary, CountsWhatAutoTakes) {
  std::vector<AnalyzeRecord> records = chosen_records();
  records[1].choice->candidates[0].exact = false;
  for (AnalyzeRecord& r : records)
    if (r.choice)
      for (CandidateRecord& c : r.choice->candidates) {
        c.format = "sell";
        c.parameters = "c=8";
        c.values = "raw";
      }
  const TakenSummary taken = summarize(records).taken;
  EXPECT_EQ(taken.matrices, 3u);
  EXPECT_EQ(taken.total_bytes, 100u + 150u + 200u);
  EXPECT_EQ(taken.csr_total_bytes, summarize(records).best.csr_total_bytes);
  EXPECT_EQ(taken.goal, "size");
  EXPECT_EQ(taken.estimated, 1u);
  ASSERT_EQ(taken.choices.size(), 2u);
  EXPECT_EQ(taken.choices[0], (std::pair<std::string, std::uint64_t>("sell:c=8 / none / raw", 2)));
  EXPECT_EQ(taken.choices[1], (std::pair<std::string, std::uint64_t>("sell:c=8 / rcm / raw", 1)));
  records[0].choice->goal = "spmv";
  EXPECT_EQ(summarize(records).taken.goal, "") << "they differ";
  EXPECT_EQ(summarize(four_records()).taken.matrices, 0u);
}

TEST(Summary, FormatsAreNamedWithTheParametersTheyWereMeasuredWith) {
  std::vector<AnalyzeRecord> records = four_records();
  EXPECT_TRUE(summarize(records).measured_as.empty());
  records[0].orderings[1].second.footprint[1].second.parameters = records[0].best.parameters = "index=delta";
  const Summary s = summarize(records);
  ASSERT_EQ(s.measured_as.size(), 1u);
  EXPECT_EQ(s.measured_as[0].first, "opt-csr");
  EXPECT_EQ(s.measured_as[0].second, (std::vector<std::string>{"opt-csr", "opt-csr:index=delta"}));
  ASSERT_EQ(s.best.choices.size(), 3u);
  EXPECT_EQ(s.best.choices[2].first, "opt-csr:index=delta / rcm / lut8");
  EXPECT_EQ(s.best.formats[0].first, "opt-csr");  // both together
  EXPECT_EQ(s.best.formats[0].second, 2u);
  const std::string text = paper_text(s);
  EXPECT_NE(text.find("opt-csr was measured as opt-csr and opt-csr:index=delta\n"), std::string::npos);
  EXPECT_NE(text.find("\nopt-csr:index=delta / rcm / lut8"), std::string::npos);
  const auto json = nlohmann::json::parse(summary_json(s));
  EXPECT_EQ(json["measured_as"], nlohmann::json({{"opt-csr", {"opt-csr", "opt-csr:index=delta"}}}));
  EXPECT_EQ(json["best"]["choices"]["opt-csr:index=delta / rcm / lut8"], 1);
}

TEST(Summary, DoesNotDependOnTheOrderOfRecords) {
  std::vector<AnalyzeRecord> records = sample_records(80);
  const std::string before = summary_json(summarize(records));
  std::stable_partition(records.begin() + 1, records.end(),
                        [](const AnalyzeRecord& r) { return r.matrix.nnz % 2 == 0; });
  const auto strip = [](const std::string& text) {  // sums of doubles and the list of errors follow the order
    auto json = nlohmann::json::parse(text);
    json["collection"].erase("seconds");
    json.erase("ordering_effects");
    json.erase("errors");
    for (auto& footprint : json["footprints"]) {
      for (auto& reduction : footprint["reduction"]) reduction.erase("mean");
    }
    return json;
  };
  EXPECT_EQ(strip(summary_json(summarize(records))), strip(before));
}

TEST(Summary, EffectsCompareBandwidths) {
  const Summary s = summarize(four_records());
  ASSERT_EQ(s.effects.size(), 1u);
  EXPECT_EQ(s.effects[0].narrower, 1u);
  EXPECT_EQ(s.effects[0].wider, 1u);
  EXPECT_EQ(s.effects[0].same, 0u);
  EXPECT_EQ(s.effects[0].left_out, 1u);
  EXPECT_NEAR(s.effects[0].mean_bandwidth_ratio, std::sqrt(0.25 * 2.0), 1e-12);
}

TEST(Summary, NothingGivesZerosAndStillPrints) {
  const Summary s = summarize({});
  EXPECT_EQ(s.analysed, 0u);
  EXPECT_NE(collection_text(s).find("0 matrices analysed"), std::string::npos);
  EXPECT_FALSE(paper_text(s).empty());
  EXPECT_TRUE(nlohmann::json::accept(summary_json(s)));
}

TEST(Summary, PaperTableAddsUpToItsSelection) {
  for (const PaperClasses& row : paper_table_1) {
    EXPECT_EQ(row.paper.bits8 + row.paper.bits16 + row.paper.bits32, paper_matrices);
    if (!row.from_index) continue;
    EXPECT_EQ(row.from_index->bits8 + row.from_index->bits16 + row.from_index->bits32 + row.unknown, paper_matrices);
    EXPECT_EQ(row.paper.bits8 - row.from_index->bits8, 15u);  // what the remark says
    EXPECT_EQ(row.paper.bits16, row.from_index->bits16);
  }
}

TEST(Summary, JsonHoldsTheCounts) {
  const auto json = nlohmann::json::parse(summary_json(summarize(four_records())));
  EXPECT_EQ(json["schema_version"], schema_version);
  EXPECT_EQ(json["collection"]["analysed"], 3);
  EXPECT_EQ(json["collection"]["errors"], 1);
  EXPECT_EQ(json["selections"][0]["classes"][1]["matrices"], nlohmann::json({{"8", 1}, {"16", 1}, {"32", 0}}));
  EXPECT_EQ(json["selections"][0]["compositions"][0]["counts"][1], nlohmann::json({1, 0, 0}));
  EXPECT_EQ(json["footprints"][2]["reduction"]["model_index_bytes"]["best_name"], "b");
  EXPECT_EQ(json["best"]["choices"]["csr / none / raw"], 1);
  EXPECT_EQ(json["paper_002"]["table_1"][0]["paper"]["8"], 116);
  const auto chosen = nlohmann::json::parse(summary_json(summarize(chosen_records())));
  EXPECT_EQ(chosen["selections"][0]["classes"][2]["ordering"], "auto");
  EXPECT_EQ(chosen["selections"][0]["order_bytes"][0]["chosen"]["larger"], 1);
  EXPECT_EQ(chosen["selections"][0]["order_bytes"][1]["ordering"], "auto");
  EXPECT_EQ(chosen["selections"][0]["order_bytes"][1]["chosen"]["larger"], 0);
  EXPECT_EQ(chosen["selections"][0]["auto"], nlohmann::json({{"takes", {{"none", 2}, {"rcm", 1}}}, {"declined", 0}}));
  EXPECT_EQ(chosen["index_bytes_per_nnz"]["least_entries"], 32768);
  EXPECT_EQ(chosen["kind"], "summary");
}

/// What a terminal shows: characters, not bytes.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0, column = 0;
  for (const char c : text) {
    column = c == '\n' ? 0 : column + ((static_cast<unsigned char>(c) & 0xC0) != 0x80);
    longest = std::max(longest, column);
  }
  return longest;
}

TEST(Summary, IsTheSameWhenItsJsonIsRead) {
  std::vector<AnalyzeRecord> records = sample_records(80);
  records[0].orderings[1].second.footprint[1].second.parameters = "index=delta";
  Summary s = summarize(records, sample_papers());
  s.digest = "0123456789abcdef";
  const auto read = parse_summary(summary_json(s));
  ASSERT_TRUE(read) << read.error;
  EXPECT_EQ(summary_json(*read.record), summary_json(s));
  EXPECT_EQ(paper_text(*read.record), paper_text(s));
  EXPECT_EQ(collection_text(*read.record), collection_text(s));
}

TEST(Summary, OtherJsonIsNone) {
  auto json = nlohmann::json::parse(summary_json(summarize(four_records())));
  EXPECT_TRUE(parse_summary(json.dump()));
  for (const char* optional : {"kind", "digest", "measured_as", "auto", "paper_formats"}) json.erase(optional);
  EXPECT_TRUE(parse_summary(json.dump())) << "as earlier versions wrote it";
  json["selections"][0]["compositions"][0]["counts"].erase(2);
  EXPECT_EQ(parse_summary(json.dump()).error, "selections[0].compositions[0].counts: must hold 3 items");
  json["best"].erase("choices");
  json.erase("selections");
  EXPECT_EQ(parse_summary(json.dump()).error, "selections: is missing");
  EXPECT_FALSE(parse_summary("[]"));
}

TEST(SummaryText, FitsAHundredColumnsWithoutCodes) {
  std::vector<AnalyzeRecord> records = sample_records(400);
  const std::string text = paper_text(summarize(records));
  EXPECT_LE(longest_line(text), 100u);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(text.find("116 / 931 / 360  101 / 931 / 375"), std::string::npos);
  EXPECT_NE(paper_text(summarize(records), {.colour = true}).find("\033[1m"), std::string::npos);
}

TEST(SummaryText, TableOfTheSmallCollection) {
  const std::string text = paper_text(summarize(four_records()));
  EXPECT_NE(text.find("strategy  ordering  8 bits  16 bits  32 bits  left out\n"
                      "--------  --------  ------  -------  -------  --------\n"
                      "delta     none           1        1        1         0\n"
                      "delta     rcm            1        1        0         1\n"),
            std::string::npos)
      << text;
}

TEST(SummaryText, ShowsWhatEachOrderMakesWorse) {
  const std::string text = paper_text(summarize(chosen_records()));
  EXPECT_NE(text.find("ordering  delta  left out\n"
                      "--------  -----  --------\n"
                      "rcm           1         1\n"
                      "auto          0         0\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("rcm              2        1     0       1       133.3%        1.15   2.00  b\n"
                      "auto             3        1     2       0        90.0%        0.87   1.00  b\n"
                      "auto takes none for 2, rcm for 1\n"),
            std::string::npos)
      << text;
}

TEST(SummaryText, NamesCannotSteerTheTerminal) {
  std::vector<AnalyzeRecord> records = four_records();
  records[1].matrix.name = "b\033[2J\xC2\x9B";
  records[3].error = "bad\nline";
  const std::string text = paper_text(summarize(records)) + collection_text(summarize(records));
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos);
  EXPECT_NE(text.find("b\\x1b[2J\\xc2\\x9b"), std::string::npos);
  EXPECT_NE(text.find("bad\\nline"), std::string::npos);
}

TEST(TextTable, AlignsByCharacters) {
  TextTable table({{"name", Align::left}, {"n"}});
  table.row({"Größe", "1"});
  table.row({"x", "1,000"});
  EXPECT_EQ(table.str(), "name       n\n-----  -----\nGröße      1\nx      1,000\n");
}

TEST(TextTable, NumbersForPeople) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18446744073709551615u), "18,446,744,073,709,551,615");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1.00 kB");
  EXPECT_EQ(bytes_text(12345), "12.3 kB");
  EXPECT_EQ(bytes_text(999499), "999 kB");
  EXPECT_EQ(bytes_text(999999), "1.00 MB");
  EXPECT_EQ(bytes_text(18446744073709551615u), "18.4 EB");
  EXPECT_EQ(shown("abcdef", 4), "abc…");
  EXPECT_EQ(shown("行列行列", 4), "行列行列");
  EXPECT_EQ(shown("行列行列行", 4), "行列行…");
  EXPECT_EQ(shown("a\nb", 4), "a\\nb");
}

}  // namespace
}  // namespace spress::reports
