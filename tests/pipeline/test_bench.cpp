#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "encode/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "pipeline/bench.hpp"
#include "pipeline/machine.hpp"
#include "pipeline/source.hpp"
#include "reports/json.hpp"
#include "tests/scenarios.hpp"

namespace spress::pipeline {
namespace {

using reports::BenchMeasure;
using reports::BenchRecord;

// --- Pairs, on a clock that only the products move -----------------------------------------------------------------

struct FakeMachine {
  double clock = 0;
  std::string runs;
  std::function<void()> product(char name, double seconds) {
    return [this, name, seconds] {
      clock += seconds * slowness();
      runs += name;
    };
  }
  std::function<double()> slowness = [] { return 1.0; };
  Pairing pairing(double seconds, int repetitions = 0) {
    return {seconds, repetitions, [this] { return clock; }};
  }
};

TEST(Pairing, TimesBothInTurn) {
  FakeMachine machine;
  const auto times = time_pairs(machine.product('A', 0.5), machine.product('B', 0.25), machine.pairing(1, 3));
  EXPECT_EQ(times.baseline, std::vector<double>(3, 0.5));
  EXPECT_EQ(times.candidate, std::vector<double>(3, 0.25));
  EXPECT_EQ(paired_speedup(times), 2);
  EXPECT_EQ(machine.runs, "ABABABABAB");  // two pairs to warm up
}

TEST(Pairing, SpendsTheTimeButNeverLessThanSevenPairs) {
  FakeMachine machine;
  EXPECT_EQ(time_pairs(machine.product('A', 0.5), machine.product('B', 0.5), machine.pairing(20)).baseline.size(), 20u);
  EXPECT_EQ(time_pairs(machine.product('A', 0.5), machine.product('B', 0.5), machine.pairing(0)).baseline.size(), 7u);
  EXPECT_EQ(time_pairs(machine.product('A', 0.5), machine.product('B', 0.5), machine.pairing(1e9)).baseline.size(),
            1000u);
}

TEST(Pairing, ShortProductsAreTimedSeveralAtATime) {
  FakeMachine machine;
  const auto times = time_pairs(machine.product('A', 0x1p-19), machine.product('B', 0x1p-20), machine.pairing(0, 1));
  EXPECT_EQ(times.baseline, std::vector<double>{0x1p-19});
  EXPECT_EQ(times.candidate, std::vector<double>{0x1p-20});
  EXPECT_EQ(machine.runs.substr(4), std::string(210, 'A') + std::string(210, 'B'));  // 210: 200 microseconds of B
}

TEST(Pairing, EvenAnEmptyProductEnds) {
  FakeMachine machine;
  const auto times = time_pairs(machine.product('A', 0), machine.product('B', 0), machine.pairing(1));
  EXPECT_EQ(times.candidate.size(), 1000u);
}

TEST(Pairing, WhatSlowsBothDownDoesNotShowInTheRatio) {
  FakeMachine machine;
  int round = 0;
  machine.slowness = [&] { return 1 + (round++ / 2) % 7; };  // the same for both of a pair
  const auto times = time_pairs(machine.product('A', 0.75), machine.product('B', 0.25), machine.pairing(0, 51));
  EXPECT_NEAR(paired_speedup(times), 3, 1e-12);
  EXPECT_GT(*std::max_element(times.candidate.begin(), times.candidate.end()), 1.7);
}

TEST(Pairing, MediansOfOddEvenAndNoNumbers) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({5}), 5);
  EXPECT_TRUE(std::isnan(median({})));
}

// --- Rows ----------------------------------------------------------------------------------------------------------

Matrix matrix_of(Csr<Owned> csr) {
  Matrix matrix;
  matrix.info.name = "test";
  matrix.csr = std::move(csr);
  return matrix;
}

Matrix generated(const std::string& name) {
  auto matrix = load("gen:" + name);
  EXPECT_TRUE(matrix.ok());
  return std::move(matrix).value();
}

tests::Scenario scattered_scenario() { return {"scattered", 67, 93, tests::scattered(67, 93, 12), {}}; }

/// Options that spend no time: three pairs a row, no peers, and a clock on which every product takes a millisecond, so
/// that none is taken for a short one and run many times.
BenchOptions quick(const std::string& formats = "csr,coo") {
  BenchOptions options;
  options.formats = parse_spec_list(formats).value();
  options.peers.clear();
  options.threads = 1;
  options.pairing = {0, 3, [ticks = 0]() mutable { return 1e-3 * ticks++; }};
  return options;
}

BenchRecord benched(Matrix matrix, const BenchOptions& options) {
  auto record = bench(std::move(matrix), options);
  EXPECT_TRUE(record.ok()) << record.error().message;
  return record.ok() ? std::move(record).value() : BenchRecord{};
}

