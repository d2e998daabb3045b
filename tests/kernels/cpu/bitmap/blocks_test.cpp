// Bitmap blocks of all densities, and streams of tuples of all kinds, long enough for every way through their kernels:
// judged by the rigorous bound, and the same bits whatever the number of threads.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

std::uint64_t hash(std::uint64_t k) {
  k = (k ^ (k >> 31)) * 0x9E3779B97F4A7C15u;
  return (k ^ (k >> 29)) * 0xBF58476D1CE4E5B9u >> 20;
}

/// A matrix of 8x8 blocks of all densities; its width ends inside a block, and column 13 is empty. `distinct`: values.
Csr<Owned> all_densities(std::uint64_t distinct) {
  tests::Scenario s{"", 203, 307, {}, {}};
  for (std::uint32_t r = 0; r < s.rows; ++r)
    for (std::uint32_t c = 0; c < s.cols; ++c) {
      const std::uint64_t percent = hash(r / 8 * 64 + c / 8) % 5 * 25;
      if (c != 13 && hash(r * 1000 + c) % 100 < percent) s.entries.emplace_back(r, c);
    }
  for (std::uint64_t k = 0; k < s.entries.size(); ++k) s.values.push_back(1.0 / double(hash(k) % distinct + 1) - 0.25);
  return tests::make_csr(s);
}

/// Rows of lengths and steps that nobody foresees, and empty ones. `frequent`: of ten values, those among 200 numbers.
Csr<Owned> scattered_rows(std::uint64_t frequent) {
  tests::Scenario s{"", 2500, 200000, {}, {}};
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    std::uint32_t c = static_cast<std::uint32_t>(hash(r) % 50);
    for (std::uint64_t k = 0; k < hash(r + 7) % 9; ++k) {
      s.entries.emplace_back(r, c);
      const std::uint64_t kind = hash(r * 31 + k) % 3;
      c += static_cast<std::uint32_t>(kind == 0 ? 1 + hash(c) % 3 : kind == 1 ? 125 + hash(c) % 900 : 70000);
      if (c >= s.cols) break;
    }
  }
  for (std::uint64_t k = 0; k < s.entries.size(); ++k)
    s.values.push_back(hash(k + 5) % 10 < frequent ? double(hash(k) % 200) + 0.5 : double(k) / 3);
  return tests::make_csr(s);
}

/// The same, as regular as a grid.
Csr<Owned> regular_rows(std::uint64_t frequent) {
  tests::Scenario s{"", 1800, 3000, {}, {}};
  for (std::uint32_t r = 0; r < s.rows; ++r)
    for (std::uint32_t c : {0u, 1u, 2u, 300u, 301u, 900u}) s.entries.emplace_back(r, r + c);
  for (std::uint64_t k = 0; k < s.entries.size(); ++k)
    s.values.push_back(hash(k + 5) % 10 < frequent ? double(hash(k) % 200) + 0.5 : double(k) / 3);
  return tests::make_csr(s);
}

template <class T>
void check(const Csr<Owned>& real, const std::string& format, StoreKind kind = StoreKind::raw) {
  const auto typed = with_value_type(view_of(real), value_type_of<T>);
  ASSERT_TRUE(typed.ok());
  const auto a = with_values(view_of(*typed), kind);
  ASSERT_TRUE(a.ok()) << a.error().text();
  const auto encoded = encode_any(view_of(*a), *parse_spec(format));
  ASSERT_TRUE(encoded.ok()) << encoded.error().text();
  const auto x = test_vector<T>(a->cols);
  const auto reference = reference_product<T>(view_of(*a), x.data());
  with_any(*encoded, [&](const auto& f) {
    for (Isa wanted : available_isas()) {
      SCOPED_TRACE(std::string(enum_name(wanted)) + " " + format);
      const tests::ExactIsa exact(wanted);
      std::vector<T> y(a->rows + 1, T(-77));
      cpu::spmv<T>(view_of(f), x.data(), y.data(), 1);
      const auto verdict = judge(reference, y.data());
      EXPECT_TRUE(verdict.ok) << verdict.reason;
      EXPECT_EQ(y[a->rows], T(-77));
      for (int threads : {2, 5}) {
        std::vector<T> shared(a->rows, T(-77));
        cpu::spmv<T>(view_of(f), x.data(), shared.data(), threads);
        EXPECT_EQ(std::memcmp(shared.data(), y.data(), shared.size() * sizeof(T)), 0) << threads << " threads";
      }
    }
  });
}

TEST(BitmapBlocks, OfAllDensitiesInAllStores) {
  for (const char* format : {"bmsparse", "bmsparse-csr", "hybrid-bm-csr:threshold=20"}) {
    for (StoreKind kind : {StoreKind::raw, StoreKind::lut8, StoreKind::lut16}) {
      check<double>(all_densities(100), format, kind);
      check<float>(all_densities(100), format, kind);
    }
    check<double>(all_densities(1), format, StoreKind::iso);
    check<float>(all_densities(1), format, StoreKind::iso);
  }
}

TEST(BitmapBlocks, LeaveOtherColumnsAlone) {
  const auto a = all_densities(100);
  std::vector<double> x(a.cols, 1.0);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    x[13] = bad;  // no entry stands in that column
    for (const char* format : {"bmsparse", "bmsparse-csr", "hybrid-bm-csr:threshold=1"}) {
      const auto encoded = encode_any(view_of(a), *parse_spec(format));
      ASSERT_TRUE(encoded.ok());
      for (Isa wanted : available_isas()) {
        const tests::ExactIsa exact(wanted);
        std::vector<double> y(a.rows);
        with_any(*encoded, [&](const auto& f) { cpu::spmv<double>(view_of(f), x.data(), y.data(), 1); });
        for (double sum : y) EXPECT_TRUE(std::isfinite(sum)) << format << " on " << enum_name(wanted);
      }
    }
  }
}

TEST(Tuples, OfAllKindsOfValues) {
  for (std::uint64_t frequent : {0, 1, 5, 10})
    for (const auto& a : {scattered_rows(frequent), regular_rows(frequent)})
      for (const char* format : {"bccoo", "bccoo:b=100", "bccoo:b=5000", "bccoo-gpu"}) {
        check<double>(a, format);
        check<float>(a, format);
      }
}

TEST(Tuples, OfPatterns) {
  for (auto a : {scattered_rows(0), regular_rows(0)}) {
    a.values = pattern_store(a.nnz);
    for (const char* format : {"bccoo", "bccoo-gpu"}) {
      check<double>(a, format);
      check<float>(a, format);
    }
  }
}

}  // namespace
}  // namespace spress
