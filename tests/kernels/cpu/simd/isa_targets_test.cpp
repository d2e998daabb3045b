// The targets of `./dev bench isa`, on times made up for the purpose.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/isa/turns.hpp"

namespace spress::bench {
namespace {

using Places = std::vector<std::size_t>;

TEST(IsaTargets, ComparesACeilingWithTheBestLowerOne) {
  const std::vector<Timed> ceilings = {{"portable", 1.0}, {"avx2", 0.5}, {"avx512", 0.75}};
  EXPECT_TRUE(std::isnan(to_best_lower(ceilings, 0)));
  EXPECT_EQ(to_best_lower(ceilings, 1), 0.5);
  EXPECT_EQ(to_best_lower(ceilings, 2), 1.5);
  EXPECT_EQ(slow_ceilings(ceilings, 1), Places{2});
}

TEST(IsaTargets, AllowsMoreOnSeveralThreads) {
  const std::vector<Timed> ceilings = {{"portable", 1.0}, {"avx2", 1.05}, {"avx512", 1.09}};
  EXPECT_EQ(slow_ceilings(ceilings, 1), (Places{1, 2}));
  EXPECT_EQ(slow_ceilings(ceilings, 2), Places{2});
}

TEST(IsaTargets, LeavesOutWhatWasNotTimed) {
  const std::vector<Timed> ceilings = {{"portable", 1.0}, {"avx2", std::nan(""), "row 3 is wrong"}, {"avx512", 1.2}};
  EXPECT_EQ(slow_ceilings(ceilings, 1), Places{2});
  EXPECT_EQ(faster_than_first({{"csr", std::nan(""), "row 3 is wrong"}, {"peer", 1.0}}, 0.97), Places{});
}

TEST(IsaTargets, FindsFasterPeers) {
  EXPECT_EQ(faster_than_first({{"csr", 1.0}, {"a", 0.96}, {"b", 0.98}, {"c", 1.5}}, least_of_peer), Places{1});
  EXPECT_EQ(faster_than_first({{"csr", 1.0}, {"a", 0.5}}, 0), Places{});
}

TEST(IsaTargets, RunsContendersInTurnAndSkipsWrongOnes) {
  std::string order;
  std::vector<Contender> contenders(3);
  for (std::size_t i = 0; i < contenders.size(); ++i)
    contenders[i].product = [&order, name = static_cast<char>('A' + i)] {
      if (order.empty() || order.back() != name) order += name;
    };
  contenders[1].result.wrong = "row 0 is wrong";
  time_in_turns(contenders, {.runs = 3, .seconds = 0});
  EXPECT_EQ(order, "ACACAC");
  EXPECT_TRUE(std::isfinite(contenders[0].result.seconds));
  EXPECT_TRUE(std::isnan(contenders[1].result.seconds));
}

}  // namespace
}  // namespace spress::bench
