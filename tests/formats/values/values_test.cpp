#include "formats/values/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

#include "tests/scenarios.hpp"

namespace spress {
namespace {

ValueStore<Owned> raw(std::vector<double> values) {
  return raw_store(HostArray<double>(std::span<const double>(values)));
}

Result<ValueStore<Owned>> as(const std::vector<double>& values, StoreKind kind) {
  return with_store(view_of(raw(values)), kind);
}

std::size_t bytes(const ValueStore<Owned>& store) { return store.codes.bytes() + store.table.bytes(); }

TEST(ValueStore, EveryStoreReturnsEveryBit) {
  const std::vector<std::vector<double>> lists = {
      {1, 2, 3},
      {0.0, -0.0, 0.0},
      {tests::nan_with_payload(), std::bit_cast<double>(0x7FF0000000000001u), std::numeric_limits<double>::infinity()},
      {0.1, 0.1, 0.1},
      {-0.0},
      {5e-324, -1.7976931348623157e308},
      {}};
  for (const auto& list : lists)
    for (StoreKind kind : all_stores) {
      const auto store = as(list, kind);
      if (!store.ok()) continue;
      EXPECT_TRUE(validate(view_of(*store)).ok());
      const auto back = with_store(view_of(*store), StoreKind::raw);
      ASSERT_TRUE(back.ok());
      ASSERT_EQ(back->codes.bytes(), list.size() * 8);
      EXPECT_TRUE(list.empty() || std::memcmp(back->codes.raw(), list.data(), list.size() * 8) == 0);
    }
}

/// The narrowest type that holds each value alone, worked out from the definition.
template <class T>
std::optional<DType> narrowest_of(const std::vector<T>& values) {
  const auto all = [&]<class Small>(Small) {
    return sizeof(Small) < sizeof(T) && std::ranges::all_of(values, [](T v) { return fits_exactly<Small>(v); });
  };
  if (all(std::int8_t{})) return DType::i8;
  if (all(std::int16_t{})) return DType::i16;
  if (all(float{})) return DType::f32;
  if (all(std::int32_t{})) return DType::i32;
  return std::nullopt;
}

template <class T>
void expect_narrowest_wherever_two_stand() {
  const std::vector<T> edges = {T(127),
                                T(-128),
                                T(128),
                                T(-129),
                                T(32767),
                                T(-32768),
                                T(32768),
                                T(-32769),
                                T(2147483647),
                                T(2147483648),
                                T(0.5),
                                T(-0.0),
                                T(1e30),
                                T(16777217),
                                -T(2147483648),
                                std::numeric_limits<T>::infinity(),
                                std::numeric_limits<T>::quiet_NaN()};
  for (const T first : edges)
    for (const T second : edges)
      for (const std::size_t at : {0, 255, 256, 300}) {
        std::vector<T> values(600, T(1));
        values[at] = first;
        values[599 - at] = second;
        const auto raw = raw_store(HostArray<T>(std::span<const T>(values)));
        EXPECT_EQ(narrow_type(view_of(raw)), narrowest_of(values)) << first << " and " << second << " at " << at;
      }
}

TEST(Narrow, TypeIsTheFirstThatHoldsAllWhereverTheyStand) {
  expect_narrowest_wherever_two_stand<double>();
  expect_narrowest_wherever_two_stand<float>();
}

TEST(ValueStore, NarrowTakesTheSmallestExactType) {
  const auto type = [](const std::vector<double>& v) { return as(v, StoreKind::narrow)->codes.dtype(); };
  EXPECT_EQ(type({-128, 127}), DType::i8);
  EXPECT_EQ(type({-129, 0}), DType::i16);
  EXPECT_EQ(type({32767, -32768}), DType::i16);
  EXPECT_EQ(type({32768}), DType::f32);
  EXPECT_EQ(type({0.5, -2.25}), DType::f32);
  EXPECT_EQ(type({16777216}), DType::f32);
  EXPECT_EQ(type({16777217}), DType::i32);
  EXPECT_EQ(type({2147483647, -2147483648.0}), DType::i32);
  EXPECT_EQ(type({-0.0}), DType::f32);
  EXPECT_EQ(type({std::numeric_limits<double>::infinity()}), DType::f32);
  EXPECT_FALSE(as({2147483648.0, 16777217}, StoreKind::narrow).ok());
  EXPECT_FALSE(as({0.1}, StoreKind::narrow).ok());
  EXPECT_FALSE(as({16777217, 0.5}, StoreKind::narrow).ok());
  EXPECT_FALSE(as({1e300}, StoreKind::narrow).ok());
  EXPECT_FALSE(as({5e-324}, StoreKind::narrow).ok());
  EXPECT_FALSE(as({std::bit_cast<double>(0x7FF0000000000001u)}, StoreKind::narrow).ok());
}

TEST(ValueStore, TablesHoldTheMostFrequentFirst) {
  const auto store = as({7, 3, 7, 5, 3, 7}, StoreKind::lut8);
  ASSERT_TRUE(store.ok());
  const auto* table = store->table.as<double>();
  EXPECT_EQ(std::vector<double>(table, table + 3), (std::vector<double>{7, 3, 5}));
  const auto* codes = store->codes.as<std::uint8_t>();
  EXPECT_EQ(std::vector<int>(codes, codes + 6), (std::vector<int>{0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(bytes(*store), 6u + 24);
}

TEST(ValueStore, TablesHaveTheirLimits) {
  std::vector<double> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1 * static_cast<double>(i);
  EXPECT_TRUE(as(values, StoreKind::lut8).ok());
  values.push_back(-1);
  EXPECT_FALSE(as(values, StoreKind::lut8).ok());
  EXPECT_TRUE(as(values, StoreKind::lut16).ok());
  values.clear();
  for (std::size_t i = 0; i < 65537; ++i) values.push_back(static_cast<double>(i));
  EXPECT_FALSE(as(values, StoreKind::lut16).ok());
  values.pop_back();
  const auto store = as(values, StoreKind::lut16);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(bytes(*store), 65536u * 2 + 65536 * 8);
}

TEST(ValueStore, IsoNeedsEqualBits) {
  EXPECT_EQ(bytes(*as({2.5, 2.5}, StoreKind::iso)), 8u);
  EXPECT_FALSE(as({0.0, -0.0}, StoreKind::iso).ok());
  EXPECT_TRUE(as({tests::nan_with_payload(), tests::nan_with_payload()}, StoreKind::iso).ok());
  EXPECT_FALSE(as({}, StoreKind::iso).ok());
}

TEST(ValueStore, PatternsTakeNoBytesInAnyForm) {
  const auto pattern = pattern_store(1000);
  EXPECT_EQ(bytes(pattern), 0u);
  EXPECT_TRUE(validate(view_of(pattern)).ok());
  for (StoreKind kind : all_stores) EXPECT_EQ(with_store(view_of(pattern), kind).ok(), kind == StoreKind::raw);
}

TEST(ValueStore, ComplexValuesGoByAllTheirBits) {
  const HostArray<std::complex<double>> values = {{1, 0.0}, {1, -0.0}, {1, 0.0}};
  const auto store = raw_store(values);
  EXPECT_EQ(with_store(view_of(store), StoreKind::lut8)->table.size(), 2u);
  EXPECT_FALSE(with_store(view_of(store), StoreKind::narrow).ok());
  EXPECT_FALSE(with_store(view_of(store), StoreKind::iso).ok());
}

TEST(ValueStore, RoundsToFloatAndBack) {
  const auto rounded = with_type(view_of(raw({0.1, 1e300, -0.0})), ValueType::f32);
  ASSERT_TRUE(rounded.ok());
  EXPECT_EQ(rounded->codes.as<float>()[0], 0.1f);
  EXPECT_EQ(rounded->codes.as<float>()[1], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(rounded->codes.as<float>()[2]));
  EXPECT_EQ(with_type(view_of(*rounded), ValueType::f64)->codes.as<double>()[0], static_cast<double>(0.1f));
}

TEST(ValueStore, ValidateRefusesWhatAKernelCouldNotRead) {
  auto store = std::move(as({7, 3, 7}, StoreKind::lut8)).value();
  store.codes.as<std::uint8_t>()[1] = 2;  // the table has two
  EXPECT_FALSE(validate(view_of(store)).ok());
  auto narrow = std::move(as({7, 3, 7}, StoreKind::narrow)).value();
  narrow.kind = StoreKind::raw;
  EXPECT_FALSE(validate(view_of(narrow)).ok());
  auto iso = std::move(as({7, 7}, StoreKind::iso)).value();
  iso.table = AnyArray<Owned>(DType::f64, 0);
  EXPECT_FALSE(validate(view_of(iso)).ok());
}

}  // namespace
}  // namespace spress
