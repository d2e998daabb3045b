// ell, sell, hyb and ell-csr on the device, where the scenarios that all formats meet are too small: rows that several
// warps share, and padding that must not be multiplied.
#include <gtest/gtest.h>

#include <limits>

#include "tests/cuda/judged.hpp"
#include "tests/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

/// Rows of lengths(r) entries, in columns from 1 on.
template <class Lengths>
tests::Scenario rows_of(std::uint32_t rows, std::uint32_t cols, Lengths lengths) {
  tests::Scenario s;
  s.rows = rows, s.cols = cols;
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t k = 0; k < lengths(r); ++k) s.entries.emplace_back(r, k + 1);
  for (std::size_t k = 0; k < s.entries.size(); ++k) s.values.push_back(1.0 / static_cast<double>(k % 97 + 1) - 0.3);
  return s;
}

/// Judges a format in every store, double and float; returns its kernel for raw values.
std::string check(const tests::Scenario& scenario, const Spec& spec) {
  const auto a = tests::make_csr(scenario);
  const auto narrowed = with_value_type(view_of(a), ValueType::f32);
  EXPECT_TRUE(narrowed.ok());
  const auto x = test_vector<double>(a.cols);
  const auto x_float = test_vector<float>(a.cols);
  for (StoreKind kind : {StoreKind::narrow, StoreKind::lut8, StoreKind::lut16}) {
    if (const auto wide = with_values(view_of(a), kind); wide.ok())
      tests::judged_kernel<double>(view_of(*wide), spec, x, x);
    if (const auto narrow = with_values(view_of(*narrowed), kind); narrow.ok())
      tests::judged_kernel<float>(view_of(*narrow), spec, x_float, x_float);
  }
  return tests::judged_kernel<double>(view_of(a), spec, x, x);
}

TEST(PaddedOnDevice, LongRowsAreSharedByWarps) {
  NEEDS_DEVICE();
  const auto s = rows_of(4000, 40001, [](std::uint32_t r) {
    return r == 7 ? 40000u : r == 2000 ? 5000u : r % 40 == 3 ? 70u : r % 5 == 0 ? 0u : r % 9;
  });
  for (const char* c : {"1", "7", "32", "33"})
    EXPECT_NE(check(s, {"sell", {{"c", c}}}).find("in pieces"), std::string::npos) << c;
  EXPECT_NE(check(s, {"ell-csr", {}}).find("by several"), std::string::npos);
  EXPECT_NE(check(s, {"hyb", {}}).find("the rest"), std::string::npos);
}

TEST(PaddedOnDevice, FewLongRowsAreSharedByWarps) {
  NEEDS_DEVICE();
  for (const std::uint32_t rows : {1u, 3u, 31u, 32u, 40u}) {
    const auto s = rows_of(rows, 9001, [](std::uint32_t r) { return 9000 - 7 * r; });
    for (const char* format : {"ell", "hyb", "sell"})
      EXPECT_NE(check(s, {format, {}}).find("in pieces"), std::string::npos) << format << " of " << rows << " rows";
  }
}

TEST(PaddedOnDevice, SlicesOfEachSize) {
  NEEDS_DEVICE();
  const auto s = rows_of(2500, 60, [](std::uint32_t r) { return r / 50; });
  for (const char* c : {"2", "3", "5", "11", "16", "17", "31", "48", "65", "1000"}) check(s, {"sell", {{"c", c}}});
}

TEST(PaddedOnDevice, PaddingIsNotMultiplied) {
  NEEDS_DEVICE();
  const auto s = rows_of(700, 50, [](std::uint32_t r) { return r % 13 * 3; });
  const auto x = test_vector<double>(s.cols);
  auto spoilt = x;
  spoilt[0] = std::numeric_limits<double>::infinity();  // no row has an entry there
  auto infinite_values = s;
  infinite_values.values.assign(s.entries.size(), std::numeric_limits<double>::infinity());
  for (const auto& scenario : {s, infinite_values})
    for (StoreKind kind : {StoreKind::raw, StoreKind::lut8, StoreKind::iso})
      if (const auto a = with_values(view_of(tests::make_csr(scenario)), kind); a.ok())
        for (const char* format : {"ell", "hyb", "sell", "ell-csr"})
          tests::judged_kernel<double>(view_of(*a), {format, {}}, x, spoilt);
}

}  // namespace
}  // namespace spress
