#include "pipeline/measure/bench.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "pipeline/device/machine.hpp"
#include "pipeline/measure/verify.hpp"
#include "pipeline/source.hpp"
#include "reports/json/json.hpp"
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
  const auto times = time_pairs({machine.product('A', 0.5)}, {machine.product('B', 0.25)}, machine.pairing(1, 3));
  EXPECT_EQ(times.baseline, std::vector<double>(3, 0.5));
  EXPECT_EQ(times.candidate, std::vector<double>(3, 0.25));
  EXPECT_EQ(paired_speedup(times), 2);
  EXPECT_EQ(machine.runs, "ABABABABAB");  // two pairs to warm up
}

TEST(Pairing, SpendsTheTimeButNeverLessThanSevenPairs) {
  FakeMachine machine;
  EXPECT_EQ(time_pairs({machine.product('A', 0.5)}, {machine.product('B', 0.5)}, machine.pairing(20)).baseline.size(),
            20u);
  EXPECT_EQ(time_pairs({machine.product('A', 0.5)}, {machine.product('B', 0.5)}, machine.pairing(0)).baseline.size(),
            7u);
  EXPECT_EQ(time_pairs({machine.product('A', 0.5)}, {machine.product('B', 0.5)}, machine.pairing(1e9)).baseline.size(),
            1000u);
}

TEST(Pairing, ShortProductsAreTimedSeveralAtATime) {
  FakeMachine machine;
  const auto times =
      time_pairs({machine.product('A', 0x1p-19)}, {machine.product('B', 0x1p-20)}, machine.pairing(0, 1));
  EXPECT_EQ(times.baseline, std::vector<double>{0x1p-19});
  EXPECT_EQ(times.candidate, std::vector<double>{0x1p-20});
  EXPECT_EQ(machine.runs.substr(4), std::string(210, 'A') + std::string(210, 'B'));  // 210: 200 microseconds of B
}

TEST(Pairing, ADeviceMayTakeSeveralAtOnce) {
  FakeMachine machine;
  const auto at_once = [&](char name, double seconds) {
    return Timed{machine.product(name, seconds), [&machine, name, seconds](int runs) {
                   return machine.product(static_cast<char>(name + 1), runs * seconds / 2);
                 }};
  };
  const auto times = time_pairs(at_once('A', 0x1p-19), at_once('K', 0x1p-20), machine.pairing(0, 2));
  EXPECT_EQ(times.baseline, std::vector<double>(2, 0x1p-20));
  EXPECT_EQ(times.candidate, std::vector<double>(2, 0x1p-21));
  EXPECT_EQ(machine.runs,
            "AKAK"
            "BL"
            "BLBL");  // one by one, then each batch for the first time, then to be timed
}

TEST(Pairing, WhatIsLongEnoughIsRunOneByOneWhateverTheDeviceTakes) {
  FakeMachine machine;
  const Timed never = {machine.product('A', 0.5), [](int) -> std::function<void()> { throw std::logic_error("made"); }};
  EXPECT_EQ(time_pairs(never, never, machine.pairing(0, 1)).baseline, std::vector<double>{0.5});
}

TEST(Pairing, EvenAnEmptyProductEnds) {
  FakeMachine machine;
  const auto times = time_pairs({machine.product('A', 0)}, {machine.product('B', 0)}, machine.pairing(1));
  EXPECT_EQ(times.candidate.size(), 1000u);
}

TEST(Pairing, ADeviceMayHaveAClockOfItsOwn) {
  std::string runs;
  Pairing how;
  how.repetitions = 2;
  how.shortest = 1e-3;
  how.batch_time = 6 * 0x1p-11;
  how.stopwatch = [&](const std::function<void()>& run, int count) {
    for (int i = 0; i < count; ++i) run();
    return count * (runs.back() == 'A' ? 0x1p-11 : 3 * 0x1p-11);
  };
  how.now = [ticks = 0]() mutable { return ticks++; };  // ends the warming up after its two pairs
  const auto times = time_pairs({[&] { runs += 'A'; }}, {[&] { runs += 'B'; }}, how);
  EXPECT_EQ(times.baseline, std::vector<double>(2, 0x1p-11));
  EXPECT_EQ(times.candidate, std::vector<double>(2, 3 * 0x1p-11));
  EXPECT_EQ(runs,
            "ABAB"
            "AAAAAABBBBBB"
            "AAAAAABBBBBB");
}

