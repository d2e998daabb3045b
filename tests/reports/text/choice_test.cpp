// What auto chose, in records and as text; calibrations as JSON.
#include <gtest/gtest.h>

#include "reports/records/calibration_record.hpp"
#include "reports/text/choice_text.hpp"

namespace spress::reports {
namespace {

ChoiceRecord choice() {
  ChoiceRecord record;
  record.goal = "spmv";
  record.device = "a GPU";
  record.calibration = "shipped";
  record.seconds = 0.25;
  record.csr_products = 4;
  record.declined = "rcm would take 9 bytes";
  record.exact_seconds = 0.125;
  record.notes = {"coo: left out"};
  CandidateRecord first;
  first.ordering = "none";
  first.format = "sell";
  first.parameters = "sigma=1";
  first.values = "lut8";
  first.total_bytes = 123'456;
  first.exact = true;
  first.predicted_seconds = 0.002;
  CandidateRecord second = first;
  second.format = "csr";
  second.parameters = "";
  second.exact = false;
  record.candidates = {first, second, second};
  return record;
}

TEST(ChoiceRecords, GoThroughJson) {
  BenchRecord record;
  record.name = "m";
  record.choice = choice();
  record.choice->behind_best = 0.03;
  const auto again = parse_bench_record(to_json_line(record));
  ASSERT_TRUE(again) << again.error;
  ASSERT_TRUE(again.record->choice.has_value());
  const ChoiceRecord& c = *again.record->choice;
  EXPECT_EQ(to_json_line(c), to_json_line(*record.choice));
  EXPECT_EQ(c.candidates[0].parameters, "sigma=1");
  EXPECT_EQ(c.notes, record.choice->notes);
  EXPECT_EQ(c.exact_seconds, 0.125);
  EXPECT_DOUBLE_EQ(*c.behind_best, 0.03);
  record.choice.reset();
  EXPECT_FALSE(parse_bench_record(to_json_line(record)).record->choice.has_value());
}

/// CSR takes 246,912 bytes; the smallest format of all, toy, 100,000.
AnalyzeRecord chosen() {
  AnalyzeRecord record;
  record.matrix.field = "real";
  OrderingRecord none;
  FootprintRecord csr;
  csr.total_bytes = 246'912;
  none.footprint = {{"csr", csr}};
  record.orderings = {{"none", none}};
  record.best = {"toy", "none", "raw", 100'000, ""};
  record.choice = choice();
  return record;
}

TEST(ChoiceText, ALineForEachCandidate) {
  const std::string text = choice_text(chosen());
  for (const char* part :
       {"sell:sigma=1", "0.500", "about", "declined: rcm would", "coo: left out", "exact bytes in 125"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(text.find("more,"), std::string::npos);
  AnalyzeRecord resumed = chosen();
  resumed.choice->left_out = 7;
  EXPECT_NE(choice_text(resumed).find("7 more, not in the records: --fresh"), std::string::npos);
}

TEST(ChoiceSentences, SayWhatIsTakenAndWhy) {
  AnalyzeRecord record = chosen();
  record.choice->declined.clear();
  record.choice->candidates[1].values = "raw";
  record.choice->candidates[1].predicted_seconds = 0.0025;
  EXPECT_EQ(choice_sentences(record),
            "auto takes sell:sigma=1 with lut8 values in the original order: 123,456 bytes, 50.0% of csr. It has the "
            "fastest predicted matrix-vector product of the 3 combinations of order, format and values compared: 2 ms, "
            "csr 2.5 ms.");
  record.choice->goal = "memory";
  record.choice->left_out = 39;
  record.choice->not_considered = {"toy"};
  EXPECT_EQ(choice_sentences(record),
            "auto takes sell:sigma=1 with lut8 values in the original order: 123,456 bytes, 50.0% of csr. It has the "
            "fewest bytes in memory of the 42 combinations of order, format and values compared. toy is smaller "
            "(100,000 bytes), but auto leaves it out, because its products are slow.");
  record.choice->not_considered.clear();
  EXPECT_NE(choice_sentences(record).find("the fewest bytes in memory, by estimates of sizes, of"), std::string::npos);
  EXPECT_NE(choice_sentences(record).find("but its estimate was larger; --exact compares exact sizes."),
            std::string::npos);
  record.best.total_bytes = 123'456;
  EXPECT_EQ(choice_sentences(record).find("smaller"), std::string::npos);
}

TEST(ChoiceSentences, TellEstimatesOrdersAndWhatWasDeclined) {
  AnalyzeRecord record = chosen();
  record.matrix.field = "pattern";
  record.choice->candidates = {record.choice->candidates[1]};
  record.choice->candidates[0].ordering = "rcm";
  EXPECT_EQ(choice_sentences(record),
            "auto takes csr in rcm order: about 123,456 bytes, 50.0% of csr. It had nothing else to compare. It passed "
            "over a faster one: rcm would take 9 bytes.");
}

TEST(CalibrationRecords, GoThroughJson) {
  CalibrationRecord record;
  record.device = "cuda";
  record.machine.device = "a GPU";
  record.cache_bytes = 50'000'000;
  record.link_gb_per_s = 55;
  record.scales = 7;
  record.places = {{1.5, 2, 3, 4, 5, 6, 7, 8}, {0, 0, 0, 0, 0, 0, 0, 0}};
  FormatPricesRecord format;
  format.format = "csr";
  format.type = "double";
  format.prices = {{"launch", 1e-6}, {"rows", 2e-12}};
  format.products = 3;
  format.weights = {{"raw", {0, 1}, {0.25, -0.5}, {}}, {"lut8", {1}, {2}, {0.125}}};
  record.formats = {format};
  const auto again = parse_calibration_record(to_json_line(record));
  ASSERT_TRUE(again) << again.error;
  EXPECT_EQ(to_json_line(*again.record), to_json_line(record));
  EXPECT_EQ(again.record->places, record.places);
  EXPECT_EQ(again.record->formats.at(0).weights.at(1).padding, std::vector<double>{0.125});
  record.device = "toaster";
  EXPECT_NE(parse_calibration_record(to_json_line(record)).error.find("cpu or cuda"), std::string::npos);
}

}  // namespace
}  // namespace spress::reports
