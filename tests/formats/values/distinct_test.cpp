#include "formats/values/distinct.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <random>

namespace spress {
namespace {

TEST(CountTable, CountsAndFinds) {
  CountTable<std::uint64_t> table;
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.count(0), 0u) << "a key of zero bits is not there by itself";
  table.add(0);
  table.add(7, 5);
  table.add(0);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.count(0), 2u);
  EXPECT_EQ(table.count(7), 5u);
  EXPECT_EQ(table.count(8), 0u);
  table.clear();
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.count(7), 0u);
}

template <class Key>
void expect_growing_table_keeps_all(const std::function<Key(std::uint64_t)>& key) {
  CountTable<Key> table;
  for (std::uint64_t k = 0; k < 3000; ++k) {
    table.add(key(k), k + 1);
    ASSERT_EQ(table.count(key(k)), k + 1);
  }
  EXPECT_EQ(table.size(), 3000u);
  for (std::uint64_t k = 0; k < 3000; ++k) ASSERT_EQ(table.count(key(k)), k + 1);
  std::uint64_t sum = 0;
  table.for_each([&](const Key&, std::uint64_t count) { sum += count; });
  EXPECT_EQ(sum, 3000u * 3001 / 2);
}

TEST(CountTable, GrowsForKeysOfEveryWidth) {
  expect_growing_table_keeps_all<std::uint32_t>([](std::uint64_t k) { return static_cast<std::uint32_t>(k << 20); });
  expect_growing_table_keeps_all<std::uint64_t>([](std::uint64_t k) { return k << 52; });
  expect_growing_table_keeps_all<Bytes16>([](std::uint64_t k) { return Bytes16{k % 3, k}; });
}

template <class Key>
void expect_many_keys_are_treated_as_one_by_one(const std::function<Key(std::uint64_t)>& key) {
  for (const std::size_t n : {0, 1, 15, 16, 17, 5000}) {
    CountTable<Key> together, apart;
    std::vector<Key> keys;
    for (std::size_t i = 0; i < n; ++i) keys.push_back(key(i * i % 1237));
    together.add_all(keys.data(), n);
    for (const Key& each : keys) apart.add(each);
    EXPECT_EQ(together.size(), apart.size());
    std::vector<std::uint64_t> counts;
    together.counts_of(keys.data(), n, [&](std::uint64_t count) { counts.push_back(count); });
    ASSERT_EQ(counts.size(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(counts[i], apart.count(keys[i]));
  }
}

TEST(CountTable, TakesManyKeysAtOnce) {
  expect_many_keys_are_treated_as_one_by_one<std::uint64_t>([](std::uint64_t k) { return k << 52 | k; });
  expect_many_keys_are_treated_as_one_by_one<Bytes16>([](std::uint64_t k) { return Bytes16{k % 3, k}; });
}

TEST(CountDistinct, StopsBeyondItsLimit) {
  for (const std::size_t n : {100, 200000})
    for (const int threads : {1, 2, 5}) {
      std::vector<std::uint64_t> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = i * 100 / n;  // 100 distinct, in runs
      const auto counts = count_distinct(keys.data(), n, 100, threads);
      ASSERT_TRUE(counts.has_value());
      EXPECT_EQ(counts->size(), 100u);
      for (std::uint64_t key = 0; key < 100; ++key) EXPECT_EQ(counts->count(key), n / 100);
      EXPECT_FALSE(count_distinct(keys.data(), n, 99, threads).has_value())
          << "each thread sees fewer, all together too many";
    }
}

TEST(CountDistinct, AddsUpWhatTheThreadsCount) {
  constexpr std::uint64_t distinct = 5000, times = 60;
  std::vector<std::uint64_t> keys(distinct * times);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i % distinct << 40;  // each thread meets all
  for (const int threads : {1, 2, 3, 4, 7, 8}) {
    const auto counts = count_distinct(keys.data(), keys.size(), distinct, threads);
    ASSERT_TRUE(counts.has_value());
    EXPECT_EQ(counts->size(), distinct);
    for (std::uint64_t key = 0; key < distinct; ++key) ASSERT_EQ(counts->count(key << 40), times);
  }
}

TEST(Parallel, RangesMakeUpTheWhole) {
  for (const std::uint64_t n : {0, 1, 4096, 4097, 300001})
    for (const int threads : {1, 2, 5}) {
      std::vector<std::uint8_t> seen(n, 0);
      EXPECT_TRUE(parallel_all_of(n, threads, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last; ++i) ++seen[i];
        return true;
      }));
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(n));
    }
}

