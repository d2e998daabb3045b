#include "analyze/value_counts.hpp"

#include <gtest/gtest.h>

#include <map>

namespace spress::analyze {
namespace {

TEST(MostFrequent, ByHand) {
  const std::vector<std::uint64_t> bits = {5, 9, 5, 1, 9, 2, 5};
  EXPECT_EQ(most_frequent(bits.data(), bits.size(), 256), (std::vector<std::uint64_t>{5, 9, 1, 2}));
  EXPECT_EQ(most_frequent(bits.data(), bits.size(), 3), (std::vector<std::uint64_t>{5, 9, 1}));
  EXPECT_TRUE(most_frequent(bits.data(), 0, 256).empty());
}

TEST(MostFrequent, ComplexValuesGoByBothParts) {
  const std::vector<Bytes16> bits = {{1, 2}, {1, 1}, {0, 9}, {1, 2}};
  EXPECT_EQ(most_frequent(bits.data(), bits.size(), 2), (std::vector<Bytes16>{{1, 2}, {0, 9}}));
}

/// Few and many distinct values take different ways, and so do one and several threads: the answer is one.
TEST(MostFrequent, AgreesWithSorting) {
  for (const std::uint32_t distinct : {100u, 4096u, 5000u, 60000u}) {
    std::vector<std::uint32_t> bits(100000);
    std::map<std::uint32_t, std::uint64_t> counts;
    for (std::uint64_t i = 0; i < bits.size(); ++i)
      ++counts[bits[i] = static_cast<std::uint32_t>((i * i * 2654435761u >> 7) % distinct) * 3 + 1];
    std::vector<std::pair<std::uint32_t, std::uint64_t>> order(counts.begin(), counts.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < std::min<std::size_t>(256, order.size()); ++i) expected.push_back(order[i].first);
    for (int threads : {1, 3})
      EXPECT_EQ(most_frequent(bits.data(), bits.size(), 256, threads), expected) << distinct << " " << threads;
  }
}

}  // namespace
}  // namespace spress::analyze
