#include "formats/core/in_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace spress {
namespace {

int no_worker() { return 0; }

/// The first of some items takes longest, so that the others are ready before it.
void take_long_for_the_first(std::size_t i) {
  if (i % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(ParallelInOrder, ResultsAreTakenInOrderAndNoneAfterAnError) {
  for (const int threads : {1, 4})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{100}})
      for (const std::size_t wrong : {count, count / 2}) {
        std::vector<std::size_t> taken;
        const Status status = parallel_in_order(
            count, threads, no_worker,
            [](int&, std::size_t i) {
              take_long_for_the_first(i);
              return std::vector<std::size_t>(1, 3 * i);
            },
            [&](const std::vector<std::size_t>& result, std::size_t i) -> Status {
              EXPECT_EQ(result, std::vector<std::size_t>(1, 3 * i));
              taken.push_back(i);
              if (i == wrong) return Error{ErrorCode::unwritable, "item " + std::to_string(i)};
              return Ok{};
            });
        EXPECT_EQ(status.ok(), wrong == count);
        ASSERT_EQ(taken.size(), std::min(count, wrong + 1)) << "on " << threads;
        for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], i);
      }
}

TEST(ParallelInOrder, FewResultsWaitForASlowOne) {
  constexpr int threads = 3;
  std::atomic<std::size_t> begun = 0, taken = 0, most = 0;
  const Status status = parallel_in_order(
      100, threads, no_worker,
      [&](int&, std::size_t i) {
        const std::size_t ahead = ++begun - taken;
        for (std::size_t before = most; before < ahead && !most.compare_exchange_weak(before, ahead);) continue;
        take_long_for_the_first(i);
        return i;
      },
      [&](std::size_t, std::size_t) -> Status {
        ++taken;
        return Ok{};
      });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(taken, 100u);
  EXPECT_LE(most, 2u * threads);
}

TEST(ParallelInOrder, WhatACallThrowsIsThrownAgainAndNothingWaits) {
  for (const int threads : {1, 4})
    for (const std::string thrower : {"make_worker", "work", "take"}) {
      std::atomic<std::size_t> taken = 0;
      const auto throw_in = [&](const std::string& call, std::size_t i) {
        if (call == thrower && i == 10) throw std::out_of_range(call);
      };
      EXPECT_THROW((void)parallel_in_order(
                       100, threads,
                       [&] {
                         throw_in("make_worker", 10);
                         return 0;
                       },
                       [&](int&, std::size_t i) {
                         throw_in("work", i);
                         return i;
                       },
                       [&](std::size_t, std::size_t i) -> Status {
                         ++taken;
                         throw_in("take", i);
                         return Ok{};
                       }),
                   std::out_of_range)
          << thrower;
      EXPECT_LE(taken, 11u);
    }
}

}  // namespace
}  // namespace spress
