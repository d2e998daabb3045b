// Every format of the list on every instruction set: the same bits for any number of threads, wherever their pieces are
// cut. The matrix has enough rows that cuts fall between rows which vectors would take together.
#include <gtest/gtest.h>

#include <cstring>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

std::vector<Spec> specs() {
  auto all = all_formats();
  for (const char* mode : {"delta", "anchored", "diagonal"}) all.push_back({"opt-csr", {{"index", mode}}});
  for (const char* text : {"bcoo:b=10", "sell:c=5,sigma=12", "sell:c=1024,sigma=1"}) all.push_back(*parse_spec(text));
  return all;
}

/// Rows of 0 to 40 entries without an order, and some of up to 150; no value and no product is a short binary fraction,
/// so that every other way of adding them up shows.
Csr<Owned> irregular() {
  tests::Scenario s{"", 4003, 3001, {}, {}};
  for (std::uint32_t r = 0; r < s.rows; ++r) {
    const std::uint32_t hash = r * 0x9E3779B1u >> 8;
    const std::uint32_t length = hash % 61 == 0  ? hash % 151
                                 : hash % 3 == 0 ? hash % 41
                                                 : hash % 9,
                        first = hash % 1000;
    for (std::uint32_t k = 0; k < length; ++k) s.entries.emplace_back(r, first + k * (1 + hash % 13));
  }
  for (std::size_t k = 0; k < s.entries.size(); ++k) {
    const auto n = static_cast<double>(k % 199 + 3);
    s.values.push_back(k % 3 == 0 ? -1 / n : 1 / n);
  }
  return tests::make_csr(s);
}

template <class T>
std::vector<T> product(const AnyFormat& any, const std::vector<T>& x, std::size_t rows, int threads) {
  std::vector<T> y(rows, T(-77));
  with_any(any, [&](const auto& f) { cpu::spmv<T>(view_of(f), x.data(), y.data(), threads); });
  return y;
}

/// How many rows come out in other bits than those of one thread.
template <class T>
std::size_t rows_that_differ(const std::vector<T>& y, const std::vector<T>& alone) {
  std::size_t differ = 0;
  for (std::size_t r = 0; r < y.size(); ++r) differ += std::memcmp(&y[r], &alone[r], sizeof(T)) != 0 ? 1 : 0;
  return differ;
}

template <class T>
void check_format(const Csr<Owned>& a, const Spec& spec, const Reference& reference, const std::vector<T>& x) {
  const auto encoded = encode_any(view_of(a), spec);
  if (!encoded.ok() && a.values.kind != StoreKind::raw) return;  // formats that code values in their own way
  ASSERT_TRUE(encoded.ok()) << spec.text() << ": " << encoded.error().text();
  for (Isa wanted : available_isas()) {
    SCOPED_TRACE(spec.text() + " on " + std::string(enum_name(wanted)));
    const tests::ExactIsa exact(wanted);
    const auto alone = product<T>(*encoded, x, a.rows, 1);
    const auto verdict = judge(reference, alone.data());
    EXPECT_TRUE(verdict.ok) << verdict.reason;
    for (int threads : {2, 3, 5, 7})
      EXPECT_EQ(rows_that_differ(product<T>(*encoded, x, a.rows, threads), alone), 0u) << threads << " threads";
  }
}

template <class T>
void check_all() {
  const auto typed = *with_value_type(view_of(irregular()), value_type_of<T>);
  std::vector<T> x(typed.cols);
  for (std::size_t c = 0; c < x.size(); ++c) x[c] = T(1) / static_cast<T>(c % 97 + 7);
  const auto reference = reference_product<T>(view_of(typed), x.data());
  for (StoreKind kind : {StoreKind::raw, StoreKind::lut16}) {
    const auto a = with_values(view_of(typed), kind);
    ASSERT_TRUE(a.ok());
    for (const auto& spec : specs()) check_format<T>(*a, spec, reference, x);
  }
}

TEST(Threads, DoNotChangeTheBitsInDouble) { check_all<double>(); }
TEST(Threads, DoNotChangeTheBitsInFloat) { check_all<float>(); }

}  // namespace
}  // namespace spress
