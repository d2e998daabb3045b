// Hiding the preparation of a better format: iterations go on with one product while another is made ready.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "pipeline/solve/solve_device.hpp"

namespace spress::pipeline {

struct SwitchRecord {
  std::optional<std::uint64_t> at;  ///< iterations before the second form took over; none where it never did
  double seconds = 0;               ///< until there was a solution, or another reason to stop
  double prepare_seconds = 0;       ///< until the second form was there
};

/// The threads of the CPU, and how many of them prepare.
struct SharedThreads {
  int all, beside;
};

/// Runs `solver` with `first` while other threads run prepare(), which returns the second form of the matrix, or null
/// where it cannot be had; between two iterations the second takes over, with all threads. Where the solver stops
/// before, the call still ends with prepare(). At least 2 threads, or prepare comes before the first iteration (see
/// side_by_side). Errors: as Solver::run. Exceptions of both reach the caller.
/// Source: Matam and Kothapalli, section VI.
template <class T>
[[nodiscard]] Result<SwitchRecord> run_switching(Solver<T>& solver, const PlacedMatrix& first,
                                                 const std::function<const PlacedMatrix*()>& prepare,
                                                 SharedThreads threads);

}  // namespace spress::pipeline
