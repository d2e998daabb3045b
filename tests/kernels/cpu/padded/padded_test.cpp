// Padded layouts on matrices of many slices, warps and pieces: judged by the rigorous bound, and the same bits whatever
// the number of threads and the kind of processor.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "encode/shared/any.hpp"
#include "kernels/cpu/padded/lanes.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::operator+;

const std::vector<const char*> specs = {"ell",
                                        "sell",
                                        "sell:c=1,sigma=1",
                                        "sell:c=8,sigma=1",
                                        "sell:c=5,sigma=12",
                                        "hyb",
                                        "ell-csr",
                                        "sell:c=33,sigma=999",
                                        "sell:c=1024,sigma=1024",
                                        "ell-csr:t=1,l=32",
                                        "ell-csr:t=256,m=8",
                                        "ell-csr:t=33,m=1",
                                        "ell-csr:t=64,m=8,l=512",
                                        "ell-csr:m=1024,l=32768"};

/// Rows of all lengths up to 290, empty ones and a dense one among them; values alternate in sign.
Csr<Owned> many_lengths() {
  tests::Scenario s{"", 700, 600, {}, {}};
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    const std::uint32_t length = r == 77 ? 600 : r * 7919u % 691u * (r % 5 == 0 ? 290u : 30u) / 691u;
    for (std::uint32_t k = 0; k < length; ++k) s.entries.emplace_back(r, k * (600 / length) + r % (600 / length));
  }
  for (std::size_t k = 0; k < s.entries.size(); ++k) {
    const auto n = static_cast<double>(k);
    s.values.push_back(k % 3 == 0 ? -1 / (n + 1) : 1 / (n + 2));
  }
  return tests::make_csr(s);
}

template <class T>
std::vector<T> product(const AnyFormat& any, std::uint64_t rows, const std::vector<T>& x, int threads) {
  std::vector<T> y(rows, T(-77));
  with_any(any, [&](const auto& f) { cpu::spmv<T>(view_of(f), x.data(), y.data(), threads); });
  return y;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
void check_all() {
  const auto a = *with_value_type(view_of(many_lengths()), value_type_of<T>);
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(view_of(a), x.data());
  for (const char* text : specs) {
    SCOPED_TRACE(text);
    const auto encoded = encode_any(view_of(a), *parse_spec(text));
    ASSERT_TRUE(encoded.ok());
    for (Isa isa : available_isas()) {
      const tests::ExactIsa exact(isa);
      const auto one = product(*encoded, a.rows, x, 1);
      const auto verdict = judge(reference, one.data());
      EXPECT_TRUE(verdict.ok) << verdict.reason << " on " << enum_name(isa);
      for (int threads : {2, 3, 8})
        EXPECT_TRUE(same_bits(product(*encoded, a.rows, x, threads), one)) << enum_name(isa);
      for (Processor processor : {Processor::intel, Processor::zen5}) {  // they read x in different ways
        const tests::OnProcessor there(processor);
        EXPECT_TRUE(same_bits(product(*encoded, a.rows, x, 1), one)) << enum_name(isa);
      }
    }
  }
}

TEST(Padded, ManyLengthsInDouble) { check_all<double>(); }
TEST(Padded, ManyLengthsInFloat) { check_all<float>(); }

TEST(Padded, FullStepsEndWherePaddingBegins) {
  constexpr std::uint64_t lanes = 4, stride = 5;
  for (std::uint64_t steps = 0; steps <= 20; ++steps)
    for (std::uint64_t full = 0; full <= steps; ++full) {
      std::vector<std::uint32_t> ids(steps * stride, 7);
      for (std::uint64_t k = full; k < steps; ++k) ids[k * stride + k % lanes] = no_column;
      const cpu::portable::Lanes slots{ids.data(), 0, stride, steps, 8, false};
      EXPECT_EQ(cpu::portable::full_steps<lanes>(slots, 0), full) << steps;
    }
}

/// An infinite element of x reaches the rows that have an entry there, and no padding.
TEST(Padded, PaddingReadsNothing) {
  const auto a = tests::make_csr({"", 40, 3, tests::row(0, {0, 1, 2}) + tests::row(1, {1}) + tests::row(39, {0}), {}});
  const std::vector<double> x = {std::numeric_limits<double>::infinity(), 10, 100};
  for (const char* text : specs) {
    const auto encoded = encode_any(view_of(a), *parse_spec(text));
    ASSERT_TRUE(encoded.ok());
    const auto y = product(*encoded, a.rows, x, 2);
    EXPECT_EQ(y[0], x[0]) << text;
    EXPECT_EQ(y[1], 40) << text;
    EXPECT_EQ(y[2], 0) << text;
    EXPECT_EQ(y[39], x[0]) << text;
  }
}

/// Nor does an infinite value, of all entries alike, reach rows that have padding in its place.
TEST(Padded, PaddingIsNotMultiplied) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto scenario = tests::Scenario{"", 39, 5, tests::row(0, {0, 1, 2}) + tests::row(2, {1}) + tests::row(38, {4}), {}};
  scenario.values.assign(scenario.entries.size(), infinity);
  const auto a = with_values(view_of(tests::make_csr(scenario)), StoreKind::iso);
  ASSERT_TRUE(a.ok());
  std::vector<double> wanted(a->rows, 0.0);
  wanted[0] = wanted[2] = wanted[38] = infinity;
  for (const char* text : specs) {
    const auto encoded = encode_any(view_of(*a), *parse_spec(text));
    ASSERT_TRUE(encoded.ok());
    for (Isa wanted_isa : available_isas()) {
      const tests::ExactIsa exact(wanted_isa);
      EXPECT_EQ(product(*encoded, a->rows, std::vector<double>(a->cols, 1.0), 2), wanted)
          << text << " on " << enum_name(wanted_isa);
    }
  }
}

}  // namespace
}  // namespace spress
