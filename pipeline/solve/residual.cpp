#include "pipeline/solve/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/reference.hpp"

namespace spress::pipeline {
namespace {

/// ||part|| / ||whole|| from their squares.
double ratio_of_norms(long double part, long double whole) {
  return static_cast<double>(part == 0 ? 0 : std::sqrt(part) / std::sqrt(whole));
}

/// Squares of norms: of the residual, of b, of the bound.
struct Squares {
  long double rr = 0, bb = 0, ff = 0;
};

Squares over_ranks(const Squares& own, const MatrixPart* part) {
  if (part == nullptr) return own;
  Squares sum;
  for (const Squares& each : part->ranks().gather(own)) {
    sum.rr += each.rr;
    sum.bb += each.bb;
    sum.ff += each.ff;
  }
  return sum;
}

}  // namespace

template <class T>
ResidualCheck check_residual(const Csr<Viewed>& a, const std::vector<T>& b, const std::vector<T>& x,
                             const std::vector<long double>& start_magnitude, std::uint64_t iterations,
                             const MatrixPart* part) {
  constexpr auto eps = static_cast<long double>(std::numeric_limits<T>::epsilon()) / 2;
  constexpr auto least = static_cast<long double>(std::numeric_limits<T>::min());  // below it, rounding is absolute
  const Reference product = reference_product<T>(a, x.data());
  const auto count = static_cast<long double>(iterations);
  Squares own;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto n = static_cast<long double>(product.row_nnz[i]);
    const auto right = static_cast<long double>(b[i]);
    const long double start = start_magnitude.empty() ? 0 : 2 * start_magnitude[i];
    const long double r = right - product.y[i];
    const long double f =
        eps * ((count * (2 * n + 6) + n + 1) * (product.magnitude[i] + start + least) + (count + 1) * std::fabs(right));
    own.rr += r * r;
    own.bb += right * right;
    own.ff += f * f;
  }
  const auto [rr, bb, ff] = over_ranks(own, part);
  if (bb == 0) return {ratio_of_norms(rr, bb), 0};
  return {ratio_of_norms(rr, bb), ratio_of_norms(ff, bb)};
}
template ResidualCheck check_residual<float>(const Csr<Viewed>&, const std::vector<float>&, const std::vector<float>&,
                                             const std::vector<long double>&, std::uint64_t, const MatrixPart*);
template ResidualCheck check_residual<double>(const Csr<Viewed>&, const std::vector<double>&,
                                              const std::vector<double>&, const std::vector<long double>&,
                                              std::uint64_t, const MatrixPart*);

template <class T>
std::vector<long double> magnitude_of_start(const Csr<Viewed>& a, const std::vector<T>& start) {
  if (std::all_of(start.begin(), start.end(), [](T value) { return value == T(0); })) return {};
  return reference_product<T>(a, start.data()).magnitude;
}
template std::vector<long double> magnitude_of_start<float>(const Csr<Viewed>&, const std::vector<float>&);
template std::vector<long double> magnitude_of_start<double>(const Csr<Viewed>&, const std::vector<double>&);

}  // namespace spress::pipeline