TEST(Pairing, WhatSlowsBothDownDoesNotShowInTheRatio) {
  FakeMachine machine;
  int round = 0;
  machine.slowness = [&] { return 1 + (round++ / 2) % 7; };  // the same for both of a pair
  const auto times = time_pairs({machine.product('A', 0.75)}, {machine.product('B', 0.25)}, machine.pairing(0, 51));
  EXPECT_NEAR(paired_speedup(times), 3, 1e-12);
  EXPECT_GT(*std::max_element(times.candidate.begin(), times.candidate.end()), 1.7);
}

TEST(Pairing, MediansOfOddEvenAndNoNumbers) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({5}), 5);
  EXPECT_TRUE(std::isnan(median({})));
}

// --- Devices that go wrong ---------------------------------------------------------------------------------------

/// What a device of these tests does that others do not.
struct Trouble {
  std::function<Status(const std::string& format)> on_prepare = [](const std::string&) { return Status(Ok{}); };
  std::function<Status(const std::string& format, double* y, int run)> after_run;
  int runs_to_judge = 1;
  std::optional<bool> repeatable = {};
};

/// The CPU, with trouble.
class TroubledDevice : public ProductDevice<double> {
 public:
  explicit TroubledDevice(Trouble trouble) : trouble_(std::move(trouble)), cpu_(cpu_device().make_double(1)) {}
  Status place(std::vector<double> x, std::uint64_t rows) override { return cpu_->place(std::move(x), rows); }
  Result<DeviceProduct<double>> prepare(const AnyView& a, const Spec& spec) override {
    const std::string format = std::visit([](const auto& view) { return name_of_view(view); }, a);
    SPRESS_CHECK(trouble_.on_prepare(format));
    SPRESS_TRY(auto product, cpu_->prepare(a, spec));
    product.kernel = "kernel of " + format;
    product.repeatable = trouble_.repeatable;
    if (!trouble_.after_run) return product;
    product.multiply = [this, format, right = product.multiply, runs = 0](const double* x,
                                                                          double* y) mutable -> Status {
      SPRESS_CHECK(right(x, y));
      return trouble_.after_run(format, y, runs++);
    };
    return product;
  }
  Status run(const DeviceProduct<double>& product) override { return cpu_->run(product); }
  Result<PairedTimes> time(const DeviceProduct<double>& a, const DeviceProduct<double>& b,
                           const Pairing& how) override {
    return cpu_->time(a, b, how);
  }
  Result<const double*> last_result() override { return cpu_->last_result(); }
  [[nodiscard]] int runs_to_judge() const override { return trouble_.runs_to_judge; }

 private:
  static std::string name_of_view(std::monostate) { return {}; }
  template <class View>
  static std::string name_of_view(const View&) {
    return std::string(View::name);
  }

  Trouble trouble_;
  std::unique_ptr<ProductDevice<double>> cpu_;
};

Device troubled(const Trouble& trouble) {
  Device device = cpu_device();
  device.peers.clear();
  device.make_double = [trouble](int) { return std::make_unique<TroubledDevice>(trouble); };
  return device;
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
  options.device.peers.clear();
  options.threads = 1;
  options.pairing = {0, 3, [ticks = 0]() mutable { return 1e-3 * ticks++; }};
  return options;
}

