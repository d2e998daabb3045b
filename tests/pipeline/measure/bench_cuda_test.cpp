// Verify and bench on the device: every format and store is right and timed, and cuSPARSE beside them.
#ifdef SPRESS_WITH_CUDA

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "encode/shared/any.hpp"
#include "pipeline/measure/bench.hpp"
#include "pipeline/measure/verify.hpp"
#include "pipeline/source.hpp"
#include "tests/kernels/cuda/needs_device.hpp"

namespace spress::pipeline {
namespace {

Matrix generated(const std::string& name) {
  auto matrix = load("gen:" + name);
  EXPECT_TRUE(matrix.ok()) << name;
  return std::move(matrix).value();
}

TEST(MachineOnDevice, IsDescribed) {
  NEEDS_DEVICE();
  const auto machine = machine_record(2, DeviceKind::cuda);
  EXPECT_NE(machine.device, "cpu");
  EXPECT_NE(machine.driver.value_or("").find("CUDA"), std::string::npos);
  EXPECT_EQ(machine.instruction_set.rfind("sm_", 0), 0u);
  EXPECT_GT(machine.last_level_cache_bytes, 0u);
  EXPECT_GT(copy_bandwidth(DeviceKind::cuda, 1), 100);
}

TEST(BenchOnDevice, EveryFormatIsTimed) {
  NEEDS_DEVICE();
  BenchOptions options;
  options.device = find_device(DeviceKind::cuda).value();
  options.pairing = {0, 3, {}};
  options.threads = 2;
  for (const ValueType type : {ValueType::f64, ValueType::f32}) {
    options.value = type;
    const auto record = bench(generated("stencil27,n=12,values=noise"), options);
    ASSERT_TRUE(record.ok()) << record.error().text();
    EXPECT_TRUE(record->ok);
    EXPECT_GT(record->csr_seconds, 0);
    std::set<std::string> timed;
    for (const auto& row : record->formats) {
      if (row.peer && !row.ok.has_value()) continue;
      EXPECT_EQ(row.ok, true) << row.format << ": " << row.reason;
      EXPECT_GT(row.seconds_median, 0) << row.format;
      EXPECT_LT(row.seconds_median, 0.1) << row.format;
      EXPECT_GT(row.speedup_vs_csr, 0) << row.format;
      EXPECT_FALSE(row.kernel.empty()) << row.format;
      EXPECT_TRUE(row.repeatable.has_value()) << row.format;
      if (!row.peer) timed.insert(row.format);
    }
    EXPECT_EQ(timed.size(), all_formats().size());
  }
}

/// Ends the process with 0 if the device refuses to prepare a product as `damaged` once a kernel has failed.
[[noreturn]] void fail_and_prepare_again() {
  const auto matrix = generated("stencil7,n=20");
  auto broken = view_of(matrix.csr);
  const HostArray<std::uint32_t> astray(broken.nnz, 0x7FFFFFFFu);
  broken.col_idx = {astray.data(), astray.size()};
  const auto device = find_device(DeviceKind::cuda).value().make_double(1);
  if (!device->place(test_vector<double>(broken.cols), broken.rows).ok()) std::exit(1);
  const auto product = device->prepare(broken, {"csr", {}});
  if (!product.ok() || device->run(*product).ok()) std::exit(2);
  const auto next = device->prepare(view_of(matrix.csr), {"csr", {}});
  const bool told = !next.ok() && next.error().code == ErrorCode::damaged &&
                    next.error().message.find("an earlier fault") != std::string::npos;
  std::exit(told ? 0 : 3);
}

TEST(BenchOnDeviceDeathTest, WhatComesAfterAFaultIsToldAsSuch) {
  NEEDS_DEVICE();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fail_and_prepare_again(), testing::ExitedWithCode(0), "");
}

TEST(VerifyOnDevice, EveryFormatAndStoreIsRight) {
  NEEDS_DEVICE();
  VerifyOptions options;
  options.device = find_device(DeviceKind::cuda).value();
  options.threads = 2;
  for (const char* name : {"stencil27,n=8", "arrow,n=300", "fem3d,n=5", "empty,rows=9,cols=7"}) {
    const auto record = verify(generated(name), options);
    ASSERT_TRUE(record.ok()) << record.error().text();
    EXPECT_EQ(record->device, options.device.name);
    for (const auto& row : record->formats) {
      EXPECT_TRUE(row.ok.value_or(true)) << name << ": " << row.format << " " << row.values << ": " << row.reason;
      EXPECT_TRUE(row.ok.has_value() || row.format != "csr") << name << ": " << row.reason;
    }
  }
}

}  // namespace
}  // namespace spress::pipeline

#endif
