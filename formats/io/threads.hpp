// Threads for reading and writing text.
#pragma once

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace spress::io {

/// The number asked for, or OpenMP's default for 0; at least 1.
[[nodiscard]] int thread_count(int asked);

/// Calls work(t) for t = 0..threads-1 at once, t = 0 on the calling thread, and waits for all. The first exception of
/// any call is thrown again here. Where the system gives fewer threads, the calling thread does the work of the rest.
template <class Work>
void run_on_threads(int threads, Work&& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded = [&](int t) {
    try {
      work(t);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(static_cast<std::size_t>(threads > 1 ? threads - 1 : 0));
  int started = 1;
  try {
    for (; started < threads; ++started) others.emplace_back(guarded, started);
  } catch (const std::system_error&) {
  }
  guarded(0);
  for (int t = started; t < threads; ++t) guarded(t);
  for (auto& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace spress::io
