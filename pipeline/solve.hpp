// Conjugate gradient with every format: what a compact format is worth to a solver.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/gallery/problem.hpp"
#include "formats/matrix.hpp"
#include "formats/params.hpp"
#include "reports/records.hpp"

namespace spress::pipeline {

enum class Preconditioner : std::uint8_t { none, jacobi };

}  // namespace spress::pipeline

template <>
struct spress::EnumNames<spress::pipeline::Preconditioner> {
  static constexpr std::array<std::string_view, 2> names = {"none", "jacobi"};
};

namespace spress::pipeline {

struct SolveOptions {
  std::vector<Spec> formats;  ///< empty: every format of the list
  std::vector<ValueType> types = {ValueType::f64, ValueType::f32};
  std::optional<StoreKind> values = StoreKind::raw;  ///< none: the smallest for each format
  Preconditioner preconditioner = Preconditioner::none;
  double tolerance = 1e-8;
  std::uint64_t max_iterations = 1000;
  int threads = 0;
  std::optional<std::pair<Spec, Spec>> hidden;  ///< iterate with the first while the second is encoded, then switch
};

/// Solves A x = b with each format and value type, first with CSR, the baseline. b is the right-hand side of `problem`
/// where there is one, from its start; otherwise A times a known vector, from 0. Each type has its own rounded A and b.
/// With `hidden`, a further row for each type: iterations begin with the first format on half of the threads (values
/// raw), the others encode the second one, and as soon as that is there it takes over on all threads. (Its own format's
/// rows tell the time to solution with nothing hidden.)
///
/// A row is `ok` where both of these hold, CSR of the same type being the measure:
/// 1. double, and CSR has converged within 1000 iterations: the format has too, its count within 2% (or 1) of CSR's;
/// 2. the true residual is at most 10 times the larger of CSR's and, where the format has converged, the tolerance:
///    a digit more than CSR loses is more than another order of the same sums explains.
/// It is null where CSR itself shows that the premises fail (not positive definite, overflow), or the format cannot
/// hold the matrix. Errors: usage for an unknown format or parameter; not_applicable and unsupported as check_symmetric
/// and inverse_diagonal. Throws std::bad_alloc. Source: FORMATS "the solver case"; switching: Matam and Kothapalli,
/// section VI.
[[nodiscard]] Result<reports::SolveRecord> solve(const Matrix& matrix, const std::optional<gallery::Problem>& problem,
                                                 const SolveOptions& options);

}  // namespace spress::pipeline
