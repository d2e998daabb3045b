// A barrier for threads that meet every few microseconds. Internal.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "formats/core/clock.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace spress::reorder {

/// Threads wait for each other without sleeping: they meet once for each level of a graph, and to wake a thread takes
/// longer than most levels do. A thread that has waited for long gives way to whoever needs its core, and tells for how
/// long it did: on a busy machine the others may not be running at all.
class SpinBarrier {
 public:
  /// How many threads there are. Requires: none waits.
  void expect(int threads) { threads_.store(static_cast<std::uint32_t>(threads), std::memory_order_relaxed); }

  /// Returns once all threads have called it as often as the caller. Returns the seconds as spin_until does.
  double wait() {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_.load(std::memory_order_relaxed)) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return 0;
    }
    return spin_until([&] { return round_.load(std::memory_order_acquire) != round; });
  }

  /// Returns once it is done, and for how many seconds it has given way to other threads until then.
  template <class Done>
  static double spin_until(const Done& done) {
    constexpr int turns = 100;  // a few microseconds
    for (int turn = 0; turn < turns; ++turn) {
      if (done()) return 0;
      relax();
    }
    const auto start = Clock::now();
    while (!done()) sched_yield();
    return seconds_since(start);
  }

 private:
  static void relax() {
#if defined(__x86_64__)
    _mm_pause();
#endif
  }

  std::atomic<std::uint32_t> threads_ = 1;
  alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace spress::reorder
