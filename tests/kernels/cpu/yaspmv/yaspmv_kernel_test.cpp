// Where the product of yaspmv takes other paths: blocks of every shape, reaching over the last row and column, filled
// with zeros in every store; rows over several groups, groups of few steps, rows without blocks.
#include <gtest/gtest.h>

#include <cstring>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

template <class T>
void check(const Csr<Owned>& a, const Spec& spec) {
  const auto encoded = encode_any(view_of(a), spec);
  ASSERT_TRUE(encoded.ok()) << encoded.error().message;
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(a), x.data());
  for (const Isa wanted : available_isas()) {
    const tests::ExactIsa exact(wanted);
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

template <class T>
void check_all_shapes(const Csr<Owned>& a) {
  const auto typed = with_value_type(view_of(a), value_type_of<T>);
  for (const StoreKind kind : {StoreKind::raw, StoreKind::narrow, StoreKind::lut8}) {
    const auto stored = with_values(view_of(*typed), kind);
    ASSERT_TRUE(stored.ok());
    for (std::uint32_t r = 1; r <= 4; ++r)
      for (std::uint32_t c = 1; c <= 4; ++c)
        check<T>(*stored, {"yaspmv", {{"r", std::to_string(r)}, {"c", std::to_string(c)}}});
  }
}

/// 61 rows, and columns that are no multiple of any side but 1: an empty stretch of rows, differences that 16 bits do
/// not hold in blocks of any width.
Csr<Owned> scattered() {
  tests::Scenario s{"", 61, 600'011, {}, {}};
  for (std::uint32_t r = 0; r < 61; ++r)
    for (std::uint32_t c = r % 5; c < 59; c += 1 + (r * 7 + c) % 6) {
      if (r >= 20 && r < 37) continue;
      s.entries.emplace_back(r, c < 50 ? c : s.cols - 59 + c);
      s.values.push_back(static_cast<double>((r + 3 * c) % 7) + 1);
    }
  return tests::make_csr(s);
}

/// Rows of all lengths up to three groups.
Csr<Owned> long_rows() {
  tests::Scenario s{"", 9, 1601, {}, {}};
  for (std::uint32_t r = 0; r < 9; ++r)
    for (std::uint32_t c = 0; c < (r == 4 ? s.cols : 300 * (r % 3)); ++c) {
      s.entries.emplace_back(r, c);
      s.values.push_back(static_cast<double>((r + c) % 5) - 1.5);
    }
  return tests::make_csr(s);
}

TEST(YaspmvKernel, BlocksOfEveryShapeInDouble) { check_all_shapes<double>(scattered()); }
TEST(YaspmvKernel, BlocksOfEveryShapeInFloat) { check_all_shapes<float>(scattered()); }
TEST(YaspmvKernel, RowsOverSeveralGroups) { check_all_shapes<double>(long_rows()); }
TEST(YaspmvKernel, FullBlocks) {
  const auto a = tests::make_csr({"", 24, 48, tests::dense(24, 48), {}});
  for (const char* side : {"1", "2", "3", "4"}) check<double>(a, {"yaspmv", {{"r", side}, {"c", side}}});
}

}  // namespace
}  // namespace spress
