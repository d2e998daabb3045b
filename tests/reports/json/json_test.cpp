#include "reports/json/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "formats/json/text.hpp"
#include "reports/records/transfer_record.hpp"

namespace spress::reports {
namespace {

using Json = nlohmann::ordered_json;

OrderingRecord small_ordering() {
  OrderingRecord o;
  o.seconds = 0.25;
  o.bandwidth = 7;
  o.profile = 19;
  o.max_wavefront = 3;
  o.rms_wavefront = 2.5;
  o.index_classes.push_back({"direct", {16, {1, 2, 0}, {3, 40, 0}}});
  o.index_classes.push_back({"delta-anchored", {8, {3, 0, 0}, {43, 0, 0}}});
  o.blocks_8x8 = {12, 3.5};
  o.footprint.push_back(
      {"csr", {188, 188, 532, 1.0, "", {{"raw", 532}, {"narrow", {}}, {"lut8", 240}, {"iso", {}}}, ""}});
  o.footprint.push_back({"opt-csr", {66, 82, 426, 0.8, "index=delta", {{"raw", 426}}, ""}});
  o.footprint.push_back({"bmsparse", {0, 0, 0, 0, "", {}, "more than 2^32 blocks"}});
  o.spy = {2, "9105"};
  return o;
}

AnalyzeRecord small_record() {
  AnalyzeRecord r;
  r.tool = {"0.1.0", "abc123"};
  r.matrix.name = "tiny";
  r.matrix.path = "dir/tiny.mtx";
  r.matrix.rows = 3;
  r.matrix.cols = 300;
  r.matrix.nnz = 43;
  r.matrix.stored_entries = 43;
  r.matrix.field = "real";
  r.matrix.symmetry = "general";
  r.matrix.distinct_values = 5;
  r.matrix.values = {5, 1.0, 1.0, 0.5};
  r.matrix.max_row_nnz = 20;
  r.orderings.push_back({"none", small_ordering()});
  OrderingRecord rcm;
  rcm.status = "not_applicable";
  rcm.reason = "the matrix is not square";
  r.orderings.push_back({"rcm", rcm});
  r.best = {"csr", "none", "lut8", 240, "c=32"};
  r.seconds = 0.5;
  r.key = {"/data/dir/tiny.mtx", 1234, -5, "orderings=none,rcm"};
  return r;
}

// The contract, key by key and in its order.
TEST(Json, AnalyzeRecordHasTheKeysOfTheContract) {
  const std::string expected =
      R"({"schema_version":1,"kind":"analysis","tool":{"version":"0.1.0","commit":"abc123"},)"
      R"("matrix":{"name":"tiny","path":"dir/tiny.mtx","rows":3,"cols":300,"nnz":43,"stored_entries":43,"field":"real",)"
      R"("symmetry":"general","pattern_symmetric":false,"explicit_zeros":0,"duplicates":0,"distinct_values":5,)"
      R"("values":{"distinct":5,"coverage_256":1.0,"coverage_65536":1.0,"exact_in_float":0.5},)"
      R"("empty_rows":0,"max_row_nnz":20},)"
      R"("orderings":{"none":{"status":"ok","seconds":0.25,"bandwidth":7,"profile":19,"max_wavefront":3,"rms_wavefront":2.5,)"
      R"("index_classes":{"direct":{"matrix_bits":16,"rows":{"8":1,"16":2,"32":0},"nnz":{"8":3,"16":40,"32":0}},)"
      R"("delta-anchored":{"matrix_bits":8,"rows":{"8":3,"16":0,"32":0},"nnz":{"8":43,"16":0,"32":0}}},)"
      R"("blocks_8x8":{"count":12,"nnz_per_block":3.5},)"
      R"("footprint":{"csr":{"model_index_bytes":188,"index_bytes":188,"total_bytes":532,"ratio_to_csr":1.0,)"
      R"("values":{"raw":532,"narrow":null,"lut8":240,"iso":null}},)"
      R"("opt-csr":{"model_index_bytes":66,"index_bytes":82,"total_bytes":426,"ratio_to_csr":0.8,)"
      R"("parameters":"index=delta","values":{"raw":426}},)"
      R"("bmsparse":{"reason":"more than 2^32 blocks"}},)"
      R"("spy":{"size":2,"runs":"9105"}},)"
      R"("rcm":{"status":"not_applicable","reason":"the matrix is not square"}},)"
      R"("best":{"format":"csr","ordering":"none","values":"lut8","total_bytes":240,"parameters":"c=32"},"error":null,"seconds":0.5,)"
      R"("key":{"path":"/data/dir/tiny.mtx","size":1234,"mtime_ns":-5,"options":"orderings=none,rcm"}})";
  EXPECT_EQ(to_json_line(small_record()), expected);
}

TEST(Json, AnalyzeRecordComesBackWhole) {
  const std::string line = to_json_line(small_record());
  const auto parsed = parse_analyze_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(to_json_line(*parsed.record), line);
  const OrderingRecord& none = parsed.record->orderings.at(0).second;
  EXPECT_EQ(none.footprint.at(0).second.values.at(2).second, 240u);
  EXPECT_FALSE(none.footprint.at(0).second.values.at(1).second.has_value());
  EXPECT_EQ(none.footprint.at(2).second.reason, "more than 2^32 blocks");
  EXPECT_EQ(none.spy.cells, "9105");
  EXPECT_EQ(parsed.record->orderings.at(1).second.reason, "the matrix is not square");
  EXPECT_EQ(parsed.record->key.mtime_ns, -5);
  EXPECT_FALSE(parsed.record->error.has_value());
}

TEST(Json, DetailsOfAFormatAreWrittenWhereItHasThem) {
  AnalyzeRecord r = small_record();
  FootprintRecord& f = r.orderings[0].second.footprint[1].second;
  f.details = {{"block", 3}, {"chunks", 1}};
  const std::string line = to_json_line(r);
  EXPECT_NE(line.find(R"("details":{"block":3,"chunks":1})"), std::string::npos);
  const auto parsed = parse_analyze_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(parsed.record->orderings[0].second.footprint[1].second.details, f.details);
  EXPECT_TRUE(parsed.record->orderings[0].second.footprint[0].second.details.empty());
}

TEST(Json, FileSizeAndGeneratorAreWrittenWhereThereAreAny) {
  AnalyzeRecord r = small_record();
  r.matrix.file_bytes = 1234;
  EXPECT_NE(to_json_line(r).find(R"("max_row_nnz":20,"file_bytes":1234})"), std::string::npos);
  r.matrix.file_bytes.reset();
  r.matrix.generator = {"toy", {{"n", std::uint64_t{40}}, {"share", 0.25}, {"low", -2.0}, {"values", "noise"}}};
  const std::string line = to_json_line(r);
  EXPECT_NE(line.find(R"("max_row_nnz":20,"generator":{"name":"toy","parameters":)"
                      R"({"n":40,"share":0.25,"low":-2.0,"values":"noise"}}})"),
            std::string::npos)
      << line;
  const auto parsed = parse_analyze_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(to_json_line(*parsed.record), line);
  EXPECT_EQ(parsed.record->matrix.generator->parameters, r.matrix.generator->parameters);
  Json wrong = Json::parse(line);
  wrong["matrix"]["generator"]["parameters"]["n"] = {40};
  EXPECT_EQ(parse_analyze_record(wrong.dump()).error,
            "matrix.generator.parameters.n: must be a string or a number, not array");
}

TEST(Json, TrafficIsWrittenWhereItWasCounted) {
  BenchRecord bench;
  bench.formats.resize(2);
  bench.formats[1].predicted_bytes = 100;
  bench.formats[1].counted_bytes = 102;
  const std::string line = to_json_line(bench);
  const Json json = Json::parse(line);
  EXPECT_FALSE(json["formats"][0].contains("counted_bytes"));
  EXPECT_EQ(json["formats"][1]["predicted_bytes"], 100);
  EXPECT_EQ(json["formats"][1]["counted_bytes"], 102);
  const auto parsed = parse_bench_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(to_json_line(*parsed.record), line);
}

TEST(Json, TimesOfProductsAndVectorsMayBeAbsent) {
  SolveRecord solve;
  solve.formats.resize(1);
  solve.formats[0].stop = "converged";
  solve.formats[0].spmv_seconds = 0.5;
  Json json = Json::parse(to_json_line(solve));
  EXPECT_EQ(parse_solve_record(json.dump()).record->formats[0].spmv_seconds, 0.5);
  json["formats"][0].erase("spmv_seconds");
  EXPECT_TRUE(parse_solve_record(json.dump())) << "as earlier states wrote it";
  TransferRecord transfer;
  transfer.formats.resize(1);
  transfer.formats[0].vectors_seconds = 0.25;
  json = Json::parse(to_json_line(transfer));
  EXPECT_EQ(parse_transfer_record(json.dump()).record->formats[0].vectors_seconds, 0.25);
  json["formats"][0].erase("vectors_seconds");
  EXPECT_TRUE(parse_transfer_record(json.dump())) << "as earlier states wrote it";
}

TEST(Json, EveryRecordSaysWhatItIs) {
  BenchRecord bench;
  bench.generator = {"toy", {{"n", std::uint64_t{3}}}};
  SolveRecord solve;
  TransferRecord transfer;
  VerifyRecord verify;
  const std::pair<std::string, std::string> lines[] = {{to_json_line(small_record()), "analysis"},
                                                       {to_json_line(bench), "bench"},
                                                       {to_json_line(solve), "solve"},
                                                       {to_json_line(transfer), "transfer"},
                                                       {to_json_line(verify), "verify"}};
  for (const auto& [line, kind] : lines) {
    const Json json = Json::parse(line);
    EXPECT_EQ(json.begin().key(), "schema_version");
    EXPECT_EQ(std::next(json.begin()).key(), "kind");
    EXPECT_EQ(json["kind"], kind);
  }
  EXPECT_EQ(Json::parse(lines[1].first)["matrix"]["generator"]["parameters"]["n"], 3);
  Json other = Json::parse(to_json_line(bench));
  EXPECT_TRUE(parse_bench_record(other.dump()));
  other["kind"] = "solve";
  EXPECT_EQ(parse_bench_record(other.dump()).error, "kind: is 'solve', not 'bench'");
  other.erase("kind");
  EXPECT_TRUE(parse_bench_record(other.dump())) << "as earlier states wrote it";
}

TEST(Json, CountsKeepAll64Bits) {
  AnalyzeRecord r = small_record();
  r.matrix.nnz = std::numeric_limits<std::uint64_t>::max();
  r.key.mtime_ns = std::numeric_limits<std::int64_t>::min();
  const auto parsed = parse_analyze_record(to_json_line(r));
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(parsed.record->matrix.nnz, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parsed.record->key.mtime_ns, std::numeric_limits<std::int64_t>::min());
}

TEST(Json, ErrorRecordHoldsOnlyWhatIsKnown) {
  AnalyzeRecord r = small_record();
  r.error = "dir/tiny.mtx:7: row 9 is out of range";
  const Json json = Json::parse(to_json_line(r));
  EXPECT_EQ(json.at("matrix").dump(), R"({"name":"tiny","path":"dir/tiny.mtx"})");
  EXPECT_EQ(json.at("error"), *r.error);
  EXPECT_FALSE(json.contains("orderings"));
  EXPECT_FALSE(json.contains("best"));
  EXPECT_EQ(json.at("key").at("size"), 1234);
  const auto parsed = parse_analyze_record(json.dump());
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(parsed.record->error, r.error);
  EXPECT_EQ(parsed.record->key.options, r.key.options);
}

TEST(Json, HostileTextStaysOneLineOfValidUtf8) {
  AnalyzeRecord r = small_record();
  r.matrix.name = "a\xff\"\n</script>\xe2\x82";
  r.matrix.path = std::string("nul\0inside", 10);
  const std::string line = to_json_line(r);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto parsed = parse_analyze_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(parsed.record->matrix.name, "a\xef\xbf\xbd\"\n</script>\xef\xbf\xbd");
  EXPECT_EQ(parsed.record->matrix.name, json::valid_utf8(r.matrix.name));
  EXPECT_EQ(parsed.record->matrix.path, r.matrix.path);
}

TEST(Json, NumbersThatAreNotFiniteBecomeNull) {
  AnalyzeRecord r = small_record();
  r.orderings[0].second.seconds = std::numeric_limits<double>::infinity();
  r.orderings[0].second.footprint[0].second.ratio_to_csr = std::nan("");
  const std::string line = to_json_line(r);
  const Json json = Json::parse(line);
  EXPECT_TRUE(json["orderings"]["none"]["seconds"].is_null());
  const auto parsed = parse_analyze_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_TRUE(std::isnan(parsed.record->orderings[0].second.footprint[0].second.ratio_to_csr));
}

TEST(Json, UnknownKeysAreSkippedAndLaterOnesMayBeAbsent) {
  Json json = Json::parse(to_json_line(small_record()));
  json["new"] = {1, 2};
  json["matrix"]["colour"] = "green";
  json["orderings"]["none"].erase("spy");
  json["orderings"]["none"].erase("max_wavefront");
  json["orderings"]["none"]["footprint"]["csr"].erase("parameters");
  json["matrix"].erase("values");
  json.erase("key");
  json.erase("seconds");
  const auto parsed = parse_analyze_record(json.dump());
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(parsed.record->orderings[0].second.spy.size, 0u);
}

struct BadCase {
  const char* pointer;
  const char* value;  // JSON, or "" to erase
  const char* message;
};

class BadRecord : public testing::TestWithParam<BadCase> {};

TEST_P(BadRecord, IsRefusedNamingTheKey) {
  Json json = Json::parse(to_json_line(small_record()));
  const Json::json_pointer pointer(GetParam().pointer);
  if (*GetParam().value == '\0') {
    json.at(pointer.parent_pointer()).erase(pointer.back());
  } else {
    json.at(pointer) = Json::parse(GetParam().value);
  }
  const auto parsed = parse_analyze_record(json.dump());
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Keys, BadRecord,
    testing::Values(
        BadCase{"/schema_version", "2", "schema_version: is 2, this program reads 1"},
        BadCase{"/schema_version", "", "schema_version: is missing"}, BadCase{"/tool", "", "tool: is missing"},
        BadCase{"/error", "", "error: is missing"}, BadCase{"/matrix", "[]", "matrix: must be an object, not array"},
        BadCase{"/matrix/rows", "-1", "matrix.rows: -1 is out of range"},
        BadCase{"/matrix/rows", "3.0", "matrix.rows: must be an integer, not number"},
        BadCase{"/matrix/rows", "\"3\"", "matrix.rows: must be an integer, not string"},
        BadCase{"/matrix/name", "3", "matrix.name: must be a string, not number"},
        BadCase{"/matrix/pattern_symmetric", "1", "matrix.pattern_symmetric: must be true or false, not number"},
        BadCase{"/orderings/none/seconds", "true", "orderings.none.seconds: must be a number or null, not boolean"},
        BadCase{"/orderings/none/bandwidth", "", "orderings.none.bandwidth: is missing"},
        BadCase{"/orderings/none/index_classes/direct/matrix_bits", "12",
                "orderings.none.index_classes.direct.matrix_bits: must be 8, 16 or 32"},
        BadCase{"/orderings/none/spy/runs", "\"910\"", "orderings.none.spy.cells: must hold size*size digits"},
        BadCase{"/orderings/none/spy/runs", "\"91x5\"", "orderings.none.spy.cells: must hold size*size digits"},
        BadCase{"/orderings/rcm/status", "\"maybe\"", "orderings.rcm.status: must be ok, not_applicable or error"},
        BadCase{"/key/mtime_ns", "9223372036854775808", "key.mtime_ns: 9223372036854775808 is out of range"},
        BadCase{"/error", "7", "error: must be a string, not number"}));

TEST(Json, EveryCutOfALineIsRefused) {
  const std::string line = to_json_line(small_record());
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_FALSE(parse_analyze_record(std::string_view(line).substr(0, length))) << length;
  }
  EXPECT_FALSE(parse_analyze_record(line + "x"));
  EXPECT_FALSE(parse_analyze_record(std::string(100000, '[')));
}

TEST(Json, AFileOfLinesGivesItsRecordsAndItsBadLines) {
  AnalyzeRecord second = small_record();
  second.matrix.name = "second";
  const std::string line = to_json_line(second);
  std::istringstream in(to_json_line(small_record()) + "\n\n{}\r\n" + line + "\n" + line.substr(0, 50));
  const AnalyzeRecords read = read_analyze_records(in);
  ASSERT_EQ(read.records.size(), 2u);
  EXPECT_EQ(read.records[1].matrix.name, "second");
  ASSERT_EQ(read.bad_lines.size(), 2u);
  EXPECT_EQ(read.bad_lines[0].number, 3u);
  EXPECT_EQ(read.bad_lines[1].number, 5u);
  EXPECT_TRUE(read.ends_torn);
  std::istringstream whole(line + "\n");
  EXPECT_FALSE(read_analyze_records(whole).ends_torn);
}

MeasureRecord small_measure() {
  return {"sell", "c=32", "lut8", "double", 100, 1e-3, 9e-4, 2e-3, 11, 12.5, 3.25, 1.5, 0.125, true, ""};
}

TEST(Json, MeasureRecordHasTheKeysOfTheContract) {
  EXPECT_EQ(to_json_line(small_measure()),
            R"({"format":"sell","parameters":"c=32","values":"lut8","type":"double","total_bytes":100,)"
            R"("seconds_median":0.001,"seconds_min":0.0009,"seconds_max":0.002,"repetitions":11,"gb_per_s":12.5,)"
            R"("gflops":3.25,"speedup_vs_csr":1.5,"max_error_ratio":0.125,"ok":true})");
}

TEST(Json, VerifyRecordComesBackWhole) {
  MeasureRecord unsupported;
  unsupported.format = "coo";
  unsupported.reason = "complex values";
  MeasureRecord wrong = small_measure();
  wrong.ok = false;
  wrong.max_error_ratio = std::numeric_limits<double>::infinity();
  const VerifyRecord r{{"0.1.0", "c"}, "m", "p/m.mtx", "cpu", 2, 3, 4, {}, {small_measure(), unsupported, wrong},
                       false};
  const std::string line = to_json_line(r);
  const Json json = Json::parse(line);
  EXPECT_EQ(json["matrix"]["nnz"], 4);
  EXPECT_TRUE(json["formats"][1]["ok"].is_null());
  EXPECT_EQ(json["formats"][1]["reason"], "complex values");
  const auto parsed = parse_verify_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(to_json_line(*parsed.record), line);
  EXPECT_FALSE(parsed.record->ok);
  EXPECT_EQ(parsed.record->cols, 3u);
  const auto bad = parse_verify_record(R"({"schema_version":1,"tool":{"version":"","commit":""},)"
                                       R"("matrix":{"name":"","path":"","rows":0,"cols":0,"nnz":0},"device":"",)"
                                       R"("formats":[{"format":1}],"ok":true})");
  EXPECT_EQ(bad.error, "formats[0].format: must be a string, not number");
}

}  // namespace
}  // namespace spress::reports
