// The products of formats that store whole blocks of r x c entries, judged for every shape of block.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/scenarios.hpp"

namespace spress::tests {

/// Judges the product of `spec` on every instruction set; on one thread and on five it has the same bits.
template <class T>
void check_product(const Csr<Owned>& a, const Spec& spec) {
  const auto encoded = encode_any(view_of(a), spec);
  ASSERT_TRUE(encoded.ok()) << encoded.error().message;
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(a), x.data());
  for (const Isa wanted : available_isas()) {
    const ExactIsa exact(wanted);
    std::vector<T> one(a.rows, T(-77)), five(a.rows, T(-77));
    with_any(*encoded, [&](const auto& f) {
      cpu::spmv<T>(view_of(f), x.data(), one.data(), 1);
      cpu::spmv<T>(view_of(f), x.data(), five.data(), 5);
    });
    const auto verdict = judge(reference, one.data());
    EXPECT_TRUE(verdict.ok) << spec.text() << " on " << enum_name(wanted) << ": " << verdict.reason;
    EXPECT_EQ(std::memcmp(one.data(), five.data(), a.rows * sizeof(T)), 0) << spec.text();
  }
}

inline Spec blocks_of(const std::string& format, std::uint32_t r, std::uint32_t c) {
  return {format, {{"r", std::to_string(r)}, {"c", std::to_string(c)}}};
}

/// Sides from 1 to `largest`, values raw, narrow and in a table.
template <class T>
void check_all_shapes(const Csr<Owned>& a, const std::string& format, std::uint32_t largest) {
  const auto typed = with_value_type(view_of(a), value_type_of<T>);
  for (const StoreKind kind : {StoreKind::raw, StoreKind::narrow, StoreKind::lut8}) {
    const auto stored = with_values(view_of(*typed), kind);
    ASSERT_TRUE(stored.ok());
    for (std::uint32_t r = 1; r <= largest; ++r)
      for (std::uint32_t c = 1; c <= largest; ++c) check_product<T>(*stored, blocks_of(format, r, c));
  }
}

/// 61 rows, none of rows 20 to 36 with an entry. Requires: at least 59 columns. Columns from the 50th on stand at the
/// right end of the matrix.
inline Csr<Owned> scattered_rows(std::uint32_t cols) {
  Scenario s{"", 61, cols, {}, {}};
  for (std::uint32_t r = 0; r < 61; ++r)
    for (std::uint32_t c = r % 5; c < 59; c += 1 + (r * 7 + c) % 6) {
      if (r >= 20 && r < 37) continue;
      s.entries.emplace_back(r, c < 50 ? c : cols - 59 + c);
      s.values.push_back(static_cast<double>((r + 3 * c) % 7) + 1);
    }
  return make_csr(s);
}

/// An infinite element of x, or one that is NaN, reaches the rows that have an entry there, and no filling of blocks.
inline void check_filling(const Spec& spec) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto a = make_csr({"", 4, 4, {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3}}, {1, 1, 1, 1, 1, 1, 1}});
  for (const StoreKind kind : {StoreKind::raw, StoreKind::narrow, StoreKind::iso}) {
    const auto stored = with_values(view_of(a), kind);
    ASSERT_TRUE(stored.ok());
    const auto encoded = encode_any(view_of(*stored), spec);
    ASSERT_TRUE(encoded.ok()) << encoded.error().message;
    for (const Isa wanted : available_isas()) {
      SCOPED_TRACE(spec.text() + " " + std::string(enum_name(kind)) + " on " + std::string(enum_name(wanted)));
      const ExactIsa exact(wanted);
      const auto product = [&](const std::vector<double>& x) {
        std::vector<double> y(4, -77);
        with_any(*encoded, [&](const auto& f) { cpu::spmv<double>(view_of(f), x.data(), y.data(), 2); });
        return y;
      };
      EXPECT_EQ(product({1, 1, infinity, 1}), (std::vector<double>{2, infinity, infinity, 1}));
      const auto y = product({std::nan(""), 1, 1, 1});
      EXPECT_TRUE(std::isnan(y[0]));
      EXPECT_EQ((std::vector<double>(y.begin() + 1, y.end())), (std::vector<double>{2, 2, 1}));
    }
  }
}

/// Blocks without filling: square ones of sides that divide 24.
inline void check_full_blocks(const std::string& format, const std::vector<std::uint32_t>& sides) {
  const auto a = make_csr({"", 24, 48, dense(24, 48), {}});
  for (const std::uint32_t side : sides) check_product<double>(a, blocks_of(format, side, side));
}

}  // namespace spress::tests
