// Conjugate gradient with every format: what a compact format is worth to a solver.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "formats/gallery/problem.hpp"
#include "pipeline/device/machine.hpp"
#include "pipeline/ranks/read_part.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

enum class Preconditioner : std::uint8_t { none, jacobi };

}  // namespace spress::pipeline

template <>
struct spress::EnumNames<spress::pipeline::Preconditioner> {
  static constexpr std::array<std::string_view, 2> names = {"none", "jacobi"};
};

namespace spress::pipeline {

struct SolveProgress {
  std::string what;                 ///< the row in work
  std::size_t done = 0, total = 0;  ///< rows
};

struct SolveOptions {
  std::vector<Spec> formats;  ///< empty: every format of the list
  std::vector<ValueType> types = {ValueType::f64, ValueType::f32};
  std::optional<StoreKind> values = StoreKind::raw;  ///< none: the smallest for each format
  Preconditioner preconditioner = Preconditioner::none;
  double tolerance = 1e-8;
  std::uint64_t max_iterations = 1000;
  int threads = 0;
  DeviceKind device = DeviceKind::cpu;  ///< where iterations run; encoding is always the CPU's
  std::uint64_t device_memory = 0;      ///< bytes on a GPU for the matrix, which comes through in pieces; 0: all
  double warm_up_seconds = 0;           ///< of iterations before anything is measured, in one process
  reports::MachineRecord machine;       ///< for the record
  std::optional<std::pair<Spec, Spec>> hidden;  ///< iterate with the first while the second is encoded, then switch
  std::function<void(const SolveProgress&)> on_progress;
};

/// Solves A x = b with each format and value type, first with CSR, the baseline. b is the right-hand side of `problem`
/// where there is one, from its start; otherwise A times a known vector, from 0. Each type has its own rounded A and b.
/// With `hidden`, a further row for each type: iterations begin with the first format (values raw) on half of the
/// threads, or on the GPU, the other threads encode the second one, and as soon as that is there it takes over. (Its
/// own format's rows tell the time to solution with nothing hidden.)
///
/// Rows are judged as solve_judge.hpp says. Where one fails, CSR is run in up to 32 other orders of rows and columns,
/// so that rounding, which decides over counts of ill-conditioned matrices, is not taken for a fault. A format that
/// cannot hold the matrix has a row with the reason, and so has each format where the matrix cannot be rounded to
/// float. Errors: usage for an unknown format or parameter; not_applicable and unsupported as check_symmetric,
/// inverse_diagonal and check_device. Throws std::bad_alloc. Source: docs/papers/003_solver.md; switching: Matam and
/// Kothapalli, section VI.
[[nodiscard]] Result<reports::SolveRecord> solve(const Matrix& matrix, const std::optional<gallery::Problem>& problem,
                                                 const SolveOptions& options);

/// Solves on several ranks, each of which has some rows. All get the same record. Times are those of the slowest
/// rank, bytes those of all. Requires: no `hidden`, no device_memory. Errors: those of any rank, on all. Source:
/// docs/papers/003_solver.md.
[[nodiscard]] Result<reports::SolveRecord> solve(const Ranks& ranks, RankRows rows,
                                                 const std::optional<gallery::Problem>& problem,
                                                 const SolveOptions& options);

}  // namespace spress::pipeline
