// What the fuzzers do with a matrix that validate accepts: all that who reads a file may do with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "encode/shared/codec.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"

namespace spress::fuzz {

/// Longer sides are legal as far as ids go, but only cost time. Those beyond have to be refused.
[[nodiscard]] constexpr bool is_long_side(std::uint64_t side) { return side >> 18 != 0 && side >> 32 == 0; }

[[noreturn]] inline void fail(std::string_view format, const std::string& what) {
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(format.size()), format.data(), what.c_str());
  __builtin_trap();
}

/// On every instruction set the product of the matrix that it decodes to.
template <class T, template <class> class F>
void multiply(const F<Viewed>& f, const Csr<Viewed>& a) {
  const auto x = test_vector<T>(a.cols);
  const Reference reference = reference_product<T>(a, x.data());
  std::vector<T> y(a.rows);
  for (const Isa isa : available_isas()) {
    std::fill(y.begin(), y.end(), std::numeric_limits<T>::quiet_NaN());
    const tests::ExactIsa exact(isa);
    cpu::spmv<T>(f, x.data(), y.data(), 1);
    const Verdict verdict = judge(reference, y.data());
    if (!verdict.ok) fail(F<Viewed>::name, std::string(enum_name(isa)) + ": " + verdict.reason);
  }
}

/// Requires: validate(f) holds; no long side.
template <template <class> class F>
void use(const F<Viewed>& f) {
  const Csr<Owned> a = decode<F>(f);
  if (a.rows != f.rows || a.cols != f.cols || a.nnz != f.nnz) fail(F<Viewed>::name, "decodes to another shape");
  if (const auto valid = validate(view_of(a)); !valid.ok()) fail(F<Viewed>::name, "decodes to " + valid.error().text());
  if (readable_as<double>(a.values)) multiply<double, F>(f, view_of(a));
  if (readable_as<float>(a.values)) multiply<float, F>(f, view_of(a));
}

}  // namespace spress::fuzz