/// "csr:raw" and so on, in order.
std::vector<std::string> rows_of(const BenchRecord& record) {
  std::vector<std::string> out;
  for (const BenchMeasure& row : record.formats) out.push_back(row.format + ":" + row.values);
  return out;
}

/// A peer that computes as our CSR does and then lets `spoil` touch the result.
template <class Spoil>
BenchPeer peer(const std::string& name, Spoil spoil) {
  const auto prepare = [spoil]<class T>(const Csr<Viewed>& a, T) {
    return Result<Multiply<T>>(Multiply<T>([a, spoil, calls = 0](const T* x, T* y) mutable {
      cpu::spmv<T>(a, x, y, 1);
      spoil(y, calls++);
    }));
  };
  return {name, [prepare](const Csr<Viewed>& a, int) { return prepare(a, double{}); },
          [prepare](const Csr<Viewed>& a, int) { return prepare(a, float{}); }};
}

void expect_timed(const BenchMeasure& row, const BenchRecord& record) {
  SCOPED_TRACE(row.format + " " + row.values);
  EXPECT_EQ(row.ok, true) << row.reason;
  EXPECT_EQ(row.repetitions, 3);
  EXPECT_NEAR(row.seconds_min, 1e-3, 1e-9);
  EXPECT_NEAR(row.seconds_median, 1e-3, 1e-9);
  EXPECT_NEAR(row.seconds_max, 1e-3, 1e-9);
  EXPECT_NEAR(row.speedup_vs_csr, 1, 1e-9);
  EXPECT_GE(row.encode_seconds, 0);
  EXPECT_EQ(row.encode_in_csr_spmv, row.encode_seconds / record.csr_seconds);
  EXPECT_LE(row.max_error_ratio, 1);
  const auto vectors = (record.rows + record.cols) * (row.type == "float" ? 4 : 8);
  EXPECT_DOUBLE_EQ(row.gb_per_s * row.seconds_median, 1e-9 * static_cast<double>(row.total_bytes + vectors));
  EXPECT_DOUBLE_EQ(row.gflops * row.seconds_median, 2e-9 * static_cast<double>(record.nnz));
}

void expect_untimed(const BenchMeasure& row) {
  SCOPED_TRACE(row.format + " " + row.values);
  EXPECT_FALSE(row.reason.empty());
  EXPECT_TRUE(std::isnan(row.seconds_median));
  EXPECT_TRUE(std::isnan(row.speedup_vs_csr));
  EXPECT_TRUE(std::isnan(row.gb_per_s));
  EXPECT_EQ(row.repetitions, 0);
}

TEST(Bench, EveryFormatIsTimedInBothTypes) {
  for (const ValueType type : {ValueType::f64, ValueType::f32}) {
    BenchOptions options = quick("csr");
    options.formats = all_formats();
    options.value = type;
    const auto record = benched(generated("stencil27,n=5"), options);
    EXPECT_TRUE(record.ok);
    std::map<std::string, int> seen;
    for (const BenchMeasure& row : record.formats) {
      ++seen[row.format];
      EXPECT_EQ(row.type, enum_name(type));
      expect_timed(row, record);
    }
    EXPECT_EQ(seen.size(), all_formats().size());
  }
}

TEST(Bench, BytesAreThoseHeld) {
  const auto record = benched(matrix_of(tests::make_csr(scattered_scenario())), quick("csr,coo"));
  const auto nnz = record.nnz;
  EXPECT_EQ(record.csr_bytes, 12 * nnz + 4 * 68);
  EXPECT_EQ(record.formats.at(0).total_bytes, record.csr_bytes);
  EXPECT_EQ(record.formats.at(0).ratio_to_csr, 1);
  const auto coo =
      std::find_if(record.formats.begin(), record.formats.end(), [](const auto& r) { return r.format == "coo"; });
  ASSERT_NE(coo, record.formats.end());
  EXPECT_EQ(coo->total_bytes, 16 * nnz);
  EXPECT_EQ(coo->bytes_per_nnz, 16);
}

