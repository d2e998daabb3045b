// Threads for reading and writing text.
#pragma once

#include "formats/core/parallel.hpp"

namespace spress::io {

/// Calls work(t) for t = 0..threads-1, each on a thread of its own where the system gives as many, and waits for all.
/// The first exception of any call is thrown again here; calls that had not begun are left out. OpenMP's threads, so
/// that its settings (OMP_PROC_BIND) hold: a std::thread would inherit the one processor to which the calling thread is
/// bound.
/// Requires: no call waits for another.
template <class Work>
void run_on_threads(int threads, Work&& work) {
  RegionErrors errors;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) errors.attempt(work, t);
  errors.rethrow();
}

}  // namespace spress::io
