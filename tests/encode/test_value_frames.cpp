#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "encode/value_frames.hpp"

namespace spress {
namespace {

/// Codes of `entries` entries that stand in turns of `per_turn`.
CodeBytes in_turns(std::uint32_t entries, std::uint32_t per_turn) {
  CodeBytes sums = {};
  for (std::uint32_t bytes = 0; bytes < sums.size(); ++bytes)
    for (std::uint32_t left = entries; left != 0; left -= std::min(left, per_turn))
      sums[bytes] += turn_code_bytes(std::min(left, per_turn), bytes);
  return sums;
}

/// Numbers next to one another, and one that is far from them.
std::vector<std::uint64_t> all_but_one(std::uint32_t entries) {
  std::vector<std::uint64_t> bits;
  for (std::uint32_t k = 0; k < entries; ++k) bits.push_back(std::bit_cast<std::uint64_t>(1.5) + k);
  bits[entries / 2] = std::bit_cast<std::uint64_t>(-1e300);
  return bits;
}

TEST(FrameFinder, CountsWhatEachTurnIsPaddedTo) {
  const auto bits = all_but_one(20);
  FrameFinder finder;
  const auto together = finder.find(bits, in_turns(20, 20), false);
  EXPECT_EQ(together.frame.bytes, 1u);
  EXPECT_EQ(together.frame.exceptions, 1u);
  EXPECT_EQ(together.bytes, 16u + 32);  // the exception, and codes of 20 bytes
  // Two to a turn take 16 bytes at any width: an exception would only come on top.
  const auto apart = finder.find(bits, in_turns(20, 2), false);
  EXPECT_EQ(apart.frame.exceptions, 0u);
  EXPECT_EQ(apart.bytes, 10u * 16);
}

TEST(FrameFinder, TellsTheBytesOfTheFrameItFinds) {
  FrameFinder finder;
  for (std::uint32_t entries : {1u, 5u, 64u, 200u})
    for (std::uint32_t per_turn : {1u, 3u, 128u})
      for (bool decimals : {false, true}) {
        const CodeBytes codes = in_turns(entries, per_turn);
        const auto found = finder.find(all_but_one(entries), codes, decimals);
        EXPECT_EQ(found.bytes, found.frame.exception_bytes() + codes[found.frame.bytes]);
        EXPECT_LE(found.bytes, codes[8]);
      }
  EXPECT_EQ(finder.find({}, {}, true).bytes, 0u);
}

}  // namespace
}  // namespace spress