TEST(Bench, StoresAreTheSmallestAllOrThoseListed) {
  const auto matrix = [] { return generated("stencil27,n=4"); };  // two distinct values, both small integers
  BenchOptions options = quick("csr,bccoo,coo");
  EXPECT_EQ(rows_of(benched(matrix(), options)),
            (std::vector<std::string>{"csr:raw", "csr:narrow", "bccoo:raw", "coo:raw", "coo:narrow"}));
  options.choice = StoreChoice::all;
  const auto all = benched(matrix(), options);
  EXPECT_EQ(rows_of(all),
            (std::vector<std::string>{"csr:raw", "csr:narrow", "csr:lut8", "csr:lut16", "bccoo:raw", "bccoo:narrow",
                                      "bccoo:lut8", "bccoo:lut16", "coo:raw", "coo:narrow", "coo:lut8", "coo:lut16"}));
  EXPECT_FALSE(all.formats.at(5).ok.has_value());  // bccoo codes values itself
  expect_untimed(all.formats.at(5));
  options.choice = StoreChoice::listed;
  options.stores = {StoreKind::iso, StoreKind::lut8};
  const auto listed = benched(matrix(), options);
  EXPECT_EQ(rows_of(listed),
            (std::vector<std::string>{"csr:lut8", "csr:iso", "bccoo:lut8", "bccoo:iso", "coo:lut8", "coo:iso"}));
  EXPECT_EQ(listed.formats.at(0).ok, true);
  EXPECT_FALSE(listed.formats.at(1).ok.has_value());
  expect_untimed(listed.formats.at(1));
  EXPECT_TRUE(listed.ok);
}

TEST(Bench, DistinctValuesHaveNoSmallerStore) {
  tests::Scenario scenario = scattered_scenario();
  for (std::size_t k = 0; k < scenario.entries.size(); ++k) scenario.values.push_back(1.0 / static_cast<double>(k + 3));
  EXPECT_EQ(rows_of(benched(matrix_of(tests::make_csr(scenario)), quick("csr,coo"))),
            (std::vector<std::string>{"csr:raw", "coo:raw"}));
}

TEST(Bench, WrongResultsAreFalseAndHaveNoTimes) {
  BenchOptions options = quick();
  const auto right = [](auto*, int) {};
  options.peers.push_back(peer("right", right));
  options.peers.push_back(peer("off", [](auto* y, int) { y[3] += 1; }));
  options.peers.push_back(peer("untouched", [](auto* y, int) { y[0] = std::nanf(""); }));
  options.peers.push_back(peer("later", [](auto* y, int calls) { y[5] += calls > 2 ? 1 : 0; }));
  const auto record = benched(matrix_of(tests::make_csr(scattered_scenario())), options);
  EXPECT_FALSE(record.ok);
  ASSERT_EQ(record.formats.size(), 8u);  // csr and coo, raw and narrow
  std::map<std::string, BenchMeasure> rows;
  for (const BenchMeasure& row : record.formats) rows[row.format] = row;
  expect_timed(rows["right"], record);
  EXPECT_TRUE(rows["right"].peer);
  EXPECT_EQ(rows["right"].total_bytes, record.csr_bytes);
  for (const char* name : {"off", "untouched", "later"}) {
    EXPECT_EQ(rows[name].ok, false) << name;
    EXPECT_GT(rows[name].max_error_ratio, 1) << name;
    expect_untimed(rows[name]);
  }
  EXPECT_NE(rows["off"].reason.find("row 3"), std::string::npos);
  EXPECT_NE(rows["later"].reason.find("row 5"), std::string::npos);
  EXPECT_EQ(rows["coo"].speedup_vs_best_peer, rows["coo"].speedup_vs_csr / rows["right"].speedup_vs_csr);
  EXPECT_TRUE(std::isnan(rows["right"].speedup_vs_best_peer));
}

TEST(Bench, PeersComeAfterCsrAndMayBeUnable) {
  BenchOptions options = quick("coo,csr,ell");
  options.choice = StoreChoice::listed;
  options.stores = {StoreKind::raw};
  options.peers.push_back(peer("one", [](auto*, int) {}));
  const Error unable = {ErrorCode::not_applicable, "indices of 32 bits", {}, 0};
  options.peers.push_back({"two", [&](const Csr<Viewed>&, int) { return Result<Multiply<double>>(unable); }, {}});
  auto record = benched(generated("poisson2d,n=4"), options);
  EXPECT_EQ(rows_of(record), (std::vector<std::string>{"coo:raw", "csr:raw", "one:raw", "two:raw", "ell:raw"}));
  EXPECT_FALSE(record.formats.at(3).ok.has_value());
  EXPECT_EQ(record.formats.at(3).reason, "indices of 32 bits");
  EXPECT_TRUE(record.ok);
  options.formats = parse_spec_list("ell").value();
  EXPECT_EQ(rows_of(benched(generated("poisson2d,n=4"), options)),
            (std::vector<std::string>{"one:raw", "two:raw", "ell:raw"}));
}

TEST(Bench, PeersOfThisBuildAreRightAndUseTheThreadsGiven) {
  for (const BenchPeer& built : bench_peers()) {
    BenchOptions options = quick("csr");
    int threads = 0;
    options.peers.push_back(built);
    options.peers[0].prepare_float = [&](const Csr<Viewed>& a, int given) {
      threads = given;
      return built.prepare_float(a, given);
    };
    options.value = ValueType::f32;
    options.threads = 1;
    const auto record = benched(generated("stencil27,n=5"), options);
    EXPECT_TRUE(record.ok) << built.name;
    EXPECT_EQ(threads, 1);
    EXPECT_EQ(record.machine.threads, 1);
  }
}

