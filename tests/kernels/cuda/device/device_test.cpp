#include "kernels/cuda/device/device.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tests/kernels/cuda/needs_device.hpp"

namespace {

using spress::ErrorCode;

TEST(Device, IsDescribed) {
  NEEDS_DEVICE();
  const auto info = spress::cuda::device_info();
  ASSERT_TRUE(info.ok()) << info.error().text();
  EXPECT_FALSE(info->name.empty());
  EXPECT_GE(info->compute_capability, 80);
  EXPECT_GE(info->driver_version, 12000);
  EXPECT_GE(info->runtime_version, 12000);
  EXPECT_GT(info->multiprocessors, 0);
  EXPECT_GT(info->l2_bytes, 0u);
  EXPECT_GT(info->memory_total, std::size_t{1} << 30);
  EXPECT_LE(info->memory_free, info->memory_total);
}

TEST(Device, CopyBandwidthIsThatOfDeviceMemory) {
  NEEDS_DEVICE();
  const auto bandwidth = spress::cuda::measure_copy_bandwidth(std::size_t{1} << 28, 5);
  ASSERT_TRUE(bandwidth.ok()) << bandwidth.error().text();
  RecordProperty("bytes_per_second", std::to_string(*bandwidth));
  EXPECT_GT(*bandwidth, 100e9);  // any device with HBM or GDDR6; the host's memory is far below
  EXPECT_LT(*bandwidth, 50e12);
}

TEST(Device, RefusesWhatDoesNotFit) {
  NEEDS_DEVICE();
  const auto info = spress::cuda::device_info();
  ASSERT_TRUE(info.ok());
  const auto bandwidth = spress::cuda::measure_copy_bandwidth(2 * info->memory_total, 1);
  ASSERT_FALSE(bandwidth.ok());
  EXPECT_EQ(bandwidth.error().code, ErrorCode::too_large) << bandwidth.error().text();
  EXPECT_TRUE(spress::cuda::measure_copy_bandwidth(std::size_t{1} << 20, 1).ok())
      << "a failed call must leave no trace";
}

TEST(Device, NamesWhatIsMissing) {
  const auto info = spress::cuda::device_info(1000);
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.error().code, ErrorCode::unsupported);
  EXPECT_NE(info.error().message.find("device 1000"), std::string::npos) << info.error().message;
  EXPECT_NE(info.error().message.find("present"), std::string::npos) << info.error().message;
}

TEST(Device, RefusesAnEmptyMeasurement) {
  const auto none = spress::cuda::measure_copy_bandwidth(15);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::usage);
  EXPECT_EQ(spress::cuda::measure_copy_bandwidth(1 << 20, 0).error().code, ErrorCode::usage);
}

}  // namespace
