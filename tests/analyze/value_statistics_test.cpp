#include "analyze/value_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <random>

#include "tests/scenarios.hpp"

namespace spress::analyze {
namespace {

ValueStore<Viewed> seen(const ValueStore<Owned>& store) {
  ValueStore<Viewed> view;
  view.type = store.type;
  view.kind = store.kind;
  view.count = store.count;
  view.codes.bind(store.codes.dtype(), store.codes.raw(), store.codes.size());
  view.table.bind(store.table.dtype(), store.table.raw(), store.table.size());
  return view;
}

template <class T>
ValueStore<Owned> raw(const std::vector<T>& values) {
  return raw_store(HostArray<T>(std::span<const T>(values)));
}

template <class T>
ValueStatistics of(const std::vector<T>& values, int threads = 0) {
  return value_statistics(seen(raw(values)), threads);
}

using Complex = std::complex<double>;

TEST(ValueStatistics, ByHand) {
  const auto s = of<double>({7, 0.1, 7, 0, 7, 0.1, -3, 0});
  EXPECT_EQ(s.count, 8u);
  EXPECT_EQ(s.distinct, 4u);
  EXPECT_EQ(s.explicit_zeros, 2u);
  EXPECT_DOUBLE_EQ(s.exact_in_float, 6.0 / 8);
  EXPECT_DOUBLE_EQ(s.coverage_256, 1);
  EXPECT_DOUBLE_EQ(s.coverage_65536, 1);
  EXPECT_EQ(s.narrow, std::nullopt);
}

TEST(ValueStatistics, ZerosOfBothSignsAreZerosButTwoValues) {
  const auto s = of<double>({0.0, -0.0, 0.0, 1});
  EXPECT_EQ(s.distinct, 3u);
  EXPECT_EQ(s.explicit_zeros, 3u);
  EXPECT_EQ(s.narrow, DType::f32) << "no integer holds -0.0";
  EXPECT_EQ(of<double>({0.0, 1}).narrow, DType::i8);
}

TEST(ValueStatistics, NaNsCountByTheirPayload) {
  const double quiet = std::numeric_limits<double>::quiet_NaN();
  const auto s = of<double>({tests::nan_with_payload(), quiet, tests::nan_with_payload(), -quiet});
  EXPECT_EQ(s.distinct, 3u);
  EXPECT_EQ(s.explicit_zeros, 0u);
  EXPECT_DOUBLE_EQ(s.exact_in_float, 2.0 / 4) << "the payload is longer than a float's";
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(of<double>({infinity, -infinity, 1e300, 5e-324}).exact_in_float, 2.0 / 4);
}

TEST(ValueStatistics, ComplexValuesGoByBothParts) {
  const auto s = of<Complex>({{1, 0.0}, {1, -0.0}, {1, 0.0}, {0.0, -0.0}, {0.5, 0.1}, {0, 1}});
  EXPECT_EQ(s.count, 6u);
  EXPECT_EQ(s.distinct, 5u);
  EXPECT_EQ(s.explicit_zeros, 1u);
  EXPECT_DOUBLE_EQ(s.exact_in_float, 5.0 / 6);
  EXPECT_EQ(s.narrow, std::nullopt);
}

TEST(ValueStatistics, Floats) {
  const auto s = of<float>({0.1f, 0.1f, -0.0f, 3e38f});
  EXPECT_EQ(s.distinct, 3u);
  EXPECT_EQ(s.explicit_zeros, 1u);
  EXPECT_DOUBLE_EQ(s.exact_in_float, 1);
  EXPECT_EQ(s.narrow, std::nullopt) << "float is not narrower than float";
  EXPECT_EQ(of<float>({-128, 127}).narrow, DType::i8);
  EXPECT_EQ(of<float>({-129, 127}).narrow, DType::i16);
  EXPECT_EQ(of<float>({32768}).narrow, std::nullopt);
}

TEST(ValueStatistics, PatternsAndNoValues) {
  const auto pattern = pattern_store(1000);
  const auto s = value_statistics(seen(pattern));
  EXPECT_EQ(s.count, 1000u);
  EXPECT_EQ(s.distinct + s.explicit_zeros, 0u);
  EXPECT_EQ(s.coverage_256 + s.coverage_65536 + s.exact_in_float, 0);
  EXPECT_EQ(s.narrow, std::nullopt);
  for (const auto& none : {of<double>({}), of<float>({}), of<Complex>({})}) {
    EXPECT_EQ(none.count + none.distinct + none.explicit_zeros, 0u);
    EXPECT_EQ(none.coverage_256 + none.coverage_65536 + none.exact_in_float, 0);
    EXPECT_EQ(none.narrow, std::nullopt);
  }
}

/// How often each value occurs, the most frequent first.
template <class T>
std::vector<std::uint64_t> slow_counts(std::vector<T> values) {
  const auto less = [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof a) < 0; };
  std::sort(values.begin(), values.end(), less);
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0 || less(values[i - 1], values[i])) counts.push_back(0);
    ++counts.back();
  }
  std::sort(counts.rbegin(), counts.rend());
  return counts;
}

