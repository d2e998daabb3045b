#include "pipeline/solve/solve_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spress::pipeline {
namespace {

using reports::SolveMeasure;

constexpr std::uint64_t counted_iterations = 1000;  ///< counts of CSR up to here are compared
constexpr double count_margin = 0.02;
constexpr double residual_margin = 10;

std::uint64_t margin_of(std::uint64_t iterations) {
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::floor(count_margin * static_cast<double>(iterations))));
}

/// Whether a row has converged in a number of iterations from `least` to `most`, give or take the margin.
bool count_fits(const SolveMeasure& row, const SolveYardstick& yardstick, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t margin = margin_of(yardstick.csr.iterations);
  return row.converged && row.iterations + margin >= least && row.iterations <= most + margin;
}

/// Whether counts of iterations decide.
bool is_counted(const SolveMeasure& row, const SolveYardstick& yardstick) {
  return row.type == "double" && yardstick.csr.converged && yardstick.csr.iterations <= counted_iterations;
}

std::string orders_of(const SolveYardstick& y) {
  if (y.least_iterations == y.most_iterations) return "";
  return fmt::format(" ({} to {} in other orders of its rows)", y.least_iterations, y.most_iterations);
}

std::string count_of(const SolveYardstick& y) {
  return fmt::format("csr takes {} iterations{}", y.csr.iterations, orders_of(y));
}

/// What is wrong with a row, or nothing.
std::string fault_of(const SolveMeasure& row, const SolveYardstick& yardstick, double tolerance) {
  const SolveMeasure& csr = yardstick.csr;
  if (broke_down(row)) return "stopped where csr did not: " + row.stop;
  if (is_counted(row, yardstick) && !count_fits(row, yardstick, yardstick.least_iterations, yardstick.most_iterations))
    return count_of(yardstick);
  const double worst = std::max(yardstick.worst_true_residual, row.converged && csr.converged ? tolerance : 0.0);
  if (row.true_residual <= residual_margin * worst) return "";
  return fmt::format("csr comes to a true residual of {:.1e}", yardstick.worst_true_residual);
}

/// What a reader should know of a row that is ok: that CSR itself varies as much, or that rounding keeps the truth
/// above what was asked for. Often nothing.
std::string remark_on(const SolveMeasure& row, const SolveYardstick& yardstick, double tolerance) {
  const std::uint64_t own = yardstick.csr.iterations;
  if (is_counted(row, yardstick) && !count_fits(row, yardstick, own, own)) return count_of(yardstick);
  const bool beyond = row.converged && row.true_residual > residual_margin * tolerance;
  return beyond ? "rounding in " + row.type + " keeps the true residual above the tolerance" : "";
}

std::string drift_of(const SolveMeasure& row) {
  return fmt::format("the true residual is {:.1e}, but {:.1e} by the recurrence: rounding adds {:.1e} at most",
                     row.true_residual, row.residual, row.rounding_bound);
}

std::string breakdown_of(const SolveMeasure& csr) {
  return csr.stop == "not_finite" ? "csr met numbers beyond the range of the type"
                                  : "the matrix, as rounded, is not positive definite";
}

}  // namespace

SolveYardstick::SolveYardstick(const SolveMeasure& csr_row)
    : csr(csr_row),
      least_iterations(csr_row.iterations),
      most_iterations(csr_row.iterations),
      worst_true_residual(csr_row.true_residual) {}

void SolveYardstick::widen(const SolveMeasure& other) {
  if (other.stop.empty() || broke_down(other) || drifted(other)) return;
  least_iterations = std::min(least_iterations, other.iterations);
  most_iterations = std::max(most_iterations, other.iterations);
  worst_true_residual = std::max(worst_true_residual, other.true_residual);
}

bool broke_down(const SolveMeasure& row) { return row.stop == "not_positive_definite" || row.stop == "not_finite"; }

bool drifted(const SolveMeasure& row) {
  constexpr double slack = 1 + 1e-9;  // for the rounding of these three figures themselves
  return !broke_down(row) && !(row.true_residual <= slack * (row.residual + row.rounding_bound));
}

bool may_be_acquitted(const SolveMeasure& row) { return row.ok == false && !broke_down(row) && !drifted(row); }

void judge(SolveMeasure& row, const SolveYardstick& yardstick, double tolerance) {
  if (row.stop.empty()) return;
  row.speedup_vs_csr = yardstick.csr.seconds / row.seconds;
  row.total_speedup_vs_csr = yardstick.csr.total_seconds / row.total_seconds;
  if (broke_down(yardstick.csr)) {
    row.reason = breakdown_of(yardstick.csr);
    return;
  }
  const std::string fault = drifted(row) ? drift_of(row) : fault_of(row, yardstick, tolerance);
  row.ok = fault.empty();
  row.reason = fault.empty() ? remark_on(row, yardstick, tolerance) : fault;
}

}  // namespace spress::pipeline
