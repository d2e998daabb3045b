// Products with blocks: every format that has them, every value store, scenario and instruction set, float and double.
// Each column is judged by the rigorous bound.
#include "kernels/spmm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "encode/shared/any.hpp"
#include "kernels/reference.hpp"
#include "tests/every_spec.hpp"
#include "tests/exact_isa.hpp"
#include "tests/node_matrix.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Fill;

/// Full panels of every instruction set, single vectors, and some columns besides.
constexpr std::uint64_t columns = 87;

/// Column j of X is the first one times this, exactly, so that one reference serves all of them.
template <class T>
T scale(std::uint64_t j) {
  return std::ldexp(j % 2 == 0 ? T(1) : T(-1), static_cast<int>(j % 23) - 11);
}

/// X for a matrix, and what A times its first column, not yet scaled, has to be close to.
template <class T>
struct Wanted {
  static constexpr std::int64_t stride = columns + 3;
  std::vector<T> x;
  Reference product;

  explicit Wanted(const Csr<Owned>& a) : x(a.cols * std::uint64_t{stride}, T(-5)) {
    const auto column = test_vector<T>(a.cols);
    for (std::uint64_t i = 0; i < a.cols; ++i)
      for (std::uint64_t j = 0; j < columns; ++j) x[i * std::uint64_t{stride} + j] = column[i] * scale<T>(j);
    product = reference_product<T>(view_of(a), column.data());
  }
};

/// The first `count` columns of A X.
template <class T, class F>
void check_columns(const F& f, std::uint64_t count, const Wanted<T>& wanted, int threads) {
  const std::uint64_t stride = count + 2;  // what stands between the rows must stay
  std::vector<T> y(f.rows * stride, T(-77)), column(f.rows);
  cpu::spmm<T>(view_of(f), count, cpu::RowMajor<const T>{wanted.x.data(), Wanted<T>::stride},
               cpu::RowMajor<T>{y.data(), static_cast<std::int64_t>(stride)}, threads);
  for (std::uint64_t j = 0; j < stride; ++j) {
    for (std::uint64_t i = 0; i < f.rows; ++i) column[i] = y[i * stride + j] / (j < count ? scale<T>(j) : T(1));
    if (j >= count) {
      EXPECT_EQ(column, std::vector<T>(f.rows, T(-77)));
      continue;
    }
    const auto verdict = judge(wanted.product, column.data());
    ASSERT_TRUE(verdict.ok) << "column " << j << " of " << count << ": " << verdict.reason;
  }
}

template <class T>
void check_matrix(const Csr<Owned>& a) {
  const Wanted<T> wanted(a);
  for (const auto& spec : tests::every_spec()) {
    const auto encoded = encode_any(view_of(a), spec);
    if (!encoded.ok() && encoded.error().code == ErrorCode::not_applicable) continue;
    ASSERT_TRUE(encoded.ok());
    with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
      if constexpr (cpu::has_spmm<F>) {
        for (const Isa isa : available_isas()) {
          SCOPED_TRACE(spec.text() + " on " + std::string(enum_name(isa)));
          const tests::ExactIsa exact(isa);
          check_columns<T>(f, columns, wanted, 3);
          check_columns<T>(f, 5, wanted, 1);
        }
      }
    });
  }
}

template <class T>
void check_scenarios(Fill fill) {
  for (const auto& scenario : tests::scenarios()) {
    if (scenario.rows * scenario.cols > 1000000) continue;  // many products take long
    SCOPED_TRACE(scenario.name);
    const auto typed = with_value_type(view_of(tests::make_csr(scenario, fill)), value_type_of<T>);
    ASSERT_TRUE(typed.ok());
    for (const StoreKind kind : all_stores)
      if (const auto a = with_values(view_of(*typed), kind); a.ok()) check_matrix<T>(*a);
  }
}

TEST(Spmm, EveryScenarioInDouble) { check_scenarios<double>(Fill::real); }
TEST(Spmm, EveryScenarioInFloat) { check_scenarios<float>(Fill::real); }
TEST(Spmm, PatternsInDouble) { check_scenarios<double>(Fill::pattern); }
TEST(Spmm, RowsLongerThanASlice) {
  std::vector<tests::Entry> entries;
  for (std::uint32_t r = 0; r < 70; ++r)
    for (std::uint32_t c = r; c < 5000; c += r == 3 || r == 4 || r == 69 ? 1 : 1000) entries.emplace_back(r, c);
  const auto a = tests::make_csr({"long rows", 70, 5000, entries, {}});
  const auto sliced = encode<SliceDelta>(view_of(a), {});
  ASSERT_TRUE(sliced.ok() && sliced->long_row.size() > 3) << "rows were to be cut into pieces";
  check_matrix<double>(a);
}
TEST(Spmm, ManyRows) { check_matrix<double>(tests::node_matrix(300, 3)); }
}  // namespace
}  // namespace spress