/// The same with raw values alone.
BenchOptions quick_raw(const std::string& formats) {
  BenchOptions options = quick(formats);
  options.choice = StoreChoice::listed;
  options.stores = {StoreKind::raw};
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
Peer peer(const std::string& name, Spoil spoil) {
  const auto prepare = [spoil]<class T>(const Csr<Viewed>& a, T) {
    DeviceProduct<T> product;
    product.multiply = [a, spoil, calls = 0](const T* x, T* y) mutable -> Status {
      cpu::spmv<T>(a, x, y, 1);
      spoil(y, calls++);
      return Ok{};
    };
    return Result<DeviceProduct<T>>(product);
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
  options.device.peers.push_back(peer("right", right));
  options.device.peers.push_back(peer("off", [](auto* y, int) { y[3] += 1; }));
  options.device.peers.push_back(peer("untouched", [](auto* y, int) { y[0] = std::nanf(""); }));
  options.device.peers.push_back(peer("later", [](auto* y, int calls) { y[5] += calls > 2 ? 1 : 0; }));
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

TEST(Bench, AWrongCsrIsARowAndOthersAreTimedWithoutIt) {
  Trouble wrong_csr;
  wrong_csr.after_run = [](const std::string& format, double* y, int) -> Status {
    if (format == "csr") y[2] += 1;
    return Ok{};
  };
  for (const char* formats : {"csr,coo", "coo"}) {
    BenchOptions options = quick_raw(formats);
    options.device = troubled(wrong_csr);
    const auto record = benched(matrix_of(tests::make_csr(scattered_scenario())), options);
    EXPECT_FALSE(record.ok);
    EXPECT_TRUE(std::isnan(record.csr_seconds));
    ASSERT_EQ(rows_of(record), (std::vector<std::string>{"csr:raw", "coo:raw"}));
    EXPECT_EQ(record.formats[0].ok, false);
    EXPECT_NE(record.formats[0].reason.find("row 2"), std::string::npos) << record.formats[0].reason;
    expect_untimed(record.formats[0]);
    EXPECT_EQ(record.formats[1].ok, true);
    EXPECT_NEAR(record.formats[1].seconds_median, 1e-3, 1e-9);
    EXPECT_TRUE(std::isnan(record.formats[1].speedup_vs_csr));
  }
}

TEST(Bench, ACsrThatIsWrongOnceLeavesARow) {
  Trouble once;
  once.after_run = [first = true](const std::string& format, double* y, int) mutable -> Status {
    if (format == "csr" && std::exchange(first, false)) y[2] += 1;
    return Ok{};
  };
  BenchOptions options = quick_raw("csr,coo");
  options.device = troubled(once);
  const auto record = benched(matrix_of(tests::make_csr(scattered_scenario())), options);
  EXPECT_FALSE(record.ok);
  ASSERT_EQ(rows_of(record), (std::vector<std::string>{"csr:raw", "csr:raw", "coo:raw"}));
  EXPECT_EQ(record.formats[0].ok, false);
  EXPECT_EQ(record.formats[1].ok, true);
}

TEST(Bench, WhatDoesNotFitTheDeviceIsNullAndTheRunGoesOn) {
  Trouble small;
  small.on_prepare = [](const std::string& format) -> Status {
    if (format != "coo") return Ok{};
    return Error{ErrorCode::too_large, "2 MB needed, 1 MB free"};
  };
  BenchOptions options = quick_raw("coo,sell");
  options.device = troubled(small);
  const auto record = benched(generated("poisson2d,n=4"), options);
  EXPECT_TRUE(record.ok);
  ASSERT_EQ(rows_of(record), (std::vector<std::string>{"coo:raw", "sell:raw"}));
  EXPECT_FALSE(record.formats[0].ok.has_value());
  EXPECT_EQ(record.formats[0].reason, "2 MB needed, 1 MB free");
  EXPECT_EQ(record.formats[0].bytes_per_nnz, 16);  // what did not fit is told
  expect_untimed(record.formats[0]);
  expect_timed(record.formats[1], record);
  EXPECT_EQ(record.formats[1].kernel, "kernel of sell");
}

TEST(Bench, AProductThatFailsIsFalse) {
  Trouble failing;
  failing.after_run = [](const std::string& format, double*, int run) -> Status {
    if (format != "coo" || run < 2) return Ok{};
    return Error{ErrorCode::damaged, "an illegal address"};
  };
  BenchOptions options = quick_raw("csr,coo");
  options.device = troubled(failing);
  const auto record = benched(generated("poisson2d,n=4"), options);
  EXPECT_FALSE(record.ok);
  EXPECT_EQ(record.formats.at(1).ok, false);
  EXPECT_EQ(record.formats.at(1).reason, "an illegal address");
  expect_untimed(record.formats.at(1));
}

TEST(Bench, OtherBitsInAnotherRunAreWrongWhereTheProductPromisesTheSame) {
  Trouble atomics;
  atomics.runs_to_judge = 3;
  atomics.after_run = [](const std::string& format, double* y, int run) -> Status {
    if (format == "coo" && run % 3 == 2) y[4] = std::nextafter(y[4], 1e9);  // within the bound
    return Ok{};
  };
  for (const bool promised : {true, false}) {
    atomics.repeatable = promised;
    BenchOptions options = quick_raw("csr,coo");
    options.device = troubled(atomics);
    const auto record = benched(matrix_of(tests::make_csr(scattered_scenario())), options);
    const BenchMeasure& row = record.formats.back();
    EXPECT_EQ(row.repeatable, promised);
    EXPECT_EQ(row.ok, !promised) << row.reason;
    const bool told = row.reason.find("run 3: row 4 has other bits") != std::string::npos;
    EXPECT_EQ(told, promised) << row.reason;
  }
}

TEST(Verify, ADeviceIsJudgedAsTheCpuIs) {
  Trouble trouble;
  trouble.runs_to_judge = 3;
  trouble.repeatable = true;
  trouble.after_run = [](const std::string& format, double* y, int run) -> Status {
    if (format == "coo" && run == 1) y[0] += 1;
    return Ok{};
  };
  trouble.on_prepare = [](const std::string& format) -> Status {
    if (format != "ell") return Ok{};
    return Error{ErrorCode::too_large, "2 MB needed, 1 MB free"};
  };
  VerifyOptions options;
  options.formats = parse_spec_list("csr,coo,ell").value();
  options.device = troubled(trouble);
  options.device.name = "A GPU";
  const auto record = verify(generated("poisson2d,n=4"), options);
  ASSERT_TRUE(record.ok()) << record.error().text();
  EXPECT_EQ(record->device, "A GPU");
  EXPECT_FALSE(record->ok);
  std::vector<reports::MeasureRecord> rows;
  for (const auto& row : record->formats)
    if (row.values == "raw") rows.push_back(row);
  ASSERT_EQ(rows.size(), 6u);  // double, then float, which is the CPU's
  EXPECT_EQ(rows[0].ok, true) << rows[0].reason;
  EXPECT_EQ(rows[0].kernel, "kernel of csr");
  EXPECT_EQ(rows[0].repeatable, true);
  EXPECT_EQ(rows[1].ok, false);
  EXPECT_NE(rows[1].reason.find("run 2: row 0"), std::string::npos) << rows[1].reason;
  EXPECT_FALSE(rows[2].ok.has_value());
  EXPECT_EQ(rows[2].reason, "2 MB needed, 1 MB free");
  EXPECT_EQ(rows[4].ok, true) << rows[4].reason;
  EXPECT_TRUE(rows[4].kernel.empty());
  options.formats = parse_spec_list("csr,coo,csr").value();
  EXPECT_EQ(verify(generated("poisson2d,n=4"), options).error().code, ErrorCode::usage);
}

/// A format that takes no store but raw values says so once for each type, and only where it holds nothing of that
/// type.
TEST(Verify, FormatsWithValuesOfTheirOwnHaveOneRow) {
  VerifyOptions options;
  options.formats = parse_spec_list("csr,bccoo").value();
  const auto record = verify(generated("poisson2d,n=4"), options);
  ASSERT_TRUE(record.ok()) << record.error().text();
  EXPECT_TRUE(record->ok);
  std::map<std::string, std::size_t> rows;
  for (const auto& row : record->formats) ++rows[row.format + " " + row.type];
  EXPECT_GE(rows["csr double"], 4u);  // -1 and 4: raw, narrow, and both tables
  EXPECT_EQ(rows["bccoo double"], 1u);
  EXPECT_EQ(rows["bccoo float"], 1u);
}

TEST(Bench, PeersComeAfterCsrAndMayBeUnable) {
  BenchOptions options = quick("coo,csr,ell");
  options.choice = StoreChoice::listed;
  options.stores = {StoreKind::raw};
  options.device.peers.push_back(peer("one", [](auto*, int) {}));
  const Error unable = {ErrorCode::not_applicable, "indices of 32 bits"};
  options.device.peers.push_back(
      {"two", [&](const Csr<Viewed>&, int) { return Result<DeviceProduct<double>>(unable); }, {}});
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
  for (const Peer& built : cpu_device().peers) {
    BenchOptions options = quick("csr");
    int threads = 0;
    options.device.peers.push_back(built);
    options.device.peers[0].prepare_float = [&](const Csr<Viewed>& a, int given) {
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

TEST(Bench, FloatRefusesWhatItWouldMakeInfinite) {
  tests::Scenario scenario = scattered_scenario();
  scenario.values.assign(scenario.entries.size(), 1.0);
  scenario.values[7] = -1e300;
  BenchOptions options = quick("csr,coo");
  options.value = ValueType::f32;
  const auto record = benched(matrix_of(tests::make_csr(scenario)), options);
  EXPECT_TRUE(record.ok);
  ASSERT_EQ(record.formats.size(), 2u);
  const auto csr = tests::make_csr(scenario);
  for (const BenchMeasure& row : record.formats) {
    EXPECT_FALSE(row.ok.has_value());
    expect_untimed(row);
    EXPECT_NE(row.reason.find("-1e+300"), std::string::npos) << row.reason;
  }
  options.value = ValueType::f64;
  EXPECT_EQ(benched(matrix_of(tests::make_csr(scenario)), options).formats.at(0).ok, true);
  for (const double value : {3.4e38, std::numeric_limits<double>::infinity(), 1e-300}) {  // no overflow
    scenario.values[7] = value;
    options.value = ValueType::f32;
    EXPECT_EQ(benched(matrix_of(tests::make_csr(scenario)), options).formats.at(0).ok, true) << value;
  }
}

TEST(Bench, TellsTheWorkingSetFromTheCache) {
  BenchOptions options = quick("csr");
  const std::uint64_t working_set = (12 * 64 + 4 * 17) + 2 * 16 * 8;  // poisson2d,n=4: 16 rows, 64 entries
  options.machine.last_level_cache_bytes = working_set;
  EXPECT_TRUE(benched(generated("poisson2d,n=4"), options).working_set_in_cache);
  options.machine.last_level_cache_bytes = working_set - 1;
  EXPECT_FALSE(benched(generated("poisson2d,n=4"), options).working_set_in_cache);
  options.device.kind = DeviceKind::cuda;  // twice its cache
  options.machine.last_level_cache_bytes = working_set / 2;
  EXPECT_TRUE(benched(generated("poisson2d,n=4"), options).working_set_in_cache);
  options.machine.last_level_cache_bytes = working_set / 2 - 1;
  EXPECT_FALSE(benched(generated("poisson2d,n=4"), options).working_set_in_cache);
}

TEST(Bench, OnAGpuThePeersAreCusparses) {
  BenchOptions options = quick("csr,coo");
  options.device.peers.push_back(peer("cusparse-csr-alg1", [](auto*, int) {}));
  EXPECT_TRUE(std::isnan(benched(generated("poisson2d,n=4"), options).formats.at(0).speedup_vs_best_cusparse));
  options.device.kind = DeviceKind::cuda;
  const auto record = benched(generated("poisson2d,n=4"), options);
  for (const BenchMeasure& row : record.formats) {
    if (row.peer)
      EXPECT_TRUE(std::isnan(row.speedup_vs_best_cusparse));
    else
      EXPECT_EQ(row.speedup_vs_best_cusparse, row.speedup_vs_best_peer) << row.format;
  }
  EXPECT_TRUE(std::isfinite(record.formats.at(0).speedup_vs_best_cusparse));
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

TEST(Machine, SaysWhatIsMissingForAGpu) {
  EXPECT_TRUE(check_device(DeviceKind::cpu).ok());
  const auto present = check_device(DeviceKind::cuda);
  EXPECT_EQ(find_device(DeviceKind::cuda).ok(), present.ok());
  if (present.ok()) return;
  EXPECT_EQ(present.error().code, ErrorCode::unsupported);
  EXPECT_NE(present.error().message.find("GPU"), std::string::npos) << present.error().message;
  EXPECT_EQ(machine_record(1, DeviceKind::cuda).device, "cpu");
  EXPECT_TRUE(std::isnan(copy_bandwidth(DeviceKind::cuda, 1)));
}

}  // namespace
}  // namespace spress::pipeline
