// Whether a format solves as well as CSR does.
#pragma once

#include <cstdint>
#include <string>

#include "reports/records/records.hpp"

namespace spress::pipeline {

/// What CSR needs, in one value type. A count of iterations hangs on rounding where the matrix is ill-conditioned: then
/// CSR with its rows and columns in other orders, which changes nothing but the order of sums, needs other numbers too,
/// and a format cannot be asked for less spread than that.
struct SolveYardstick {
  explicit SolveYardstick(const reports::SolveMeasure& csr_row);
  /// Joins a run of CSR in another order, unless that failed, broke down or drifted.
  void widen(const reports::SolveMeasure& other);

  reports::SolveMeasure csr;
  std::uint64_t least_iterations, most_iterations;
  double worst_true_residual;
};

/// Whether a row's solver has lost the truth: its true residual is above that of its recurrence, by which it stops, by
/// more than rounding can explain (see check_residual). This bound is absolute, and CSR is held to it like every row:
/// all that are only compared with CSR would pass if CSR had drifted as far. False where the solver broke down.
[[nodiscard]] bool drifted(const reports::SolveMeasure& row);

/// Fills in `ok`, `reason` and the speedups of a row that was run. It is ok where
/// 1. it has not drifted;
/// 2. if double, and CSR converges within 1000 iterations: the row has converged too, its count at most 2% (or 1)
///    outside those of the yardstick;
/// 3. its true residual is at most 10 times the worst of the yardstick, or of the tolerance where both have converged
///    (a last step may well end far below).
/// A row that is ok has a reason where a reader should know more: its count is ok only because CSR needs such numbers
/// in other orders, or it has converged by the recurrence while rounding keeps its true residual above the tolerance.
/// Null where CSR's own run broke down (not positive definite, not finite). A row without a run stays as it is.
void judge(reports::SolveMeasure& row, const SolveYardstick& yardstick, double tolerance);

/// Whether a row that was judged wrong may yet be found right when the yardstick widens.
[[nodiscard]] bool may_be_acquitted(const reports::SolveMeasure& row);

/// The solver met proof that the matrix, as rounded, is not positive definite, or numbers that are not finite.
[[nodiscard]] bool broke_down(const reports::SolveMeasure& row);

}  // namespace spress::pipeline
