#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>

#include "formats/parallel.hpp"

namespace spress {
namespace {

TEST(RegionErrors, OneOfThemIsThrownBehindTheRegion) {
  RegionErrors errors;
  std::atomic<int> calls = 0;
  const auto work = [&](int i) {
    ++calls;
    if (i % 2 == 1) throw std::out_of_range("item");
  };
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int i = 0; i < 100; ++i) errors.attempt(work, i);
  EXPECT_THROW(errors.rethrow(), std::out_of_range);
  EXPECT_LT(calls, 100) << "nothing more is begun once something was thrown";
  const int before = calls;
  errors.attempt(work, 0);
  EXPECT_EQ(calls, before);
}

TEST(RegionErrors, NoneIsNothing) {
  RegionErrors errors;
  int sum = 0;
  errors.attempt([&](int a, int& to) { to += a; }, 3, sum);
  errors.attempt([&](int a, int& to) { to += a; }, 4, sum);
  errors.rethrow();
  EXPECT_EQ(sum, 7);
}

TEST(AllRanges, WhatACallThrowsReachesTheCaller) {
  for (int threads : {1, 4})
    EXPECT_THROW(static_cast<void>(all_ranges(1 << 20, threads,
                                              [](std::uint64_t, std::uint64_t last) -> bool {
                                                if (last > 700000) throw std::bad_alloc();
                                                return true;
                                              })),
                 std::bad_alloc);
}

}  // namespace
}  // namespace spress
