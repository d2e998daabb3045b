// Every format of the list, every value store, every scenario, every instruction set, float and
// double: judged by the rigorous bound.
#include "kernels/cpu/spmv.hpp"

#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "kernels/reference.hpp"
#include "tests/every_spec.hpp"
#include "tests/exact_isa.hpp"
#include "tests/far_columns.hpp"
#include "tests/node_matrix.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Fill;

/// Gives all positions of a format 64 bits, as those of a large matrix have; how many arrays had 32.
template <class F>
int widen_positions(F& format) {
  int widened = 0;
  for_each_array(
      [&](const ArrayInfo& info, auto& array) {
        if constexpr (std::is_same_v<decltype(array), Positions<Owned>&>) {
          if (info.role == Role::value || array.dtype() != DType::u32) return;
          HostArray<std::uint64_t> wide(array.size());
          std::copy_n(array.template as<std::uint32_t>(), array.size(), wide.data());
          array = Positions<Owned>(wide);
          ++widened;
        }
      },
      format);
  return widened;
}

/// The product of `f`, which is `a` encoded.
template <class T, class F>
void check_encoded(const Csr<Owned>& a, const F& f, const Spec& spec, int threads) {
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(a), x.data());
  for (Isa wanted : available_isas()) {
    const tests::ExactIsa exact(wanted);
    std::vector<T> y(a.rows + 1, T(-77));  // one more: nothing may be written behind the rows
    cpu::spmv<T>(view_of(f), x.data(), y.data(), threads);
    const auto verdict = judge(reference, y.data());
    EXPECT_TRUE(verdict.ok) << spec.text() << " on " << enum_name(wanted) << ": " << verdict.reason;
    EXPECT_EQ(y[a.rows], T(-77)) << spec.text() << " on " << enum_name(wanted);
  }
}

template <class T>
void check_product(const Csr<Owned>& a, const Spec& spec, int threads) {
  const auto encoded = encode_any(view_of(a), spec);
  if (!encoded.ok() && encoded.error().code == ErrorCode::not_applicable) return;  // what a format holds: tests/encode
  ASSERT_TRUE(encoded.ok());
  with_any(*encoded, [&](const auto& f) { check_encoded<T>(a, f, spec, threads); });
}

/// The same with positions of 64 bits, for formats that have any.
void check_wide_product(const Csr<Owned>& a, const Spec& spec, int threads) {
  const auto encoded = encode_any(view_of(a), spec);
  if (!encoded.ok() && encoded.error().code == ErrorCode::not_applicable) return;
  ASSERT_TRUE(encoded.ok());
  with_any(*encoded, [&](auto f) {
    if (widen_positions(f) > 0) check_encoded<double>(a, f, spec, threads);
  });
}

template <class T>
void check_scenario(const tests::Scenario& scenario, Fill fill) {
  if (scenario.cols > 1000000) return;  // the vector alone would be gigabytes
  const auto typed = with_value_type(view_of(tests::make_csr(scenario, fill)), value_type_of<T>);
  ASSERT_TRUE(typed.ok());
  for (StoreKind kind : all_stores) {
    const auto a = with_values(view_of(*typed), kind);
    if (!a.ok()) continue;
    for (const auto& spec : tests::every_spec())
      for (int threads : {1, 3}) check_product<T>(*a, spec, threads);
  }
}

TEST(Spmv, EveryFormatStoreAndScenarioInDouble) {
  for (const auto& scenario : tests::scenarios()) {
    SCOPED_TRACE(scenario.name);
    check_scenario<double>(scenario, Fill::real);
    check_scenario<double>(scenario, Fill::pattern);
  }
}

TEST(Spmv, EveryFormatStoreAndScenarioInFloat) {
  for (const auto& scenario : tests::scenarios()) {
    SCOPED_TRACE(scenario.name);
    check_scenario<float>(scenario, Fill::real);
    check_scenario<float>(scenario, Fill::pattern);
  }
}

/// Large matrices have such positions; here small ones have them.
TEST(Spmv, PositionsOf64Bits) {
  const auto many = tests::node_matrix(300, 3);
  const auto few = with_values(view_of(tests::node_matrix(250, 3)), StoreKind::narrow);
  ASSERT_TRUE(few.ok());
  tests::Scenario uneven{"", 1400, 900, {}, {}};
  for (std::uint32_t row = 0; row < uneven.rows; ++row)
    for (std::uint32_t k = 0; k < row * 2654435761u % 7 && row % 512 != 0; ++k)
      uneven.entries.emplace_back(row, row % 13 + 97 * k);
  const auto coded = with_values(view_of(tests::make_csr(uneven, Fill::real)), StoreKind::lut16);
  ASSERT_TRUE(coded.ok());
  auto wide = many;
  EXPECT_EQ(widen_positions(wide), 1);
  for (const auto* a : {&many, &*few, &*coded})
    for (const auto& spec : tests::every_spec())
      for (int threads : {1, 3}) check_wide_product(*a, spec, threads);
}

