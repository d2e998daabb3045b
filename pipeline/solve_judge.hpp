// Whether a format solves as well as CSR does.
#pragma once

#include <cstdint>
#include <string>

#include "reports/records.hpp"

namespace spress::pipeline {

/// What CSR needs, in one value type. A count of iterations hangs on rounding where the matrix is ill-conditioned: then
/// CSR with its rows and columns in other orders, which changes nothing but the order of sums, needs other numbers too,
/// and a format cannot be asked for less spread than that.
struct SolveYardstick {
  explicit SolveYardstick(const reports::SolveMeasure& csr_row);
  /// Joins a run of CSR in another order.
  void widen(const reports::SolveMeasure& other);

  reports::SolveMeasure csr;
  std::uint64_t least_iterations, most_iterations;
  double worst_true_residual;
};

/// Fills in `ok`, `reason` and the speedups of a row that was run. It is ok where
/// 1. if double, and CSR converges within 1000 iterations: the row has converged too, its count at most 2% (or 1)
///    outside those of the yardstick;
/// 2. its true residual is at most 10 times the worst of the yardstick, or of the tolerance where both have converged
///    (a last step may well end far below).
/// A row whose count is ok only because CSR needs such numbers in other orders has a reason that says so.
/// Null where CSR's own run broke down (not positive definite, not finite). A row without a run stays as it is.
void judge(reports::SolveMeasure& row, const SolveYardstick& yardstick, double tolerance);

/// The solver met proof that the matrix, as rounded, is not positive definite, or numbers that are not finite.
[[nodiscard]] bool broke_down(const reports::SolveMeasure& row);

}  // namespace spress::pipeline
