#include "formats/core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

#include "formats/core/each_index.hpp"

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

TEST(EachIndex, EveryOneIsTakenOnce) {
  for (const int threads : {1, 4})
    for (const std::uint64_t n : {0, 1, 1023, 1024, 5000}) {
      std::vector<int> taken(n), shared(n);
      each_index(n, threads, [&](std::uint64_t i, std::size_t t) {
        EXPECT_LT(t, static_cast<std::size_t>(threads));
        ++taken[i];
      });
      share_index(n, threads, [&](std::uint64_t i) { ++shared[i]; });
      EXPECT_EQ(taken, std::vector<int>(n, 1)) << n << " on " << threads;
      EXPECT_EQ(shared, taken) << n << " on " << threads;
    }
}

TEST(EachIndex, SumsAreOfAll) {
  struct Sum {
    std::uint64_t numbers = 0, squares = 0;
    void operator+=(const Sum& other) {
      numbers += other.numbers;
      squares += other.squares;
    }
  };
  for (const int threads : {1, 4})
    for (const std::uint64_t n : {0, 1, 1024, 1025, 5000}) {
      const Sum sum = sum_over<Sum>(n, threads, [](std::uint64_t i) { return Sum{i, i * i}; });
      EXPECT_EQ(sum.numbers, n == 0 ? 0 : n * (n - 1) / 2) << n << " on " << threads;
      EXPECT_EQ(sum.squares, n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6) << n << " on " << threads;
    }
}

}  // namespace
}  // namespace spress