TEST(Bench, FormatsThatCannotHoldTheMatrixSaySo) {
  const auto record = benched(generated("arrow,n=5000"), quick("ell,csr"));
  EXPECT_TRUE(record.ok);
  EXPECT_FALSE(record.formats.at(0).ok.has_value());
  expect_untimed(record.formats.at(0));
  EXPECT_EQ(record.formats.at(1).ok, true);
}

TEST(Bench, ShapesWithoutEntriesAndPatterns) {
  for (const auto& scenario : tests::scenarios()) {
    if (scenario.cols > 100'000) continue;
    for (const auto fill : {tests::Fill::real, tests::Fill::pattern}) {
      const auto record = benched(matrix_of(tests::make_csr(scenario, fill)), quick("csr,opt-csr,bccoo"));
      EXPECT_TRUE(record.ok) << scenario.name;
      for (const BenchMeasure& row : record.formats) {
        EXPECT_EQ(row.ok, true) << scenario.name << ": " << row.format << ": " << row.reason;
        EXPECT_EQ(row.repetitions, 3);
      }
      const auto back = reports::parse_bench_record(reports::to_json_line(record));
      EXPECT_TRUE(back) << scenario.name << ": " << back.error;
    }
  }
}

TEST(Bench, ComplexValuesAreUnsupported) {
  const auto record = benched(matrix_of(tests::make_csr(scattered_scenario(), tests::Fill::complex_values)), quick());
  EXPECT_TRUE(record.ok);
  ASSERT_EQ(record.formats.size(), 2u);
  for (const BenchMeasure& row : record.formats) {
    EXPECT_FALSE(row.ok.has_value());
    expect_untimed(row);
  }
}

TEST(Bench, FloatRoundsTheMatrixFirst) {
  BenchOptions options = quick("csr");
  options.value = ValueType::f32;
  const auto record = benched(generated("stencil27,n=6,values=noise"), options);
  EXPECT_EQ(record.formats.at(0).type, "float");
  EXPECT_EQ(record.csr_bytes, 8 * record.nnz + 4 * (record.rows + 1));
  EXPECT_TRUE(record.ok);
}

TEST(Bench, TellsTheWorkingSetFromTheCache) {
  BenchOptions options = quick("csr");
  const std::uint64_t working_set = (12 * 64 + 4 * 17) + 2 * 16 * 8;  // poisson2d,n=4: 16 rows, 64 entries
  options.machine.last_level_cache_bytes = working_set;
  EXPECT_TRUE(benched(generated("poisson2d,n=4"), options).working_set_in_cache);
  options.machine.last_level_cache_bytes = working_set - 1;
  EXPECT_FALSE(benched(generated("poisson2d,n=4"), options).working_set_in_cache);
}

TEST(Bench, RealTimesArePositiveAndOrdered) {
  BenchOptions options = quick("sell");
  options.threads = 2;
  options.pairing.now = {};
  const auto record = benched(generated("stencil27,n=9,values=noise"), options);
  EXPECT_EQ(record.machine.threads, 2);
  const BenchMeasure& row = record.formats.at(0);
  EXPECT_EQ(row.ok, true) << row.reason;
  EXPECT_GT(row.seconds_min, 0);
  EXPECT_LE(row.seconds_min, row.seconds_median);
  EXPECT_LE(row.seconds_median, row.seconds_max);
  EXPECT_GT(row.speedup_vs_csr, 0);
  EXPECT_GT(record.csr_seconds, 0);
}

TEST(Bench, RefusesUnknownFormats) {
  BenchOptions options = quick();
  options.formats = {{"nosuch", {}}};
  const auto record = bench(generated("poisson2d,n=4"), options);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().code, ErrorCode::usage);
}

TEST(Bench, TellsItsProgress) {
  BenchOptions options = quick("csr,coo");
  std::vector<std::size_t> done;
  options.on_progress = [&](const BenchProgress& p) {
    EXPECT_LT(p.done, p.total);
    done.push_back(p.done);
  };
  benched(generated("stencil27,n=4"), options);
  EXPECT_EQ(done, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(Machine, IsDescribed) {
  const auto machine = machine_record(3);
  EXPECT_FALSE(machine.machine.empty());
  EXPECT_FALSE(machine.compiler.empty());
  EXPECT_FALSE(machine.instruction_set.empty());
  EXPECT_EQ(machine.threads, 3);
  EXPECT_EQ(machine.device, "cpu");
  EXPECT_FALSE(machine.driver.has_value());
  EXPECT_TRUE(std::isnan(machine.copy_gb_per_s));
}

}  // namespace
}  // namespace spress::pipeline
