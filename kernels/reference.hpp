// The judge of every kernel: a product in extended precision, and a bound that rounding cannot exceed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/csr/csr.hpp"

namespace spress {

/// y = A x in extended precision, with what the bound needs.
struct Reference {
  std::vector<long double> y;          ///< rows
  std::vector<long double> magnitude;  ///< rows: sum over the row of |a||x|
  std::vector<std::uint64_t> row_nnz;  ///< rows
};

/// Requires: readable_as<T>(a.values). x: cols.
template <class T>
[[nodiscard]] Reference reference_product(const Csr<Viewed>& a, const T* x);

/// How far a result is from the reference. A row passes if
///   |y - y_ref| <= (n + 2) * eps * sum |a||x| + n * (smallest subnormal), n: entries of the row, eps: 2^-53 or 2^-24.
/// Rows whose exact value, or a partial sum of it, leaves T's finite range may be infinite or NaN; a row that holds a
/// NaN or an infinity must come out as the exact sum does: NaN, or that infinity.
struct Verdict {
  bool ok = true;
  double max_error_ratio = 0;  ///< largest left side over right side; infinity where a row fails without a number
  std::string reason;          ///< the first row that failed
};
template <class T>
[[nodiscard]] Verdict judge(const Reference& reference, const T* y);

/// A vector whose elements are deterministic, of both signs, with full mantissas and magnitudes in [0.5, 1.5).
template <class T>
[[nodiscard]] std::vector<T> test_vector(std::uint64_t n, std::uint64_t seed = 1);

}  // namespace spress
