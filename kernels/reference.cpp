#include "kernels/reference.hpp"

#include <cmath>
#include <limits>

namespace spress {

template <class T>
Reference reference_product(const Csr<Viewed>& a, const T* x) {
  Reference out;
  out.y.resize(a.rows);
  out.magnitude.resize(a.rows);
  out.row_nnz.resize(a.rows);
  with_accessor<T>(a.values, [&](auto values) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < a.rows; ++r) {
      long double sum = 0, magnitude = 0;
      for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k) {
        const long double term = static_cast<long double>(values[k]) * static_cast<long double>(x[a.col_idx[k]]);
        sum += term;
        magnitude += std::fabs(term);
      }
      out.y[r] = sum;
      out.magnitude[r] = magnitude;
      out.row_nnz[r] = a.row_ptr.position(r + 1) - a.row_ptr.position(r);
    }
  });
  return out;
}

namespace {

/// Error over bound of one row: 0 is perfect, above 1 is wrong.
template <class T>
long double error_ratio(const Reference& reference, std::size_t r, T y) {
  constexpr auto infinity = std::numeric_limits<long double>::infinity();
  const long double exact = reference.y[r], magnitude = reference.magnitude[r];
  if (!std::isfinite(magnitude)) {
    const bool same = std::isnan(exact) ? std::isnan(y) : exact == static_cast<long double>(y);
    return same ? 0 : infinity;
  }
  if (!std::isfinite(y)) return magnitude >= static_cast<long double>(std::numeric_limits<T>::max()) / 2 ? 0 : infinity;
  const auto n = static_cast<long double>(reference.row_nnz[r]);
  const auto unit = static_cast<long double>(std::numeric_limits<T>::epsilon()) / 2;
  const long double bound =
      (n + 2) * unit * magnitude + n * static_cast<long double>(std::numeric_limits<T>::denorm_min());
  const long double error = std::fabs(static_cast<long double>(y) - exact);
  return error == 0 ? 0 : error / bound;
}

}  // namespace

template <class T>
Verdict judge(const Reference& reference, const T* y) {
  Verdict verdict;
  for (std::size_t r = 0; r < reference.y.size(); ++r) {
    const long double ratio = error_ratio(reference, r, y[r]);
    verdict.max_error_ratio = std::max(verdict.max_error_ratio, static_cast<double>(ratio));
    if (ratio <= 1 || !verdict.ok) continue;
    verdict.ok = false;
    verdict.reason = "row " + std::to_string(r) + " is " + std::to_string(y[r]) + ", expected " +
                     std::to_string(static_cast<double>(reference.y[r]));
  }
  return verdict;
}

template <class T>
std::vector<T> test_vector(std::uint64_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    std::uint64_t z = (i + 1) * 0x9E3779B97F4A7C15u + seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    const double magnitude = 0.5 + static_cast<double>(z >> 11) * 0x1p-53;
    x[i] = static_cast<T>((z & 1) != 0 ? magnitude : -magnitude);
  }
  return x;
}

template Reference reference_product<float>(const Csr<Viewed>&, const float*);
template Reference reference_product<double>(const Csr<Viewed>&, const double*);
template Verdict judge<float>(const Reference&, const float*);
template Verdict judge<double>(const Reference&, const double*);
template std::vector<float> test_vector<float>(std::uint64_t, std::uint64_t);
template std::vector<double> test_vector<double>(std::uint64_t, std::uint64_t);

}  // namespace spress
