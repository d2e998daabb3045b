#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
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

/// The fewest bytes in a frame of shared bits at this scale, by trying every window of every length.
std::uint64_t least_at(const std::vector<std::uint64_t>& bits, std::uint32_t scale, const CodeBytes& codes) {
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t b : bits)
    if (const std::uint64_t magnitude = b & ~std::uint64_t{0} >> 1; magnitude >> scale << scale == magnitude)
      numbers.push_back(magnitude >> scale << 1 | b >> 63);
  std::sort(numbers.begin(), numbers.end());
  std::uint64_t least = codes[8];
  if (numbers.size() == bits.size() && numbers.front() == numbers.back()) return codes[0];
  for (std::uint32_t bytes = 1; bytes < 8; ++bytes)
    for (std::size_t first = 0; first < numbers.size(); ++first)
      for (std::size_t last = first; last < numbers.size(); ++last) {
        const ValueFrame frame{.bytes = bytes,
                               .exceptions = static_cast<std::uint32_t>(bits.size() - (last + 1 - first))};
        if (frame.exceptions > frame.top_code() || numbers[last] - numbers[first] > frame.last_code()) continue;
        least = std::min(least, codes[bytes] + frame.exception_bytes());
      }
  return least;
}

TEST(FrameFinder, FindsTheBestWindow) {
  std::mt19937_64 random(11);
  FrameFinder finder;
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t entries = 1 + static_cast<std::uint32_t>(random() % 60);
    const int shift = static_cast<int>(random() % 50), far = static_cast<int>(2 + random() % 20);
    std::vector<std::uint64_t> bits(entries);
    for (std::uint64_t& b : bits) {
      b = (std::bit_cast<std::uint64_t>(1.5) + random() % 1000 * (random() % 3)) >> shift << shift;
      if (random() % static_cast<std::uint64_t>(far) == 0) b += random() >> (10 + random() % 40);
      b |= random() % 5 == 0 ? std::uint64_t{1} << 63 : 0;
    }
    const CodeBytes codes = in_turns(entries, 1 + static_cast<std::uint32_t>(random() % 128));
    const auto found = finder.find(bits, codes, false);
    if (found.frame.bytes != 8) {
      EXPECT_EQ(found.bytes, least_at(bits, found.frame.scale, codes)) << round;
    }
    std::uint32_t of_all = ValueFrame::most_bits;
    for (const std::uint64_t b : bits)
      of_all = std::min(of_all, static_cast<std::uint32_t>(std::countr_zero(b & ~std::uint64_t{0} >> 1)));
    EXPECT_LE(found.bytes, least_at(bits, of_all, codes)) << round;
  }
}

}  // namespace
}  // namespace spress
