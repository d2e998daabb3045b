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

TEST(ChoiceText, ALineForEachCandidateThatIsAskedFor) {
  const std::string all = choice_text("m", choice(), 246'912, 9), one = choice_text("m", choice(), 0, 1);
  EXPECT_NE(all.find("sell:sigma=1"), std::string::npos);
  EXPECT_NE(all.find("0.500"), std::string::npos);
  EXPECT_NE(all.find("about"), std::string::npos);
  EXPECT_NE(all.find("declined: rcm would"), std::string::npos);
  EXPECT_NE(all.find("coo: left out"), std::string::npos);
  EXPECT_NE(all.find("exact bytes in 125"), std::string::npos);
  EXPECT_EQ(all.find("more:"), std::string::npos);
  EXPECT_NE(one.find("2 more"), std::string::npos);
  EXPECT_EQ(one.find("csr"), std::string::npos);
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