double share(const std::vector<std::uint64_t>& counts, std::size_t top, std::size_t n) {
  std::uint64_t held = 0;
  for (std::size_t i = 0; i < std::min(top, counts.size()); ++i) held += counts[i];
  return static_cast<double>(held) / static_cast<double>(n);
}

/// `count` values of which `distinct` differ, some of them far more frequent than others, and one in two exact in
/// float.
template <class T>
std::vector<T> mixture(std::size_t count, std::size_t distinct) {
  std::mt19937_64 random(count + 31 * distinct);
  std::vector<T> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = i < distinct ? i : random() % (1 + random() % distinct);
    out.push_back(k == 0       ? T(0)
                  : k % 2 == 0 ? static_cast<T>(static_cast<double>(k))
                               : static_cast<T>(1 / static_cast<double>(k + 2) + static_cast<double>(k)));
  }
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

template <class T>
void expect_by_definition(const std::vector<T>& values, std::size_t distinct, const std::vector<int>& threads) {
  const auto counts = slow_counts(values);
  ASSERT_EQ(counts.size(), distinct);
  std::uint64_t exact = 0;
  for (const T& v : values) {
    const std::complex<double> wide(v);
    exact += fits_exactly<float>(wide.real()) && fits_exactly<float>(wide.imag());
  }
  for (const int t : threads) {
    const auto what = testing::Message() << values.size() << " values, " << distinct << " distinct, threads " << t;
    const auto s = of(values, t);
    EXPECT_EQ(s.count, values.size()) << what;
    EXPECT_EQ(s.distinct, distinct) << what;
    EXPECT_EQ(s.coverage_256, share(counts, 256, values.size())) << what;
    EXPECT_EQ(s.coverage_65536, share(counts, 65536, values.size())) << what;
    EXPECT_EQ(s.explicit_zeros, std::count(values.begin(), values.end(), T(0))) << what;
    EXPECT_EQ(s.exact_in_float, static_cast<double>(exact) / static_cast<double>(values.size())) << what;
  }
}

// Few distinct values are counted in one table, many in partitions: both, and the limits between them.
TEST(ValueStatistics, ByDefinitionOnAnyNumberOfThreads) {
  for (const std::size_t distinct : {1, 2, 255, 256, 257, 4095, 4096, 4097, 8193, 70000})
    expect_by_definition(mixture<double>(100000, distinct), distinct, {1, 2, 5});
}

TEST(ValueStatistics, FloatsAndComplexByDefinition) {
  for (const std::size_t distinct : {300, 20000}) {
    expect_by_definition(mixture<float>(90000, distinct), distinct, {1, 3});
    expect_by_definition(mixture<Complex>(90000, distinct), distinct, {1, 3});
  }
}

TEST(ValueStatistics, FewerValuesThanThreads) {
  expect_by_definition<double>({2.5}, 1, {1, 2, 5});
  expect_by_definition<double>({0, 2.5, 3}, 3, {1, 2, 5});
}

TEST(ValueStatistics, AllDifferent) {
  std::vector<double> values(200000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1 + static_cast<double>(i);
  expect_by_definition(values, values.size(), {1, 2, 5});
}

// Noise behind a long run of few values: what was counted before must not count twice.
TEST(ValueStatistics, ManyDistinctAtTheEndOnly) {
  std::vector<double> values(200000, 1.5);
  for (std::size_t i = 180000; i < values.size(); ++i) values[i] = static_cast<double>(i);
  expect_by_definition(values, 20001, {1, 2, 5});
}

// The last value alone decides, wherever the work is cut.
TEST(ValueStatistics, NarrowLooksAtEveryValue) {
  for (const std::size_t distinct : {100, 100000})
    for (const int threads : {1, 2, 5}) {
      std::vector<double> values(200000);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % distinct) - 50;
      const auto type = [&](double last) {
        values.back() = last;
        return of(values, threads).narrow;
      };
      EXPECT_EQ(type(3), distinct == 100 ? DType::i8 : DType::f32);
      EXPECT_EQ(type(-129), distinct == 100 ? DType::i16 : DType::f32);
      EXPECT_EQ(type(0.5), DType::f32);
      EXPECT_EQ(type(16777217), DType::i32);
      EXPECT_EQ(type(0.1), std::nullopt);
    }
}

