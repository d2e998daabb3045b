#include <gtest/gtest.h>

#include <cmath>

#include "reports/json/json.hpp"
#include "reports/text/bench_text.hpp"

namespace spress::reports {
namespace {

BenchMeasure timed(const std::string& format, std::uint64_t bytes, double seconds, double speedup) {
  BenchMeasure row;
  row.format = format;
  row.values = "raw";
  row.type = "double";
  row.total_bytes = bytes;
  row.bytes_per_nnz = static_cast<double>(bytes) / 100;
  row.ratio_to_csr = static_cast<double>(bytes) / 1200;
  row.seconds_median = seconds;
  row.seconds_min = seconds / 2;
  row.seconds_max = seconds * 2;
  row.repetitions = 9;
  row.gb_per_s = 12.5;
  row.gflops = 0.25;
  row.speedup_vs_csr = speedup;
  row.encode_seconds = 0.5;
  row.encode_in_csr_spmv = 250;
  row.max_error_ratio = 0.125;
  row.ok = true;
  return row;
}

/// A row that ended before anything was measured.
BenchMeasure untimed(const std::string& format, std::optional<bool> ok, const std::string& reason) {
  BenchMeasure row = timed(format, 0, not_measured, not_measured);
  row.bytes_per_nnz = row.ratio_to_csr = row.gb_per_s = row.gflops = not_measured;
  row.encode_seconds = row.encode_in_csr_spmv = row.max_error_ratio = not_measured;
  row.repetitions = 0;
  row.ok = ok;
  row.reason = reason;
  return row;
}

BenchRecord sample() {
  BenchRecord record;
  record.tool = {"0.1.0", "abc"};
  record.name = "m";
  record.path = "dir/m.mtx";
  record.rows = 1000;
  record.cols = 20;
  record.nnz = 100;
  record.machine.machine = "A Processor";
  record.machine.compiler = "GCC 12";
  record.machine.commit = "abc";
  record.machine.command = "spress bench dir/m.mtx";
  record.machine.threads = 2;
  record.machine.instruction_set = "avx2";
  record.machine.copy_gb_per_s = 30.5;
  record.machine.last_level_cache_bytes = 1 << 20;
  record.csr_bytes = 1200;
  record.csr_seconds = 0.002;
  record.formats = {timed("csr", 1200, 0.002, 1), timed("mkl-csr", 1200, 0.001, 2), timed("sell", 900, 0.0005, 4),
                    timed("bccoo", 600, 0.004, 0.5), untimed("ell", std::nullopt, "more than 16*nnz slots")};
  record.formats[1].peer = true;
  record.formats[2].parameters = "c=8";
  for (std::size_t i : {0, 2, 3}) record.formats[i].speedup_vs_best_peer = record.formats[i].speedup_vs_csr / 2;
  return record;
}

// The contract, key by key and in its order.
TEST(BenchJson, HasTheKeysOfTheContract) {
  BenchRecord record = sample();
  record.formats = {record.formats[2], record.formats[4]};
  EXPECT_EQ(
      to_json_line(record),
      R"({"schema_version":1,"kind":"bench","tool":{"version":"0.1.0","commit":"abc"},)"
      R"("matrix":{"name":"m","path":"dir/m.mtx","rows":1000,"cols":20,"nnz":100},)"
      R"("machine":{"machine":"A Processor","device":"cpu","driver":null,"compiler":"GCC 12","commit":"abc",)"
      R"("command":"spress bench dir/m.mtx","threads":2,"instruction_set":"avx2","copy_gb_per_s":30.5,)"
      R"("last_level_cache_bytes":1048576},"csr_bytes":1200,"csr_seconds":0.002,"working_set_in_cache":false,)"
      R"("formats":[{"format":"sell","parameters":"c=8","values":"raw","type":"double","peer":false,"total_bytes":900,)"
      R"("bytes_per_nnz":9.0,"ratio_to_csr":0.75,"seconds_median":0.0005,"seconds_min":0.00025,"seconds_max":0.001,)"
      R"("repetitions":9,"gb_per_s":12.5,"gflops":0.25,"speedup_vs_csr":4.0,"speedup_vs_best_peer":2.0,)"
      R"("encode_seconds":0.5,"encode_in_csr_spmv":250.0,"max_error_ratio":0.125,"ok":true},)"
      R"({"format":"ell","parameters":"","values":"raw","type":"double","peer":false,"total_bytes":null,)"
      R"("bytes_per_nnz":null,"ratio_to_csr":null,"seconds_median":null,"seconds_min":null,"seconds_max":null,)"
      R"("repetitions":null,"gb_per_s":null,"gflops":null,"speedup_vs_csr":null,"speedup_vs_best_peer":null,)"
      R"("encode_seconds":null,"encode_in_csr_spmv":null,"max_error_ratio":null,"ok":null,)"
      R"("reason":"more than 16*nnz slots"}],"ok":true,"error":null})");
}

TEST(BenchJson, ComesBackWhole) {
  const std::string line = to_json_line(sample());
  const auto parsed = parse_bench_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(to_json_line(*parsed.record), line);
  EXPECT_TRUE(parsed.record->formats.at(1).peer);
  EXPECT_FALSE(parsed.record->formats.at(4).ok.has_value());
  EXPECT_TRUE(std::isnan(parsed.record->formats.at(4).seconds_median));
  EXPECT_EQ(parsed.record->formats.at(4).repetitions, 0);
  EXPECT_EQ(parsed.record->machine.copy_gb_per_s, 30.5);
}

TEST(BenchJson, WhatTheSystemDoesNotTellIsNull) {
  BenchRecord record = sample();
  record.machine.copy_gb_per_s = not_measured;
  record.machine.last_level_cache_bytes = 0;
  const std::string line = to_json_line(record);
  EXPECT_NE(line.find(R"("copy_gb_per_s":null,"last_level_cache_bytes":null)"), std::string::npos);
  const auto parsed = parse_bench_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(parsed.record->machine.last_level_cache_bytes, 0u);
}

TEST(BenchJson, AnErrorLeavesOnlyWhatIsKnown) {
  BenchRecord record = sample();
  record.error = "dir/m.mtx:3: damaged";
  record.ok = false;
  const std::string line = to_json_line(record);
  EXPECT_NE(line.find(R"("matrix":{"name":"m","path":"dir/m.mtx"},"machine")"), std::string::npos);
  EXPECT_EQ(line.find("formats"), std::string::npos);
  const auto parsed = parse_bench_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(parsed.record->error, record.error);
  EXPECT_FALSE(parsed.record->ok);
  EXPECT_FALSE(parse_bench_record(R"({"schema_version":1,"error":null})"));
}

TEST(BenchText, ShowsAWholeTable) {
  EXPECT_EQ(bench_text(sample()),
            R"(dir/m.mtx: 1,000 x 20, 100 entries, CSR 1.20 kB, 2.00 ms a product
2 threads of A Processor (cpu, avx2), copy bandwidth 30.5 GB/s
format    values  bytes/nnz  of CSR     ms  GB/s  speedup  vs peer  encode  ok
--------  ------  ---------  ------  -----  ----  -------  -------  ------  --  ----------------------
csr       raw         12.00   1.000   2.00  12.5     1.00     0.50     250  ok
mkl-csr   raw         12.00   1.000   1.00  12.5     2.00        -     250  ok  <- fastest peer
sell:c=8  raw          9.00   0.750  0.500  12.5     4.00     2.00     250  ok  <- fastest
bccoo     raw          6.00   0.500   4.00  12.5     0.50     0.25     250  ok  <- smallest
ell       raw             -       -      -     -        -        -       -  -   more than 16*nnz slots
)");
}

/// On a GPU, csr and one of cuSPARSE's.
BenchRecord gpu_sample() {
  BenchRecord record = sample();
  record.machine.device = "A GPU";
  record.machine.driver = "580.1, CUDA 13.0";
  record.machine.instruction_set = "sm_90";
  record.formats = {record.formats[0], record.formats[1], record.formats[4]};
  record.formats[0].kernel = "warp per row";
  record.formats[0].repeatable = true;
  record.formats[0].speedup_vs_best_cusparse = 0.5;
  record.formats[1].format = "cusparse-csr-alg1";
  record.formats[1].kernel = "csr alg 1";
  record.formats[1].repeatable = false;
  return record;
}

TEST(BenchJson, AGpusRowsNameTheKernel) {
  const std::string line = to_json_line(gpu_sample());
  EXPECT_NE(line.find(R"("speedup_vs_best_peer":0.5,"speedup_vs_best_cusparse":0.5,)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("kernel":"warp per row","repeatable":true,"ok":true)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("driver":"580.1, CUDA 13.0")"), std::string::npos) << line;
  const auto parsed = parse_bench_record(line);
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(to_json_line(*parsed.record), line);
  EXPECT_EQ(parsed.record->formats.at(1).repeatable, false);
  EXPECT_TRUE(std::isnan(parsed.record->formats.at(1).speedup_vs_best_cusparse));
  EXPECT_FALSE(parsed.record->formats.at(2).repeatable.has_value());
  EXPECT_EQ(to_json_line(sample()).find("kernel"), std::string::npos);
}

TEST(BenchText, AGpusTableNamesTheKernel) {
  EXPECT_EQ(bench_text(gpu_sample()),
            R"(dir/m.mtx: 1,000 x 20, 100 entries, CSR 1.20 kB, 2.00 ms a product
A GPU (sm_90, driver 580.1, CUDA 13.0), copy bandwidth 30.5 GB/s; encoded by 2 threads of A Processor
format             values  bytes/nnz  of CSR    ms  GB/s  speedup  vs cuSPARSE  encode  kernel        ok
-----------------  ------  ---------  ------  ----  ----  -------  -----------  ------  ------------  --  ----------------------
csr                raw         12.00   1.000  2.00  12.5     1.00         0.50     250  warp per row  ok  <- fastest, smallest
cusparse-csr-alg1  raw         12.00   1.000  1.00  12.5     2.00            -     250  csr alg 1     ok  <- fastest peer
ell                raw             -       -     -     -        -            -       -  -             -   more than 16*nnz slots
)");
}

TEST(BenchText, WrongRowsAreNeverTheBest) {
  BenchRecord record = sample();
  record.formats = {timed("csr", 1200, 0.002, 1), untimed("sell", false, "row 3 is 1, expected 2")};
  record.formats[1].total_bytes = 10;
  const std::string text = bench_text(record);
  EXPECT_NE(text.find("WRONG  row 3 is 1, expected 2"), std::string::npos) << text;
  EXPECT_NE(text.find("ok     <- fastest, smallest"), std::string::npos) << text;
  EXPECT_EQ(text.find("vs peer"), std::string::npos);
}

TEST(BenchText, NamesCannotReachTheTerminal) {
  BenchRecord record = sample();
  record.path = "a\x1b[31m\nb";
  EXPECT_EQ(bench_text(record).find('\x1b'), std::string::npos);
}

TEST(BenchText, AnErrorIsOneLine) {
  BenchRecord record;
  record.error = "dir/m.mtx:3: damaged";
  EXPECT_EQ(bench_text(record), "dir/m.mtx:3: damaged\n");
}

}  // namespace
}  // namespace spress::reports
