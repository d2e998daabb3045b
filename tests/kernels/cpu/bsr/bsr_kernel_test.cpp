// Where the product of bsr takes other paths: blocks of every shape, reaching over the last row and column, filled with
// zeros in every store.
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
    std::vector<T> one(a.rows, T(-77)), three(a.rows, T(-77));
    with_any(*encoded, [&](const auto& f) {
      cpu::spmv<T>(view_of(f), x.data(), one.data(), 1);
      cpu::spmv<T>(view_of(f), x.data(), three.data(), 3);
    });
    const auto verdict = judge(reference, one.data());
    EXPECT_TRUE(verdict.ok) << spec.text() << " on " << enum_name(wanted) << ": " << verdict.reason;
    EXPECT_EQ(std::memcmp(one.data(), three.data(), a.rows * sizeof(T)), 0) << spec.text();
  }
}

template <class T>
void check_all_shapes(const Csr<Owned>& a) {
  const auto typed = with_value_type(view_of(a), value_type_of<T>);
  for (const StoreKind kind : {StoreKind::raw, StoreKind::narrow, StoreKind::lut8}) {
    const auto stored = with_values(view_of(*typed), kind);
    ASSERT_TRUE(stored.ok());
    for (std::uint32_t r = 1; r <= 8; ++r)
      for (std::uint32_t c = 1; c <= 8; ++c)
        check<T>(*stored, {"bsr", {{"r", std::to_string(r)}, {"c", std::to_string(c)}}});
  }
}

/// 61 rows and 59 columns, no multiples of any side but 1: filled blocks, and an empty stretch of rows.
Csr<Owned> scattered() {
  tests::Scenario s{"", 61, 59, {}, {}};
  for (std::uint32_t r = 0; r < 61; ++r)
    for (std::uint32_t c = r % 5; c < 59; c += 1 + (r * 7 + c) % 6) {
      if (r >= 20 && r < 37) continue;
      s.entries.emplace_back(r, c);
      s.values.push_back(static_cast<double>((r + 3 * c) % 7) + 1);
    }
  return tests::make_csr(s);
}

TEST(BsrKernel, BlocksOfEveryShapeInDouble) { check_all_shapes<double>(scattered()); }
TEST(BsrKernel, BlocksOfEveryShapeInFloat) { check_all_shapes<float>(scattered()); }
TEST(BsrKernel, FullBlocks) {
  const auto a = tests::make_csr({"", 24, 48, tests::dense(24, 48), {}});
  for (const char* side : {"1", "2", "3", "4", "6", "8"}) check<double>(a, {"bsr", {{"r", side}, {"c", side}}});
}

}  // namespace
}  // namespace spress
