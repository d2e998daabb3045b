// Where the product of amb takes other paths: blocks of every width, ids that stand side by side, close together, or
// anywhere, zero filling in every store, padding, and x that ends where a window would reach over it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/kernels/cpu/shared/block_products.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

Spec amb(std::uint32_t block) { return {"amb", {{"block", std::to_string(block)}}}; }

/// Row r has `run` columns from column first(r) on, as far as the matrix has them, of three different values.
template <class First>
Csr<Owned> runs(std::uint32_t rows, std::uint32_t cols, std::uint32_t run, First&& first) {
  tests::Scenario s{"", rows, cols, {}, {}};
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = first(r); c < std::min(first(r) + run, cols); ++c) {
      s.entries.emplace_back(r, c);
      s.values.push_back(1.25 + (r + c) % 3);
    }
  return tests::make_csr(s);
}

/// The product with every instruction set, judged; one piece of x more than there is would be seen by the sanitizers.
template <class T>
void check(const Csr<Owned>& a, const Spec& spec, const std::vector<T>& x) {
  const auto encoded = encode_any(view_of(a), spec);
  ASSERT_TRUE(encoded.ok()) << encoded.error().message;
  const auto reference = reference_product<T>(view_of(a), x.data());
  for (Isa wanted : available_isas()) {
    const tests::ExactIsa exact(wanted);
    std::vector<T> one(a.rows, T(-77));
    with_any(*encoded, [&](const auto& f) { cpu::spmv<T>(view_of(f), x.data(), one.data(), 1); });
    const auto verdict = judge(reference, one.data());
    EXPECT_TRUE(verdict.ok) << spec.text() << " on " << enum_name(wanted) << ": " << verdict.reason;
    std::vector<T> three(a.rows, T(-77));
    with_any(*encoded, [&](const auto& f) { cpu::spmv<T>(view_of(f), x.data(), three.data(), 3); });
    EXPECT_EQ(std::memcmp(one.data(), three.data(), a.rows * sizeof(T)), 0) << spec.text();
  }
}

template <class T>
void check_stores(const Csr<Owned>& a, const Spec& spec) {
  const auto typed = with_value_type(view_of(a), value_type_of<T>);
  for (StoreKind kind : {StoreKind::raw, StoreKind::lut8})
    check<T>(*with_values(view_of(*typed), kind), spec, test_vector<T>(a.cols));
}

TEST(AmbKernel, FillingMeetsWhatIsNotFinite) {
  for (const std::uint32_t block : {2u, 3u, 4u}) tests::check_filling(amb(block));
}

TEST(AmbKernel, BlocksOfEveryWidth) {
  for (std::uint32_t block = 1; block <= 10; ++block) {
    SCOPED_TRACE(block);
    const auto side_by_side = runs(70, 90, block, [](std::uint32_t r) { return r; });
    const auto in_threes = runs(70, 90, 2 * block + 1, [](std::uint32_t r) { return r / 3 * 3; });
    const auto anywhere = runs(70, 3000, block + 1, [](std::uint32_t r) { return r * 7919u % 2900u; });
    for (const auto* a : {&side_by_side, &in_threes, &anywhere}) {
      check_stores<double>(*a, amb(block));
      check_stores<float>(*a, amb(block));
    }
  }
}

/// x ends within, at and behind the reach of the widest window; rows at the end look at its last elements.
TEST(AmbKernel, XEndsAnywhere) {
  for (std::uint32_t cols = 33; cols < 80; ++cols)
    check_stores<double>(runs(40, cols, 3, [&](std::uint32_t r) { return cols - std::min(cols, 34 - r % 32); }),
                         amb(3));
}

/// The id of padding, 65535, is as near to these columns as another column would be.
TEST(AmbKernel, PaddingIsNoColumnNearTheLastOnes) {
  tests::Scenario s{"", 32, 140000, {}, {}};
  for (std::uint32_t r = 0; r < 32; ++r) {
    s.entries.emplace_back(r, 65500 + r);
    if (r < 3) s.entries.emplace_back(r, 65533);
  }
  for (std::uint32_t block : {1, 2, 3})
    check_stores<double>(tests::make_csr(s), {"amb", {{"block", std::to_string(block)}, {"segment", "65535"}}});
}

/// Segments that begin in other windows than they end in, go back to earlier ones, and leave rows and windows out.
TEST(AmbKernel, SegmentsOverWindows) {
  tests::Scenario s{"", 1000, 600, {}, {}};
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    if (r / 100 % 4 == 1) continue;
    if (r % 50 == 7) s.entries.emplace_back(r, 3);
    for (std::uint32_t c = r / 2; c < std::min(r / 2 + 40, 600u); c += 1 + r % 3)
      if (c > 3) s.entries.emplace_back(r, c);
    if (r % 91 == 5 && r < 900) s.entries.emplace_back(r, 599);
  }
  for (std::size_t k = 0; k < s.entries.size(); ++k) s.values.push_back(k % 3 == 0 ? -0.75 : 1.5);
  for (std::uint32_t segment : {7, 64, 598, 600})
    check_stores<double>(tests::make_csr(s),
                         {"amb", {{"block", "2"}, {"segment", std::to_string(segment)}, {"sigma", "64"}}});
}

/// Rows whose columns drift apart, so that lanes pause in some steps and go on side by side in others, up to the end
/// of x.
TEST(AmbKernel, LanesPauseWhereAStepHasABase) {
  tests::Scenario s{"", 100, 300000, {}, {}};
  for (std::uint32_t r = 0; r < s.rows; ++r)
    for (std::uint32_t k = 0; k < 8; ++k)
      for (std::uint32_t c = 0; c < 3; ++c) {
        s.entries.emplace_back(r, k * 30000 + r % 32 * (r < 32 ? 1 : 2000) + c + (k == 7 && r < 32 ? 89966 : 0));
        s.values.push_back(1.25 + (r + c) % 3);
      }
  const auto a = tests::make_csr(s);
  ASSERT_EQ(a.col_idx[8 * 3 * 32 - 1], a.cols - 1);
  for (std::uint32_t block : {1, 2, 3, 5}) {
    const Spec spec = {"amb", {{"block", std::to_string(block)}, {"base", "step"}, {"sigma", "32"}}};
    check_stores<double>(a, spec);
    check_stores<float>(a, spec);
  }
}

/// Ids beyond 16 bits, padding among them, up to the end of x.
TEST(AmbKernel, WideColumns) {
  const auto a = runs(100, 200000, 4, [](std::uint32_t r) { return r < 64 ? 199900 + r : r * 1999; });
  for (std::uint32_t block : {1, 2, 3})
    for (const char* segment : {"200000", "70000"}) {
      const Spec spec = {"amb", {{"block", std::to_string(block)}, {"base", "none"}, {"segment", segment}}};
      check_stores<double>(a, spec);
      check_stores<float>(a, spec);
    }
}

/// Codes of slots without an entry are those of a number in these stores: they must be left out, not multiplied.
TEST(AmbKernel, SlotsWithoutEntriesAreNoNumbers) {
  auto a = runs(64, 200, 1, [](std::uint32_t r) { return 3 * r; });
  std::vector<double> x(a.cols, std::numeric_limits<double>::infinity());
  for (std::uint32_t r = 0; r < 64; ++r) x[3 * r] = r + 1;
  for (StoreKind kind : {StoreKind::lut8, StoreKind::lut16})
    for (std::uint32_t block : {2, 3, 4, 7}) check<double>(*with_values(view_of(a), kind), amb(block), x);
}

}  // namespace
}  // namespace spress
