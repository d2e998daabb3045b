#include "kernels/cuda/device/graph.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "tests/kernels/cuda/needs_device.hpp"

namespace spress::cuda {
namespace {

constexpr std::size_t bytes = 1 << 10;

Status set(const DeviceMemory& memory, int byte, Stream stream = nullptr) {
  return fill_bytes(memory.data(), byte, memory.bytes(), stream);
}

std::vector<unsigned char> read(const DeviceMemory& memory) {
  auto host = download<unsigned char>(memory, memory.bytes());
  EXPECT_TRUE(host.ok());
  return host.ok() ? std::move(*host) : std::vector<unsigned char>();
}

TEST(Graph, RunsWhatWasCapturedEachTimeItIsLaunchedAndNotBefore) {
  NEEDS_DEVICE();
  const auto memory = allocate(bytes, "a test");
  ASSERT_TRUE(memory.ok() && set(*memory, 1).ok());
  const auto graph = Graph::capture([&](Stream stream) { return set(*memory, 2, stream); });
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  EXPECT_EQ(read(*memory), std::vector<unsigned char>(bytes, 1));
  for (int byte : {3, 4}) {
    ASSERT_TRUE(set(*memory, byte).ok());
    ASSERT_TRUE(graph->launch().ok());
    EXPECT_EQ(read(*memory), std::vector<unsigned char>(bytes, 2));
  }
}

TEST(Graph, CapturesWorkAsOftenAsAskedUnlessItFails) {
  NEEDS_DEVICE();
  int calls = 0;
  EXPECT_TRUE(Graph::capture([&](Stream) -> Status { return ++calls, Ok{}; }, 5).ok());
  EXPECT_EQ(calls, 5);
  EXPECT_FALSE(Graph::capture([&](Stream) -> Status { return ++calls, Error{ErrorCode::usage, "no"}; }, 5).ok());
  EXPECT_EQ(calls, 6);
}

TEST(Graph, TellsWhatWorkMetAndLeavesNoCaptureBehind) {
  NEEDS_DEVICE();
  const auto refused = Graph::capture([](Stream) -> Status { return Error{ErrorCode::too_large, "no room"}; });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  const auto waits = Graph::capture([](Stream stream) { return synchronize(stream); });
  ASSERT_FALSE(waits.ok());
  EXPECT_EQ(waits.error().code, ErrorCode::unsupported);
  const auto memory = allocate(bytes, "a test");
  ASSERT_TRUE(memory.ok() && set(*memory, 5).ok());
  EXPECT_EQ(read(*memory), std::vector<unsigned char>(bytes, 5));
}

}  // namespace
}  // namespace spress::cuda
