// Every byte arrives, from whatever memory, and work on a piece sees that piece and those before it.
#include "kernels/cuda/device/transfer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/kernels/cuda/needs_device.hpp"

namespace spress::cuda {
namespace {

/// Numbers that tell their place; more than the buffers of a courier hold.
std::vector<std::uint32_t> numbers(std::size_t count = 8'000'003) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 1u);
  return out;
}

TEST(Courier, BringsEveryByte) {
  NEEDS_DEVICE();
  const auto sent = numbers();
  const std::size_t bytes = sent.size() * sizeof sent[0], cut = 12'345'678;
  auto courier = Courier::make();
  auto device = allocate(bytes, "numbers");
  auto pinned = allocate_pinned(bytes, "numbers");
  ASSERT_TRUE(courier.ok() && device.ok() && pinned.ok());
  std::memcpy(pinned->data(), sent.data(), bytes);
  for (const void* from : {static_cast<const void*>(sent.data()), static_cast<const void*>(pinned->data())})
    for (const Departure departure : {Departure::direct, Departure::staged}) {
      ASSERT_TRUE(fill_bytes(device->data(), 0xFF, bytes).ok() && synchronize().ok());
      const auto* host = static_cast<const std::uint8_t*>(from);
      const Copy copies[] = {{device->as<std::uint8_t>() + cut, host + cut, bytes - cut},
                             {device->data(), nullptr, 0},
                             {device->data(), host, cut}};
      ASSERT_TRUE(courier->send(copies, departure).ok());
      const auto back = download<std::uint32_t>(*device, sent.size());
      ASSERT_TRUE(back.ok());
      EXPECT_EQ(*back, sent);
    }
}

TEST(Courier, WorksOnAPieceWhenItHasArrived) {
  NEEDS_DEVICE();
  const auto sent = numbers();
  const std::size_t bytes = sent.size() * sizeof sent[0], half = bytes / 2 / 4 * 4;
  auto courier = Courier::make();
  auto device = allocate(bytes, "numbers");
  ASSERT_TRUE(courier.ok() && device.ok());
  for (const Departure departure : {Departure::direct, Departure::staged}) {
    const auto* host = reinterpret_cast<const std::uint8_t*>(sent.data());
    auto* there = device->as<std::uint8_t>();
    // The first piece is wiped out once it is there, the second as soon as it is: the first word of each stays 0.
    const auto wipe = [](void* at) { return [at](Stream stream) { return fill_bytes(at, 0, 4, stream); }; };
    const TransferPiece pieces[] = {{{{there, host, half}}, wipe(there)},
                                    {{{there + half, host + half, bytes - half}}, wipe(there + half)},
                                    {{}, {}}};
    ASSERT_TRUE(courier->send(pieces, departure).ok());
    auto expected = sent;
    expected[0] = expected[half / 4] = 0;
    const auto back = download<std::uint32_t>(*device, sent.size());
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, expected);
  }
}

TEST(Courier, TellsOfWorkThatFails) {
  NEEDS_DEVICE();
  auto courier = Courier::make();
  ASSERT_TRUE(courier.ok());
  const TransferPiece piece = {{}, [](Stream) -> Status { return Error{ErrorCode::damaged, "broken"}; }};
  const auto status = courier->send(std::span(&piece, 1));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "broken");
}

TEST(Pinned, NothingForNoBytesAndAnErrorForTooMany) {
  NEEDS_DEVICE();
  const auto none = allocate_pinned(0, "nothing");
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->data(), nullptr);
  const auto much = allocate_pinned(std::size_t{1} << 60, "everything");
  ASSERT_FALSE(much.ok());
  EXPECT_NE(much.error().message.find("everything"), std::string::npos);
}

}  // namespace
}  // namespace spress::cuda
