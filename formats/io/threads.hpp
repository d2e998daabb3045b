// Threads for reading and writing text.
#pragma once

#include <omp.h>

#include <exception>
#include <mutex>

namespace spress::io {

/// The number asked for, or OpenMP's default for 0; at least 1.
[[nodiscard]] int thread_count(int asked);

/// Calls work(t) for t = 0..threads-1, each on a thread of its own where the system gives as many, and waits for all.
/// The first exception of any call is thrown again here. OpenMP's threads, so that its settings (OMP_PROC_BIND) hold: a
/// std::thread would inherit the one processor to which the calling thread is bound.
/// Requires: no call waits for another.
template <class Work>
void run_on_threads(int threads, Work&& work) {
  std::mutex mutex;
  std::exception_ptr failure;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    try {
      work(t);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace spress::io
