#include <gtest/gtest.h>

#include <map>

#include "reorder/orderings.hpp"
#include "tests/reorder/patterns.hpp"

namespace spress::reorder {
namespace {

using namespace spress::tests;

Permutation scattered_perm(std::uint64_t n, std::uint64_t seed) {
  const auto order = scattered_order(static_cast<std::uint32_t>(n), seed);
  return Permutation(std::span<const std::uint32_t>(order));
}

/// Each way to hold values that this matrix allows: as it is, as float, and in every store.
std::vector<Csr<Owned>> with_every_store(const Csr<Owned>& a) {
  std::vector<Csr<Owned>> out;
  for (const ValueType type : {a.values.type, ValueType::f32})
    for (const StoreKind kind : all_stores) {
      Csr<Owned> b = a;
      if (type != a.values.type) {
        auto converted = with_type(view_of(a).values, type);
        if (!converted.ok()) continue;
        b.values = std::move(*converted);
      }
      auto stored = with_store(view_of(b).values, kind);
      if (!stored.ok()) continue;
      b.values = std::move(*stored);
      out.push_back(std::move(b));
    }
  return out;
}

TEST(Permute, ByHand) {
  // [1 2 .; . . 3] with its rows exchanged and its columns in the order 2 0 1.
  const Csr<Owned> a = make_csr({"", 2, 3, {{0, 0}, {0, 1}, {1, 2}}, {1, 2, 3}});
  const Csr<Owned> b = permute(view_of(a), {1, 0}, {2, 0, 1});
  const Csr<Owned> expected = make_csr({"", 2, 3, {{0, 0}, {1, 1}, {1, 2}}, {3, 1, 2}});
  EXPECT_TRUE(identical(b, expected));
  const Csr<Owned> rows_only = permute(view_of(a), {1, 0}, {});
  EXPECT_TRUE(identical(rows_only, make_csr({"", 2, 3, {{0, 2}, {1, 0}, {1, 1}}, {3, 1, 2}})));
  const Csr<Owned> columns_only = permute(view_of(a), {}, {2, 0, 1});
  EXPECT_TRUE(identical(columns_only, make_csr({"", 2, 3, {{0, 1}, {0, 2}, {1, 0}}, {1, 2, 3}})));
}

TEST(Permute, MovesEachValueToItsPlace) {
  const Csr<Owned> a = make_csr({"", 67, 93, scattered(67, 93, 12), {}});
  const Permutation rows = scattered_perm(67, 3), cols = scattered_perm(93, 4);
  const Csr<Owned> b = permute(view_of(a), rows, cols);
  ASSERT_TRUE(validate(view_of(b)).ok());
  std::map<Entry, double> values;
  for (std::uint32_t r = 0; r < a.rows; ++r)
    for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k)
      values[{r, a.col_idx[k]}] = a.values.codes.as<double>()[k];
  for (std::uint32_t r = 0; r < b.rows; ++r)
    for (std::uint64_t k = b.row_ptr.position(r); k < b.row_ptr.position(r + 1); ++k)
      EXPECT_EQ(b.values.codes.as<double>()[k], values.at({rows[r], cols[b.col_idx[k]]}));
}

TEST(Permute, ComesBackBitForBit) {
  std::set<std::pair<ValueType, StoreKind>> seen;
  for (const Scenario& scenario : scenarios()) {
    if (scenario.cols > 1000000) continue;  // its permutation would take gigabytes
    for (const Fill fill : {Fill::real, Fill::pattern, Fill::complex_values})
      for (const Csr<Owned>& a : with_every_store(make_csr(scenario, fill))) {
        SCOPED_TRACE(scenario.name);
        const Permutation rows = scattered_perm(a.rows, 5), cols = scattered_perm(a.cols, 6);
        const Csr<Owned> b = permute(view_of(a), rows, cols);
        EXPECT_TRUE(validate(view_of(b)).ok());
        EXPECT_TRUE(identical(permute(view_of(b), invert(rows), invert(cols)), a));
        EXPECT_TRUE(identical(permute(view_of(a), {}, {}), a));
        seen.emplace(a.values.type, a.values.kind);
      }
  }
  EXPECT_EQ(seen.size(), 1 + 5 + 5 + 4u);  // pattern, float, double, and complex, which has no narrower type
}

TEST(Permute, ComesBackWithThreads) {  // large enough for more than one
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < 30000; ++r)
    for (std::uint32_t k = 0; k < 9; ++k) entries.emplace_back(r, r / 2 + k * 1500);
  const Csr<Owned> a = make_csr({"", 30000, 30000, entries, {}});
  const Permutation rows = scattered_perm(a.rows, 7), cols = scattered_perm(a.cols, 8);
  const Csr<Owned> b = permute(view_of(a), rows, cols);
  EXPECT_TRUE(validate(view_of(b)).ok());
  EXPECT_TRUE(identical(permute(view_of(b), invert(rows), invert(cols)), a));
}

TEST(Invert, ByHand) {
  const Permutation inverse = invert({2, 0, 1});
  EXPECT_EQ(std::vector<std::uint32_t>(inverse.begin(), inverse.end()), (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_TRUE(invert({}).empty());
}

TEST(IsPermutation, ByHand) {
  const auto check = [](std::vector<std::uint32_t> ids, std::uint64_t n) { return is_permutation(ids, n); };
  EXPECT_TRUE(check({}, 0));
  EXPECT_TRUE(check({1, 0, 2}, 3));
  EXPECT_FALSE(check({1, 0}, 3));
  EXPECT_FALSE(check({1, 1, 2}, 3));
  EXPECT_FALSE(check({1, 0, 3}, 3));
}

}  // namespace
}  // namespace spress::reorder
