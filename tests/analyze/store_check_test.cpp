// Whether a store holds values, without building it: as with_store says.
#include "analyze/store_check.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "tests/like_hashes.hpp"
#include "tests/scenarios.hpp"

namespace spress::analyze {
namespace {

std::optional<std::uint64_t> built_length(const ValueStore<Viewed>& raw, StoreKind kind) {
  const auto store = with_store(raw, kind);
  if (!store.ok()) return std::nullopt;
  return store->table.size();
}

/// `n` values of which so many are distinct; the first `few` of the values are the sample.
template <class T = double>
ValueStore<Owned> values(std::uint64_t n, std::uint64_t distinct) {
  HostArray<T> numbers(n);
  for (std::uint64_t i = 0; i < n; ++i)
    numbers[i] = static_cast<T>(0.1 + 0.7 * static_cast<double>(i * 7919 % distinct));
  return raw_store(std::move(numbers));
}

TEST(StoreCheck, AgreesWithTheStoresThemselves) {
  for (const auto& s : tests::scenarios())
    for (const auto fill : {tests::Fill::real, tests::Fill::pattern, tests::Fill::complex_values}) {
      const auto a = tests::make_csr(s, fill);
      const auto raw = view_of(a.values);
      for (const StoreKind kind : all_stores)
        EXPECT_EQ(table_length(kind, raw, raw).has_value(),
                  with_store(raw, kind).ok() && (a.nnz != 0 || kind == StoreKind::raw))
            << s.name << ' ' << enum_name(kind);
    }
}

TEST(StoreCheck, NamesTheNarrowTypeThatTheStoreTakes) {
  for (const auto& [value, type] : {std::pair(7.0, DType::i8), std::pair(300.0, DType::i16), std::pair(0.5, DType::f32),
                                    std::pair(16'777'217.0, DType::i32)}) {
    HostArray<double> numbers(100'000);
    std::fill(numbers.begin(), numbers.end(), 1.0);
    numbers[99'999] = value;
    const auto raw = raw_store(std::move(numbers));
    EXPECT_EQ(narrow_type(view_of(raw), 2), type) << value;
    EXPECT_EQ(with_store(view_of(raw), StoreKind::narrow)->codes.dtype(), type) << value;
  }
  const auto none = raw_store(HostArray<double>(0));
  EXPECT_EQ(narrow_type(view_of(none)), std::nullopt);
}

TEST(StoreCheck, NamesTheNarrowTypeOfEveryStrangeValue) {
  const double infinite = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value :
       {0.0,          -0.0,         127.0,         128.0,         -128.0,
        -129.0,       32767.0,      32768.0,       -32768.0,      -32769.0,
        2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 16777217.5,
        3.5e38,       -3.5e38,      0.1,           1e-40,         1e-320,
        infinite,     -infinite,    nan,           -nan,          std::bit_cast<double>(0x7FF8000000000001u)}) {
    const auto check = [value]<class T>(T first) {
      for (const std::size_t n : {1, 33, 5000, 5001, 5002, 5003})
        for (const std::size_t place : {n - 1, n / 2}) {
          HostArray<T> numbers(n);
          std::fill(numbers.begin(), numbers.end(), first);
          numbers[place] = static_cast<T>(value);
          const auto raw = raw_store(std::move(numbers));
          const auto built = with_store(view_of(raw), StoreKind::narrow);
          EXPECT_EQ(narrow_type(view_of(raw)), built.ok() ? std::optional(built->codes.dtype()) : std::nullopt)
              << value << " at " << place << " of " << n;
        }
    };
    check(1.0);
    check(1.0f);
  }
}

TEST(StoreCheck, NarrowTypesHoldTheLeastAndTheMost) {
  for (const auto& [least, most, type] :
       {std::tuple(-128.0, 127.0, DType::i8), std::tuple(-129.0, 127.0, DType::i16),
        std::tuple(-128.0, 128.0, DType::i16), std::tuple(-32768.0, 32767.0, DType::i16),
        std::tuple(-32769.0, 5.0, DType::f32), std::tuple(-3.0, 16777217.0, DType::i32),
        std::tuple(-16777217.0, 0.0, DType::i32)}) {
    HostArray<double> numbers(100'000);
    std::fill(numbers.begin(), numbers.end(), 3.0);
    numbers[50'001] = least;
    numbers[90'002] = most;
    const auto raw = raw_store(std::move(numbers));
    for (const int threads : {1, 3}) EXPECT_EQ(narrow_type(view_of(raw), threads), type) << least << " to " << most;
  }
}

TEST(StoreCheck, CountsWhatIsMetOnceAndWhatIsMetAgain) {
  const auto check = [](const ValueStore<Owned>& raw, std::uint64_t distinct, std::uint64_t once) {
    const Met met = met_values(view_of(raw));
    EXPECT_EQ(met.distinct, distinct);
    EXPECT_EQ(met.once, once);
  };
  check(values(1, 1), 1, 1);
  check(values(8192, 8192), 8192, 8192);
  check(values(8192, 8191), 8191, 8190);
  check(values(8000, 5000), 5000, 2000);
  check(values<float>(600, 500), 500, 400);
  check(values<std::complex<double>>(999, 333), 333, 0);
}

/// All have one place in a table of few. Some threads meet other ones than others do.
TEST(StoreCheck, FewValuesAreCountedThoughTheirHashesAreAlike) {
  for (const std::uint64_t distinct : {1, 2, 255, 256, 257, 400})
    for (const bool apart : {false, true}) {
      constexpr std::uint64_t n = 70'001;
      HostArray<double> numbers(n);
      for (std::uint64_t i = 0; i < n; ++i)
        numbers[i] = tests::value_of_like_hash(apart ? i * distinct / n : i % distinct);
      const auto raw = raw_store(std::move(numbers));
      for (const int threads : {1, 2, 3})
        for (const StoreKind kind : {StoreKind::lut8, StoreKind::lut16, StoreKind::iso})
          EXPECT_EQ(table_length(kind, view_of(raw), view_of(raw), threads), built_length(view_of(raw), kind))
              << distinct << ' ' << enum_name(kind) << " on " << threads;
    }
}

TEST(StoreCheck, OneOddValueIsSeenWhereverItStands) {
  for (std::uint64_t lane = 0; lane < 8; ++lane) {
    HostArray<double> numbers(70'001);
    std::fill(numbers.begin(), numbers.end(), 1.5);
    numbers[40'000 + lane] = -2.5;
    const auto raw = raw_store(std::move(numbers));
    for (const int threads : {1, 2}) {
      EXPECT_EQ(table_length(StoreKind::lut8, view_of(raw), view_of(raw), threads), 2u) << lane;
      EXPECT_EQ(table_length(StoreKind::iso, view_of(raw), view_of(raw), threads), std::nullopt) << lane;
    }
  }
}

/// One half of such a number follows from the other, or the numbers come in pairs.
TEST(StoreCheck, GuessesDistinctValuesOfManyARegularity) {
  const auto check = [](std::uint64_t n, const auto& number) {
    using T = std::decay_t<decltype(number(0))>;
    HostArray<T> numbers(n);
    for (std::uint64_t i = 0; i < n; ++i) numbers[i] = number(static_cast<double>(i));
    const auto raw = raw_store(std::move(numbers));
    EXPECT_NEAR(static_cast<double>(likely_distinct(view_of(raw), 65'536)), static_cast<double>(n),
                n <= 8192 ? 0.02 * static_cast<double>(n) : 0.1 * static_cast<double>(n) + 200);
  };
  using Complex = std::complex<double>;
  for (const std::uint64_t n : {8000, 40'000}) {
    for (const double divisor : {65'535.0, 65'537.0, 21'845.0, 10.0, 1024.0})
      check(n, [=](double i) { return (i + 1) / divisor; });
    check(n, [=](double i) { return i < static_cast<double>(n) / 2 ? i + 1 : static_cast<double>(n) / 2 - 1 - i; });
    check(n, [](double i) { return Complex(i + 1, i + 1); });
    check(n, [](double i) { return Complex(i + 1, -i - 1); });
    check(n, [](double i) { return std::floor(i / 2 + 1) * (std::fmod(i, 2) == 0 ? 1 : -1) * Complex(1, 2); });
    check(n, [](double i) { return Complex(std::floor(i / 64), std::fmod(i, 64)); });
  }
}

TEST(StoreCheck, GuessesDistinctValuesWhereverTheyStand) {
  for (const std::uint64_t distinct : {300, 5000, 30'000, 65'536}) {
    const auto raw = values(150'000, distinct);
    for (const int threads : {1, 2})
      EXPECT_NEAR(static_cast<double>(likely_distinct(view_of(raw), 65'536, threads)), static_cast<double>(distinct),
                  200 + 0.1 * static_cast<double>(distinct));
  }
  EXPECT_GT(likely_distinct(view_of(values(150'000, 150'000)), 65'536), 65'536u);
  EXPECT_NEAR(static_cast<double>(likely_distinct(view_of(values(20'000, 9000)), 65'536)), 9000, 900);
  EXPECT_NEAR(static_cast<double>(likely_distinct(view_of(values(8000, 4000)), 65'536)), 4000, 60);
  EXPECT_NEAR(static_cast<double>(likely_distinct(view_of(values(8000, 300)), 65'536)), 300, 3);
  EXPECT_EQ(likely_distinct(view_of(values(1000, 1)), 65'536), 1u);
  HostArray<double> whole(8000);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<double>(i % 5000);
  EXPECT_NEAR(static_cast<double>(likely_distinct(view_of(raw_store(std::move(whole))), 65'536)), 5000, 75);
  EXPECT_EQ(likely_distinct(view_of(pattern_store(9)), 65'536), 0u);
  EXPECT_EQ(likely_distinct(view_of(raw_store(HostArray<double>(0))), 65'536), 0u);
}

TEST(StoreCheck, FindsWhatTheSampleDoesNotShow) {
  for (const std::uint64_t distinct : {1, 2, 255, 256, 257, 4000, 65536, 65537}) {
    const auto raw = values(150'000, distinct);
    for (const std::uint64_t shown : {0, 1, 100, 150'000})
      for (const StoreKind kind : {StoreKind::lut8, StoreKind::lut16, StoreKind::iso})
        EXPECT_EQ(table_length(kind, view_of(raw), slice_of(view_of(raw), 0, shown), 2),
                  built_length(view_of(raw), kind))
            << distinct << ' ' << shown << ' ' << enum_name(kind);
  }
}

TEST(StoreCheck, FewValuesAreCounted) {
  for (const std::uint64_t n : {1, 2, 256, 257, 2000, 8191, 8192, 8193})
    for (const std::uint64_t distinct : {1, 2, 256, 257, 5000})
      for (const auto& raw :
           {values(n, distinct), values<float>(n, distinct), values<std::complex<double>>(n, distinct)})
        for (const StoreKind kind : {StoreKind::lut8, StoreKind::lut16, StoreKind::iso})
          EXPECT_EQ(table_length(kind, view_of(raw), view_of(raw)), built_length(view_of(raw), kind))
              << n << ' ' << distinct << ' ' << enum_name(raw.type) << ' ' << enum_name(kind);
}

TEST(StoreCheck, CountsAreTheSameOnAnyNumberOfThreads) {
  for (const std::uint64_t distinct : {300, 20'000, 65'536, 65'537}) {
    const auto raw = values(150'000, distinct);
    const auto complex = values<std::complex<double>>(150'000, distinct);
    const auto likely = likely_distinct(view_of(raw), 65'536, 1);
    for (const int threads : {2, 3, 5, 7, 16}) {
      EXPECT_EQ(likely_distinct(view_of(raw), 65'536, threads), likely) << distinct << " on " << threads;
      for (const auto* store : {&raw, &complex}) {
        EXPECT_EQ(table_length(StoreKind::lut16, view_of(*store), view_of(*store), threads),
                  distinct <= 65'536 ? std::optional(distinct) : std::nullopt)
            << distinct << " on " << threads;
        for (const std::uint64_t likely_ones : {std::uint64_t{1}, likely, std::uint64_t{65'536}})
          EXPECT_EQ(at_most_distinct(view_of(*store), 65'536, likely_ones, threads), distinct <= 65'536)
              << distinct << " where likely are " << likely_ones;
      }
    }
  }
}

TEST(StoreCheck, CountsNoFurtherThanItDecides) {
  for (const std::uint64_t n : {65'537, 66'000, 68'000, 70'000, 150'000, 300'000})
    for (const std::uint64_t distinct : {1, 4000, 65'535, 65'536, 65'537, 69'000}) {
      const auto raw = values(n, distinct);
      for (const std::uint64_t likely : {1, 300, 57'000, 65'536})
        for (const int threads : {1, 3, 8})
          EXPECT_EQ(at_most_distinct(view_of(raw), 65'536, likely, threads), std::min(n, distinct) <= 65'536)
              << n << ' ' << distinct << ' ' << likely << ' ' << threads;
    }
  EXPECT_TRUE(at_most_distinct(view_of(values(65'536, 65'536)), 65'536, 65'536));
  EXPECT_TRUE(at_most_distinct(view_of(pattern_store(100'000)), 65'536, 65'536));
}

TEST(StoreCheck, OneValueBeyondIsSeen) {
  auto raw = values(100'000, 200);
  const auto sample = slice_of(view_of(raw), 0, 1000);
  raw.codes.as<double>()[99'999] = 1e-300;
  EXPECT_EQ(table_length(StoreKind::lut8, view_of(raw), sample), 201u);
  HostArray<double> whole(100'000);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<double>(i % 100);
  auto integers = raw_store(std::move(whole));
  EXPECT_TRUE(table_length(StoreKind::narrow, view_of(integers), sample).has_value());
  integers.codes.as<double>()[50'000] = 0.1;
  EXPECT_FALSE(table_length(StoreKind::narrow, view_of(integers), sample).has_value());
}

}  // namespace
}  // namespace spress::analyze
