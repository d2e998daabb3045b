// When conjugate gradient stops: the same rules on the CPU and on a GPU.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "formats/core/array.hpp"
#include "formats/core/description.hpp"

namespace spress {

/// Why iterations ended.
enum class CgStop : std::uint8_t {
  running,                ///< not yet: `run` was asked to pause
  converged,              ///< ||r|| <= tolerance * ||b||
  max_iterations,         ///< not converged after so many
  not_positive_definite,  ///< p^T A p <= 0 for a direction p, or r^T M^-1 r <= 0: A or the preconditioner is to blame
  not_finite,             ///< an infinity or a NaN, in the matrix or the vectors; numbers that leave the type's range
  exhausted,              ///< not converged, but r has sunk to where numbers underflow: nothing is left to reduce
};
template <>
struct EnumNames<CgStop> {
  static constexpr std::array<std::string_view, 6> names = {
      "running", "converged", "max_iterations", "not_positive_definite", "not_finite", "exhausted"};
};

struct CgOptions {
  double tolerance = 1e-8;  ///< of ||r|| / ||b|| in the 2-norm, r by the recurrence
  std::uint64_t max_iterations = 1000;
};

/// Judges the sums of an iteration. Inner products are taken of vectors of T times `scale`, a power of two that brings
/// b near 1, so that squares of small or large systems stay in the range of double.
template <class T>
struct CgRules {
  static constexpr double least_square = 1e-276;  ///< of an r whose squares still have all their digits
  static constexpr double noise_square = 1e-60;   ///< of an r with no meaning left beside a b of 1

  CgOptions options = {};
  double scale = 1;
  double norm_b = 0;  ///< times scale

  /// Of r^T r and r^T M^-1 r, both times scale^2, after so many iterations; `running` where there is a next one.
  [[nodiscard]] SPRESS_HD CgStop of_residual(double rr, double rz, std::uint64_t iterations) const {
    if (!std::isfinite(norm_b) || !std::isfinite(rr) || !std::isfinite(rz)) return CgStop::not_finite;
    if (std::sqrt(rr) <= options.tolerance * norm_b) return CgStop::converged;
    if (sunk(rr)) return CgStop::exhausted;
    if (iterations >= options.max_iterations) return CgStop::max_iterations;
    if (underflows(rz)) return of_underflow(rr);
    return rz > 0 ? CgStop::running : CgStop::not_positive_definite;
  }

  /// Of p^T A p times scale^2, where r^T r is as before; `running` where a step can be taken. product_is_zero():
  /// whether A p is, asked in doubt only.
  template <class IsZero>
  [[nodiscard]] SPRESS_HD CgStop of_curvature(double curvature, double rr, const IsZero& product_is_zero) const {
    if (!std::isfinite(curvature)) return CgStop::not_finite;
    const bool small_system = scale > 0x1p400;  // then A p itself may have sunk to 0
    if (underflows(curvature) && (small_system || !product_is_zero())) return of_underflow(rr);
    return curvature > 0 ? CgStop::running : CgStop::not_positive_definite;
  }

 private:
  using Limits = std::numeric_limits<T>;

  [[nodiscard]] SPRESS_HD static bool underflows(double value) {
    return std::fabs(value) < std::numeric_limits<double>::min();
  }
  /// r is so small that its squares, or its elements, underflow: signs of sums say nothing more about the matrix.
  [[nodiscard]] SPRESS_HD bool sunk(double rr) const {
    constexpr double epsilon = static_cast<double>(Limits::epsilon());
    constexpr double least = static_cast<double>(Limits::min()) / epsilon;
    const double norm = std::sqrt(rr);
    return rr < least_square || (norm < epsilon * norm_b && norm / scale < least);
  }
  /// Of a sum that is positive in exact arithmetic, but too small for double.
  [[nodiscard]] SPRESS_HD static CgStop of_underflow(double rr) {
    return rr < noise_square ? CgStop::exhausted : CgStop::not_finite;
  }
};

/// The power of two that brings the largest element of b near 1; 1 where that is 0 or not finite.
[[nodiscard]] inline double cg_scale_for(double largest) {
  if (largest == 0 || !std::isfinite(largest)) return 1;
  const int exponent = -std::ilogb(largest);
  return std::ldexp(1.0, exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent);
}

}  // namespace spress
