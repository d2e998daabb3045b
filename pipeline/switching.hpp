// Hiding the preparation of a better format: iterations go on with one product while another is made ready.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/cg.hpp"

namespace spress::pipeline {

/// y = A x on so many threads.
template <class T>
using ThreadedProduct = std::function<void(const T* x, T* y, int threads)>;

struct SwitchRecord {
  std::optional<std::uint64_t> at;  ///< iterations before the second product took over; none where it never did
  double seconds = 0;               ///< until there was a solution, or another reason to stop
  double prepare_seconds = 0;       ///< until the second product was there
};

/// Runs `solver` with `first` on half of the threads while the other half runs prepare(), which returns the second
/// product, or an empty one where it cannot be had; between two iterations the second takes over, on all threads. Where
/// the solver stops before, the call still ends with prepare(). threads: 0 for OpenMP's default; at least 2, or prepare
/// comes before the first iteration (see side_by_side). Exceptions of both reach the caller.
/// Source: Matam and Kothapalli, section VI, with threads of one processor for their processor and GPU.
template <class T>
[[nodiscard]] SwitchRecord run_switching(ConjugateGradient<T>& solver, const ThreadedProduct<T>& first,
                                         const std::function<ThreadedProduct<T>()>& prepare, int threads);

}  // namespace spress::pipeline
