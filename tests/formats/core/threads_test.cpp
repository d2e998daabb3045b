#include "formats/core/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

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

TEST(ParallelAllOf, WhatACallThrowsReachesTheCaller) {
  for (int threads : {1, 4})
    EXPECT_THROW(static_cast<void>(parallel_all_of(1 << 20, threads,
                                                   [](std::uint64_t, std::uint64_t last) -> bool {
                                                     if (last > 700000) throw std::bad_alloc();
                                                     return true;
                                                   })),
                 std::bad_alloc);
}

TEST(ParallelFor, EveryItemIsTakenOnce) {
  for (const int threads : {1, 4})
    for (const std::uint64_t n : {0, 1, 1023, 1024, 5000}) {
      std::vector<int> taken(n), shared(n);
      parallel_for_dynamic(n, threads, [&](std::uint64_t i, std::size_t t) {
        EXPECT_LT(t, static_cast<std::size_t>(threads));
        ++taken[i];
      });
      parallel_for(n, threads, [&](std::uint64_t i) { ++shared[i]; });
      EXPECT_EQ(taken, std::vector<int>(n, 1)) << n << " on " << threads;
      EXPECT_EQ(shared, taken) << n << " on " << threads;
    }
}

TEST(ParallelSum, AddsUpAllItems) {
  struct Sum {
    std::uint64_t numbers = 0, squares = 0;
    void operator+=(const Sum& other) {
      numbers += other.numbers;
      squares += other.squares;
    }
  };
  for (const int threads : {1, 4})
    for (const std::uint64_t n : {0, 1, 1024, 1025, 5000}) {
      const Sum sum = parallel_sum<Sum>(n, threads, [](std::uint64_t i) { return Sum{i, i * i}; });
      EXPECT_EQ(sum.numbers, n == 0 ? 0 : n * (n - 1) / 2) << n << " on " << threads;
      EXPECT_EQ(sum.squares, n == 0 ? 0 : (n - 1) * n * (2 * n - 1) / 6) << n << " on " << threads;
    }
}

TEST(ParallelTry, TheErrorIsThatOfTheSmallestItem) {
  for (const int threads : {1, 4})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{100}}) {
      const auto failing_from = [&](std::size_t first) {
        return parallel_try(
            count, threads, [] { return 0; },
            [&](int& calls, std::size_t i) -> Status {
              ++calls;
              if (i < first) return Ok{};
              return Error{ErrorCode::damaged, "item " + std::to_string(i)};
            });
      };
      EXPECT_TRUE(failing_from(count).ok());
      if (count == 0) continue;
      const Status failed = failing_from(count / 2);
      ASSERT_FALSE(failed.ok());
      EXPECT_EQ(failed.error().message, "item " + std::to_string(count / 2));
    }
}

TEST(ParallelTry, RunningOutOfMemoryIsAnError) {
  for (const int threads : {1, 4}) {
    const Status failed = parallel_try(
        3, threads, [] { return 0; },
        [](int&, std::size_t i) -> Status {
          if (i == 1) throw std::bad_alloc();
          return Ok{};
        });
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code, ErrorCode::too_large);
  }
}

TEST(RunOnThreads, EveryNumberIsCalledOnceAndErrorsComeBack) {
  std::vector<int> calls(5);
  run_on_threads(5, [&](int t) { ++calls[static_cast<std::size_t>(t)]; });
  EXPECT_EQ(calls, std::vector<int>(5, 1));
  EXPECT_THROW(run_on_threads(3,
                              [](int t) {
                                if (t == 2) throw std::out_of_range("thread");
                              }),
               std::out_of_range);
}

TEST(ThreadSettings, EndWithTheirScope) {
  const int threads = omp_get_max_threads(), levels = omp_get_max_active_levels();
  {
    const DefaultThreads three(3);
    EXPECT_EQ(thread_count(0), 3);
    EXPECT_EQ(thread_count(2), 2);
    const DefaultThreads unchanged(0);
    EXPECT_EQ(thread_count(0), 3);
    const NestedRegions nested(levels + 2);
    EXPECT_EQ(omp_get_max_active_levels(), levels + 2);
    const NestedRegions fewer(1);
    EXPECT_EQ(omp_get_max_active_levels(), levels + 2);
  }
  EXPECT_EQ(omp_get_max_threads(), threads);
  EXPECT_EQ(omp_get_max_active_levels(), levels);
}

TEST(ThreadCounts, SmallWorkTakesOneThread) {
  const DefaultThreads four(4);
  EXPECT_EQ(threads_worth(0, 65535), 1);
  EXPECT_EQ(threads_worth(0, 65536), 4);
  EXPECT_EQ(threads_worth(2, 65536), 2);
  EXPECT_EQ(threads_for_bytes(0, 0), 1);
  EXPECT_EQ(threads_for_bytes(0, std::uint64_t{1} << 18), 2);
  EXPECT_EQ(threads_for_bytes(0, std::uint64_t{1} << 40), 4);
  EXPECT_EQ(threads_for_bytes(7, 0), 7);
  EXPECT_EQ(threads_for_walk(200000), 1);
  EXPECT_EQ(threads_for_walk(200001), 4);
  EXPECT_EQ(row_blocks_worth(200000, 100), 1u);
  EXPECT_EQ(row_blocks_worth(200001, 100), 4u);
  EXPECT_EQ(row_blocks_worth(200001, 2), 2u);
}

TEST(RowBlocks, HaveAboutAsManyEntries) {
  const std::uint32_t row_ptr[] = {0, 8, 9, 10, 11, 12, 16};
  EXPECT_EQ(row_block_begin(row_ptr, 6, 0, 2), 0u);
  EXPECT_EQ(row_block_begin(row_ptr, 6, 1, 2), 1u);
  EXPECT_EQ(row_block_begin(row_ptr, 6, 2, 2), 6u);
}

}  // namespace
}  // namespace spress
