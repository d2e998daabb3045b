// The device's clock, on copies whose time is known to grow with their size.
#include "kernels/cuda/device/timing.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/kernels/cuda/needs_device.hpp"

namespace spress {
namespace {

/// Seconds that filling `bytes` so many times takes, by the device's clock.
Result<double> seconds_to_fill(cuda::EventTimer& timer, const cuda::DeviceMemory& memory, int times) {
  SPRESS_CHECK(timer.start());
  for (int i = 0; i < times; ++i) SPRESS_CHECK(cuda::fill_bytes(memory.data(), i, memory.bytes()));
  return timer.stop();
}

TEST(EventTimer, CountsWhatTheDeviceWorks) {
  NEEDS_DEVICE();
  auto timer = cuda::EventTimer::make();
  ASSERT_TRUE(timer.ok()) << timer.error().text();
  const auto memory = cuda::allocate(std::size_t{256} << 20, "a test");
  ASSERT_TRUE(memory.ok()) << memory.error().text();
  ASSERT_TRUE(seconds_to_fill(*timer, *memory, 2).ok());  // to warm up
  const auto before = std::chrono::steady_clock::now();
  const auto few = seconds_to_fill(*timer, *memory, 10), many = seconds_to_fill(*timer, *memory, 100);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  ASSERT_TRUE(few.ok() && many.ok());
  EXPECT_GT(*few, 0);
  EXPECT_GT(*many, 3 * *few);
  EXPECT_LE(*few + *many, wall.count());  // `stop` waits
}

TEST(EventTimer, CanBeMoved) {
  NEEDS_DEVICE();
  auto made = cuda::EventTimer::make();
  ASSERT_TRUE(made.ok());
  cuda::EventTimer timer = std::move(made).value();
  ASSERT_TRUE(timer.start().ok());
  const auto seconds = timer.stop();
  ASSERT_TRUE(seconds.ok()) << seconds.error().text();
  EXPECT_GE(*seconds, 0);
  EXPECT_LT(*seconds, 1);
}

TEST(KeepBusy, TakesTheDeviceAsLongAsAsked) {
  NEEDS_DEVICE();
  auto timer = cuda::EventTimer::make();
  ASSERT_TRUE(timer.ok() && cuda::keep_busy(0).ok());  // to warm up
  ASSERT_TRUE(timer->start().ok() && cuda::keep_busy(2e-3).ok());
  const auto seconds = timer->stop();
  ASSERT_TRUE(seconds.ok()) << seconds.error().text();
  EXPECT_GE(*seconds, 1.9e-3);
  EXPECT_LT(*seconds, 1);
}

}  // namespace
}  // namespace spress