template <class T>
void expect_bytes_as_built(const std::vector<T>& values) {
  const auto store = raw(values);
  const auto statistics = value_statistics(seen(store));
  for (const StoreKind kind : all_stores) {
    const auto built = with_store(seen(store), kind);
    const auto predicted = store_bytes(kind, statistics, store.type, values.size());
    ASSERT_EQ(predicted.has_value(), built.ok()) << enum_name(kind) << " of " << values.size() << " values";
    if (!built.ok()) continue;
    EXPECT_EQ(*predicted, built->codes.bytes() + built->table.bytes()) << enum_name(kind);
    if (kind == StoreKind::narrow) {
      EXPECT_EQ(statistics.narrow, built->codes.dtype());
    }
  }
}

std::vector<std::vector<double>> value_lists() {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> lists = {
      {},
      {0},
      {-0.0},
      {0.0, -0.0},
      {1, 2, 3},
      {2.5, 2.5, 2.5},
      {-128, 127},
      {-129, 127},
      {127, 128},
      {-32768, 32767},
      {-32769},
      {32768},
      {0.5, -2.25},
      {0.1, 0.1},
      {16777216},
      {16777217},
      {2147483647, -2147483648.0},
      {2147483648.0, 16777217},
      {2147483649.0},
      {16777217, 0.5},
      {16777217, -0.0},
      {infinity, -infinity},
      {tests::nan_with_payload()},
      {std::numeric_limits<double>::quiet_NaN(), 1},
      {std::bit_cast<double>(0x7FF0000000000001u)},
      {std::bit_cast<double>(0x7FF0000020000000u)},
      {1e300},
      {3.4028234663852886e38, 1e-45},
      {3.4028235677973366e38},
      {5e-324},
      {1.401298464324817e-45},
  };
  for (const std::size_t distinct : {255, 256, 257, 65535, 65536, 65537})
    for (const double step : {1.0, 0.1}) {
      std::vector<double> values(distinct + 100);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = step * static_cast<double>(i % distinct);
      lists.push_back(std::move(values));
    }
  return lists;
}

TEST(StoreBytes, AreThoseOfTheStoresBuilt) {
  for (const auto& list : value_lists()) {
    expect_bytes_as_built(list);
    expect_bytes_as_built(std::vector<float>(list.begin(), list.end()));
    expect_bytes_as_built(std::vector<Complex>(list.begin(), list.end()));
    std::vector<Complex> imaginary;
    for (const double v : list) imaginary.emplace_back(0.5, v);
    expect_bytes_as_built(imaginary);
  }
}

TEST(StoreBytes, PatternsTakeNothing) {
  const auto pattern = pattern_store(77);
  const auto statistics = value_statistics(seen(pattern));
  for (const StoreKind kind : all_stores) {
    const auto bytes = store_bytes(kind, statistics, ValueType::none, 100);
    EXPECT_EQ(bytes.has_value(), with_store(seen(pattern), kind).ok());
    EXPECT_EQ(bytes.value_or(0), 0u);
  }
}

TEST(StoreBytes, PaddingTakesCodesButNoTable) {
  const auto s = of<double>({7, 7, 3});
  EXPECT_EQ(store_bytes(StoreKind::raw, s, ValueType::f64, 10), 80u);
  EXPECT_EQ(store_bytes(StoreKind::narrow, s, ValueType::f64, 10), 10u);
  EXPECT_EQ(store_bytes(StoreKind::lut8, s, ValueType::f64, 10), 10u + 16);
  EXPECT_EQ(store_bytes(StoreKind::lut16, s, ValueType::f64, 10), 20u + 16);
  EXPECT_EQ(store_bytes(StoreKind::iso, s, ValueType::f64, 10), std::nullopt);
  EXPECT_EQ(store_bytes(StoreKind::iso, of<double>({7, 7}), ValueType::f64, 10), 8u);
}

}  // namespace
}  // namespace spress::analyze
