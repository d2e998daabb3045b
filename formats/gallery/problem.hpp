// Linear systems with a known solution, for generators whose matrix comes from one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace spress::gallery {

/// A x = rhs for the matrix that a generator makes, its unknowns the coefficients of a function.
struct Problem {
  std::vector<double> rhs;    ///< rows
  std::vector<double> start;  ///< cols: where an iteration should begin
  /// The distance, in the L2 norm, of the function with these coefficients (cols) from the exact solution.
  std::function<double(const double* x)> l2_error;
};

/// The same problem with row r the former row old_row[r], columns alike. Requires: a permutation of the rows.
[[nodiscard]] Problem permuted(Problem problem, std::vector<std::uint32_t> old_row);

/// -laplace u = f on the unit cube, u = 0 on its boundary, f such that u = sin(pi x) sin(pi y) sin(pi z); trilinear
/// elements with n inner points per side, as the generator `fem3d` numbers them (x fastest).
/// rhs: the integrals of f times each basis function, exact but for rounding, so that the L2 error falls with the
/// square of h = 1 / (n + 1). They are an eigenvector of the matrix, which conjugate gradient would find in one step
/// from 0: `start` is scattered numbers, in which all eigenvectors have a share. l2_error: by three Gauss points a side
/// of each element. Sines are the C library's: the last place of rhs may differ between machines.
[[nodiscard]] Problem fem3d_problem(std::uint64_t n);

}  // namespace spress::gallery
