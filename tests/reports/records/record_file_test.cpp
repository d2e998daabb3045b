#include "reports/records/record_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/html/page_data.hpp"
#include "reports/records/summary.hpp"
#include "tests/reports/sample.hpp"

namespace spress::reports {
namespace {

std::string mixed_lines() {
  AnalyzeRecord analysed = sample_records(1)[0];
  analysed.matrix.name =
      "\"machine\":{} \"right_hand_side\": \"pinned_gb_per_s\":";  // text that looks like a key is none
  const Measurements measured = sample_measurements(1);
  return to_json_line(analysed) + "\n" + to_json_line(measured.bench[0]) + "\n\n" + to_json_line(measured.solve[0]) +
         "\n" + to_json_line(measured.bench[1]) + "\n" + to_json_line(measured.transfer[0]) + "\n";
}

TEST(RecordFile, TellsItsLinesApart) {
  std::istringstream in(mixed_lines());
  const RecordFile file = read_record_file(in);
  EXPECT_TRUE(file.bad_lines.empty());
  EXPECT_FALSE(file.ends_torn);
  ASSERT_EQ(file.analyze.size(), 1u);
  EXPECT_EQ(file.analyze[0].matrix.name, "\"machine\":{} \"right_hand_side\": \"pinned_gb_per_s\":");
  ASSERT_EQ(file.measured.bench.size(), 2u);
  EXPECT_EQ(file.measured.bench[0].formats.size(), 6u);
  EXPECT_EQ(file.measured.bench[1].error, "no such file");  // an error of bench is none of analyze
  ASSERT_EQ(file.measured.transfer.size(), 1u);
  EXPECT_EQ(file.measured.transfer[0].formats[2].route, "packed");
  ASSERT_EQ(file.measured.solve.size(), 1u);
  EXPECT_EQ(file.measured.solve[0].formats[2].switched_at, 40u);
}

/// As earlier states wrote it.
std::string without_kind(const std::string& line) {
  auto json = nlohmann::json::parse(line);
  json.erase("kind");
  return json.dump();
}

TEST(RecordFile, TellsOldLinesApartByTheirKeys) {
  std::istringstream lines(mixed_lines());
  std::string old;
  for (std::string line; std::getline(lines, line);) old += (line.empty() ? "" : without_kind(line)) + "\n";
  std::istringstream in(old);
  const RecordFile file = read_record_file(in);
  EXPECT_TRUE(file.bad_lines.empty());
  EXPECT_EQ(file.analyze.size(), 1u);
  EXPECT_EQ(file.measured.bench.size(), 2u);
  EXPECT_EQ(file.measured.transfer.size(), 1u);
  EXPECT_EQ(file.measured.solve.size(), 1u);
}

TEST(RecordFile, FindsTheGeneratorOfOldLinesInTheirPaths) {
  BenchRecord bench;
  bench.path = "gen:stencil27,n=160,values=noise,share=0.25";
  AnalyzeRecord analysed = sample_records(1)[0];
  analysed.matrix.path = "gen:tridiag";
  BenchRecord from_file;
  from_file.path = "dir/gen:toy,n=3.mtx";
  std::istringstream in(without_kind(to_json_line(bench)) + "\n" + without_kind(to_json_line(analysed)) + "\n" +
                        without_kind(to_json_line(from_file)) + "\n" + to_json_line(bench));
  const RecordFile file = read_record_file(in);
  ASSERT_TRUE(file.bad_lines.empty()) << file.bad_lines[0].error;
  ASSERT_EQ(file.measured.bench.size(), 3u);
  const auto& generator = file.measured.bench[0].generator;
  ASSERT_TRUE(generator.has_value());
  EXPECT_EQ(generator->name, "stencil27");
  const Ordered<ParameterValue> parameters = {{"n", std::uint64_t{160}}, {"values", "noise"}, {"share", 0.25}};
  EXPECT_EQ(generator->parameters, parameters);
  EXPECT_EQ(file.analyze[0].matrix.generator->name, "tridiag");
  EXPECT_TRUE(file.analyze[0].matrix.generator->parameters.empty());
  EXPECT_FALSE(file.measured.bench[1].generator.has_value());
  EXPECT_FALSE(file.measured.bench[2].generator.has_value()) << "a record with a kind is not guessed at";
}

TEST(RecordFile, RefusesKindsThatItDoesNotKnow) {
  std::istringstream in("{\"kind\":\"verify\"}\n{\"kind\":3}\n[]\n{\n{\"kind\":\"bench\",\"right_hand_side\":\"\"}\n");
  const RecordFile file = read_record_file(in);
  ASSERT_EQ(file.bad_lines.size(), 5u);
  EXPECT_EQ(file.bad_lines[0].error, "kind: 'verify' is none of analysis, bench, transfer and solve");
  EXPECT_EQ(file.bad_lines[1].error, "kind: must be a string, not number");
  EXPECT_EQ(file.bad_lines[2].error, "must be an object, not array");
  EXPECT_EQ(file.bad_lines[3].error.find("not a JSON document: "), 0u);
  EXPECT_EQ(file.bad_lines[4].error.find("not a record of 'spress bench': "), 0u) << "the kind counts, not the keys";
}

TEST(RecordFile, NamesTheLineAndTheSubcommandOfWhatItCannotRead) {
  std::istringstream in(mixed_lines() +
                        "{\"machine\" : 3}\n{\"pinned_gb_per_s\":null}\n{\"right_hand_side\":\"\"}\n{}");
  const RecordFile file = read_record_file(in);
  ASSERT_EQ(file.bad_lines.size(), 4u);
  EXPECT_EQ(file.bad_lines[0].number, 7u);
  EXPECT_EQ(file.bad_lines[0].error.find("not a record of 'spress bench': "), 0u);
  EXPECT_EQ(file.bad_lines[1].error.find("not a record of 'spress transfer': "), 0u);
  EXPECT_EQ(file.bad_lines[2].error.find("not a record of 'spress solve': "), 0u);
  EXPECT_EQ(file.bad_lines[3].error, "not a record of 'spress analyze': schema_version: is missing");
  EXPECT_FALSE(file.ends_torn);  // complete, though its line end is missing
}

TEST(RecordFile, ALastLineThatIsCutIsTorn) {
  for (const auto* end : {"{\"kind\":\"ben", "{\"kind\":\"bench\"}\n{"}) {
    std::istringstream in(end);
    EXPECT_TRUE(read_record_file(in).ends_torn) << end;
  }
  std::istringstream whole("{\"kind\":\"ben\n");
  EXPECT_FALSE(read_record_file(whole).ends_torn);
}

TEST(RecordFile, TellsASummaryFromRecords) {
  const std::string summary = summary_json(summarize(sample_records(1)));
  EXPECT_TRUE(is_summary(summary));
  EXPECT_TRUE(is_summary(nlohmann::json::parse(summary).dump()));
  EXPECT_FALSE(is_summary(to_json_line(sample_records(1)[0])));
  EXPECT_FALSE(is_summary("{\n\"selections\":[]}\n"));
  EXPECT_FALSE(is_summary("{\n\"schema_version\":\"1\",\"collection\":{},\"selections\":[]}\n"));
  EXPECT_FALSE(is_summary("{\n"));
  EXPECT_FALSE(is_summary(""));
}

TEST(PageData, HoldsMeasurementsAsTheirRecordsAre) {
  const Measurements measured = sample_measurements(3);
  const auto data = nlohmann::json::parse(page_data({}, "bench.jsonl", measured));
  EXPECT_EQ(data["bench"].size(), 9u);
  EXPECT_EQ(data["bench"][0], nlohmann::json::parse(to_json_line(measured.bench[0])));
  EXPECT_EQ(data["bench"][0]["machine"]["threads"], 1);
  EXPECT_EQ(data["bench"][0]["formats"][5]["peer"], true);
  EXPECT_EQ(data["transfer"][2], nlohmann::json::parse(to_json_line(measured.transfer[2])));
  EXPECT_EQ(data["solve"][1]["formats"][0]["iterations"], 321);
  EXPECT_EQ(page_data({}, "", measured).find('<'), std::string::npos);
}

}  // namespace
}  // namespace spress::reports
