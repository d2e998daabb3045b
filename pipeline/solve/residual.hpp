// What a solution is worth: its true residual, and how far rounding can have led the solver's own away from it.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/csr/csr.hpp"
#include "pipeline/ranks/matrix_part.hpp"

namespace spress::pipeline {

/// All relative to ||b||, in the 2-norm; 0 where b and the numerator are 0.
struct ResidualCheck {
  double true_residual = 0;   ///< ||b - A x||, in extended precision
  double rounding_bound = 0;  ///< of ||b - A x - r|| for the r of the recurrence
};

/// Of x after so many iterations of conjugate gradient in T from x_0. start_magnitude: rows, |A| |x_0|, or empty where
/// x_0 is 0. With f = b - A x - r, each iteration adds to f only what it rounds: A times the rounding of x, and that of
/// the product and of r. To first order in eps, the unit roundoff of T, and for products that sum n_i terms in row i,
///   |f_i| <= eps * ((iterations * (2 n_i + 6) + n_i + 1) * (|A| X)_i + (iterations + 1) * |b_i|), X = |x| + 2 |x_0|,
/// where X stands for the largest iterate: the distance from x_0 never shrinks (Steihaug 1983). It grows with the count
/// as no sum of random errors does: what exceeds it is a fault of the solver, not of rounding.
/// Source: Greenbaum 1997, "Estimating the attainable accuracy of recursively computed residual methods".
/// part: null, or the part of which `a` is the matrix; the figures are those of the whole system then.
/// Requires: readable_as<T>(a.values); b: rows, x: columns of a. Throws std::bad_alloc.
template <class T>
[[nodiscard]] ResidualCheck check_residual(const Csr<Viewed>& a, const std::vector<T>& b, const std::vector<T>& x,
                                           const std::vector<long double>& start_magnitude, std::uint64_t iterations,
                                           const MatrixPart* part = nullptr);

/// |A| |x_0|; empty where x_0 is 0.
template <class T>
[[nodiscard]] std::vector<long double> magnitude_of_start(const Csr<Viewed>& a, const std::vector<T>& start);

}  // namespace spress::pipeline