TEST(Parallel, RangesStopAfterANo) {
  std::atomic<int> calls = 0;
  EXPECT_FALSE(parallel_all_of(1 << 20, 1, [&](std::uint64_t, std::uint64_t) { return ++calls < 3; }));
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(parallel_all_of(1 << 20, 4, [&](std::uint64_t, std::uint64_t last) { return last != 1 << 20; }));
}

TEST(Parallel, NoThreadWithoutWork) {
  EXPECT_EQ(threads_worth(8, 0), 1);
  EXPECT_EQ(threads_worth(8, 1000), 1);
  EXPECT_EQ(threads_worth(8, 65'535), 1);
  EXPECT_EQ(threads_worth(8, 65'536), 8) << "all, or one";
  EXPECT_EQ(threads_worth(8, 1 << 30), 8);
  EXPECT_EQ(threads_worth(0, 0), 1);
  EXPECT_EQ(threads_worth(0, std::uint64_t{1} << 40), omp_get_max_threads());
}

/// Tables so large that several threads make them: most frequent first, ties by bit pattern; every code leads back.
TEST(DistinctTables, OrderOfALargeTable) {
  std::mt19937_64 random(3);
  for (const std::size_t distinct : {256, 30000, 65536}) {
    HostArray<double> values(400000);
    std::map<std::uint64_t, std::uint64_t> counts;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = -0.1 * static_cast<double>(i < distinct ? i : random() % (1 + random() % distinct));
      ++counts[std::bit_cast<std::uint64_t>(values[i])];
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;  // how often (from above), bits
    for (const auto& [bits, count] : counts) order.emplace_back(~count, bits);
    std::sort(order.begin(), order.end());
    ValueStore<Viewed> raw;
    raw.type = ValueType::f64;
    raw.count = values.size();
    raw.codes.bind(DType::f64, values.data(), values.size());
    const auto store = with_store(raw, distinct == 256 ? StoreKind::lut8 : StoreKind::lut16);
    ASSERT_TRUE(store.ok());
    ASSERT_EQ(store->table.size(), distinct);
    const auto* table = store->table.as<double>();
    for (std::size_t k = 0; k < distinct; ++k) ASSERT_EQ(std::bit_cast<std::uint64_t>(table[k]), order[k].second);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t code =
          distinct == 256 ? store->codes.as<std::uint8_t>()[i] : store->codes.as<std::uint16_t>()[i];
      ASSERT_EQ(std::bit_cast<std::uint64_t>(table[code]), std::bit_cast<std::uint64_t>(values[i]));
    }
  }
}

/// The value that decides stands at the very end of a long list.
TEST(DistinctTables, NarrowSeesTheLastOfMany) {
  HostArray<double> values(300000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 100);
  ValueStore<Viewed> raw;
  raw.type = ValueType::f64;
  raw.count = values.size();
  raw.codes.bind(DType::f64, values.data(), values.size());
  const auto narrowed = [&](double last) {
    values[values.size() - 1] = last;
    return with_store(raw, StoreKind::narrow);
  };
  EXPECT_EQ(narrowed(1)->codes.dtype(), DType::i8);
  EXPECT_EQ(narrowed(1000)->codes.dtype(), DType::i16);
  EXPECT_EQ(narrowed(0.5)->codes.dtype(), DType::f32);
  EXPECT_EQ(narrowed(16777217)->codes.dtype(), DType::i32);
  EXPECT_FALSE(narrowed(0.1).ok());
  const auto store = narrowed(0.5);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(store->codes.as<float>()[i], values[i]);
}

}  // namespace
}  // namespace spress