TEST(Spmv, ByHand) {
  // [1 2 0; 0 0 0; 0 3 4] * [1, 10, 100]
  const auto a = tests::make_csr({"", 3, 3, {{0, 0}, {0, 1}, {2, 1}, {2, 2}}, {}});
  const std::vector<double> x = {1, 10, 100};
  for (const auto& spec : tests::every_spec()) {
    const auto encoded = encode_any(view_of(a), spec);
    if (!encoded.ok() && encoded.error().code == ErrorCode::not_applicable) continue;  // blocks wider than the matrix
    ASSERT_TRUE(encoded.ok()) << spec.text();
    std::vector<double> y(3, -1);
    with_any(*encoded, [&](const auto& f) { cpu::spmv<double>(view_of(f), x.data(), y.data(), 2); });
    EXPECT_EQ(y, (std::vector<double>{21, 0, 430})) << spec.text();
  }
}

TEST(Judge, AcceptsRoundingAndNothingMore) {
  const auto a = tests::make_csr({"", 1, 3, {{0, 0}, {0, 1}, {0, 2}}, {0.1, 0.2, 0.3}});
  const std::vector<double> x = {1, 1, 1};
  const auto reference = reference_product<double>(view_of(a), x.data());
  double y = 0.1 + 0.2 + 0.3;
  EXPECT_TRUE(judge(reference, &y).ok);
  y = 0.6 * (1 + 6 * 0x1p-53);  // six units: the bound is (3 + 2) of them
  EXPECT_FALSE(judge(reference, &y).ok);
  y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(judge(reference, &y).ok);
  y = 0;
  EXPECT_FALSE(judge(reference, &y).ok);
}

TEST(Judge, WantsInfinitiesAndNansWhereTheyBelong) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto a = tests::make_csr({"", 2, 1, {{0, 0}, {1, 0}}, {infinity, tests::nan_with_payload()}});
  const double x = 1;
  const auto reference = reference_product<double>(view_of(a), &x);
  std::vector<double> y = {infinity, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_TRUE(judge(reference, y.data()).ok);
  y = {-infinity, y[1]};
  EXPECT_FALSE(judge(reference, y.data()).ok);
  y = {infinity, 1.0};
  EXPECT_FALSE(judge(reference, y.data()).ok);
}

TEST(Judge, AnEmptyRowMustBeZero) {
  const auto a = tests::make_csr({"", 1, 1, {}, {}});
  const double x = 1;
  const auto reference = reference_product<double>(view_of(a), &x);
  double y = 0;
  EXPECT_TRUE(judge(reference, &y).ok);
  y = 5e-324;
  EXPECT_FALSE(judge(reference, &y).ok);
}

/// Where x is gathered instead of loaded, as far_apart decides: columns that most rows do not share a cache line in.
TEST(Spmv, EveryFormatOfColumnsFarApart) {
  for (const auto& spec : tests::every_spec())
    for (int threads : {1, 3}) check_product<double>(tests::far_columns(100000), spec, threads);
}

/// Residuals of all widths, four of which may take more than two words of each lane.
TEST(Spmv, SliceDeltaOfColumnsFarApart) {
  for (const std::uint32_t cols : {1000u, 100000u, 4000000u})
    for (const char* sigma : {"1", "64"})
      check_product<double>(tests::far_columns(cols), {"slice-delta", {{"sigma", sigma}}}, 2);
}

/// Lanes that do not begin side by side, in order and sorted, with values step by step and lane by lane.
TEST(Spmv, SliceDeltaOfRowsThatBeginAlike) {
  for (const std::uint32_t unknowns : {2u, 3u, 6u}) {
    const auto a = tests::node_matrix(90, unknowns);
    EXPECT_EQ(encode<SliceDelta>(view_of(a), {})->block, unknowns);
    const auto small = with_values(view_of(tests::node_matrix(12, unknowns)), StoreKind::narrow);
    for (const char* sigma : {"1", "64"})
      for (const char* block : {"auto", "5", "64"}) {
        check_product<double>(a, {"slice-delta", {{"sigma", sigma}, {"block", block}}}, 2);
        check_product<double>(*small, {"slice-delta", {{"sigma", sigma}, {"block", block}}}, 2);
      }
  }
}

/// Matrices so narrow that vectors reach to the ends of x and of the codes.
TEST(Spmv, SliceDeltaOfFewBlocks) {
  for (const std::uint32_t nodes : {1u, 2u, 3u, 6u})
    for (const std::uint32_t unknowns : {2u, 3u, 7u})
      for (const StoreKind kind : {StoreKind::raw, StoreKind::narrow, StoreKind::lut8}) {
        const auto a = with_values(view_of(tests::node_matrix(nodes, unknowns)), kind);
        if (!a.ok()) continue;
        SCOPED_TRACE(std::to_string(nodes) + " nodes, " + std::to_string(unknowns) + " unknowns");
        check_product<double>(*a, {"slice-delta", {{"sigma", "1"}, {"block", std::to_string(unknowns)}}}, 1);
      }
}

}  // namespace
}  // namespace spress
