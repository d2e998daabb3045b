// Whether a store holds values, without building it: as with_store says.
#include <gtest/gtest.h>

#include "analyze/store_check.hpp"
#include "tests/scenarios.hpp"

namespace spress::analyze {
namespace {

std::optional<std::uint64_t> built_length(const ValueStore<Viewed>& raw, StoreKind kind) {
  const auto store = with_store(raw, kind);
  if (!store.ok()) return std::nullopt;
  return store->table.size();
}

/// `n` values of which so many are distinct; the first `few` of the values are the sample.
ValueStore<Owned> values(std::uint64_t n, std::uint64_t distinct) {
  HostArray<double> numbers(n);
  for (std::uint64_t i = 0; i < n; ++i) numbers[i] = 0.1 + 0.7 * static_cast<double>(i * 7919 % distinct);
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
