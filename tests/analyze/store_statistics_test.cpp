// The statistics that value stores depend on, against the stores themselves.
#include "analyze/store_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "tests/scenarios.hpp"

namespace spress::analyze {
namespace {

/// `n` values, of which `distinct` differ.
template <class T = double>
ValueStore<Owned> values(std::uint64_t n, std::uint64_t distinct) {
  HostArray<T> numbers(n);
  for (std::uint64_t i = 0; i < n; ++i)
    numbers[i] = static_cast<T>(0.1 + 0.7 * static_cast<double>(i * 7919 % distinct));
  return raw_store(std::move(numbers));
}

TEST(StoreStatistics, NameTheBytesOfEveryStoreThatHoldsTheValues) {
  for (const auto& s : tests::scenarios())
    for (const auto fill : {tests::Fill::real, tests::Fill::pattern, tests::Fill::complex_values}) {
      const auto a = tests::make_csr(s, fill);
      if (a.nnz == 0) continue;
      const auto raw = view_of(a.values);
      const auto statistics = store_statistics(raw);
      for (const StoreKind kind : all_stores) {
        const auto store = with_store(raw, kind);
        const auto bytes = store_bytes(kind, statistics, raw.type, a.nnz);
        EXPECT_EQ(bytes.has_value(), store.ok()) << s.name << ' ' << enum_name(kind);
        if (bytes && store.ok()) {
          EXPECT_EQ(*bytes, store->codes.bytes() + store->table.bytes()) << s.name;
        }
      }
    }
}

TEST(StoreStatistics, CountUpToTheLargestTable) {
  for (const std::uint64_t distinct : {1, 2, 255, 256, 257, 4000, 65'535, 65'536, 65'537, 150'000})
    for (const int threads : {1, 2, 3}) {
      const std::uint64_t expected = std::min(distinct, most_in_table + 1);
      EXPECT_EQ(store_statistics(view_of(values(150'000, distinct)), threads).distinct, expected) << threads;
      EXPECT_EQ(store_statistics(view_of(values<float>(150'000, distinct)), threads).distinct, expected) << threads;
      EXPECT_EQ(store_statistics(view_of(values<std::complex<double>>(150'000, distinct)), threads).distinct, expected);
    }
}

TEST(StoreStatistics, ValuesAreToldApartByTheirBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [numbers, distinct] :
       {std::pair(HostArray<double>{0.0, -0.0, 0.0}, 2u), std::pair(HostArray<double>{nan, -nan, nan}, 2u),
        std::pair(HostArray<double>{-0.0, 1.0, 0.0, -0.0}, 3u)}) {
    const auto raw = raw_store(HostArray<double>(numbers));
    EXPECT_EQ(store_statistics(view_of(raw)).distinct, distinct);
  }
}

TEST(StoreStatistics, OneOddValueIsSeenWhereverItStands) {
  for (const std::uint64_t place : {0, 1, 40'003, 70'000}) {
    HostArray<double> numbers(70'001);
    std::fill(numbers.begin(), numbers.end(), 1.0);
    numbers[place] = 0.1;
    const auto raw = raw_store(std::move(numbers));
    for (const int threads : {1, 3}) {
      const auto statistics = store_statistics(view_of(raw), threads);
      EXPECT_EQ(statistics.distinct, 2u) << place;
      EXPECT_EQ(statistics.narrow, std::nullopt) << place;
    }
  }
}

TEST(StoreStatistics, NameTheNarrowestType) {
  for (const auto& [least, most, type] :
       {std::tuple(-128.0, 127.0, DType::i8), std::tuple(-129.0, 127.0, DType::i16),
        std::tuple(-32769.0, 5.0, DType::f32), std::tuple(-3.0, 16'777'217.0, DType::i32),
        std::tuple(0.5, 3.0, DType::f32)}) {
    HostArray<double> numbers(100'000);
    std::fill(numbers.begin(), numbers.end(), 3.0);
    numbers[50'001] = least;
    numbers[90'002] = most;
    const auto raw = raw_store(std::move(numbers));
    for (const int threads : {1, 3}) EXPECT_EQ(store_statistics(view_of(raw), threads).narrow, type) << least;
  }
  EXPECT_EQ(store_statistics(view_of(raw_store(HostArray<double>(0)))).narrow, std::nullopt);
  EXPECT_EQ(store_statistics(view_of(pattern_store(9))).distinct, 0u);
}

}  // namespace
}  // namespace spress::analyze
