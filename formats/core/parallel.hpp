// Loops on several threads over many small items. Few of them are left to one thread, for which no parallel region is
// begun: that takes as long as some hundred items.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <utility>

namespace spress {

/// The number of threads that `asked` stands for (0: all there are).
[[nodiscard]] inline int thread_count(int asked) { return asked > 0 ? asked : omp_get_max_threads(); }

/// How many of the threads asked for (0: all there are) are worth starting for `items` small pieces of work: one, or
/// all. A team of another size than the last one ends threads or starts some, which takes longer than to wake them all.
[[nodiscard]] inline int threads_worth(int asked, std::uint64_t items) {
  constexpr std::uint64_t enough_for_two = 65536;
  return items < enough_for_two ? 1 : thread_count(asked);
}

/// What the threads of a parallel region throw, std::bad_alloc for instance: an exception that leaves the region ends
/// the program, so the first one is kept, and thrown again behind the region.
class RegionErrors {
 public:
  /// Calls work(arguments...), but no more once any thread's call has thrown.
  template <class Work, class... Arguments>
  void attempt(const Work& work, Arguments&&... arguments) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      std::invoke(work, std::forward<Arguments>(arguments)...);
    } catch (...) {
      if (!failed_.exchange(true)) first_ = std::current_exception();
    }
  }
  /// Throws what was kept. Requires: the region has ended.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr first_;
};

/// Calls use(i) for 0..n-1, each of `threads` threads a range of its own. Requires: threads > 0; no call throws.
template <class Use>
void share_index(std::uint64_t n, int threads, const Use& use) {
  if (threads == 1 || n < 2) {
    for (std::uint64_t i = 0; i < n; ++i) use(i);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::uint64_t i = 0; i < n; ++i) use(i);
}

/// The same on as many threads as that many small items are worth. Requires: no call throws.
template <class Use>
void for_each_index(std::uint64_t n, int threads, const Use& use) {
  share_index(n, threads_worth(threads, n), use);
}

/// Calls use(first, last) with ranges that make up 0..n until a call answers false; ranges that began before are ended.
/// Returns whether no call did. A thread takes the same ranges in every run, of all about as much as any other one.
/// What a call throws is thrown again here.
template <class Use>
bool all_ranges(std::uint64_t n, int threads, const Use& use) {
  constexpr std::uint64_t longest = 4096, unit = 64;  // of a range; a multiple, for vectors
  const int team = threads_worth(threads, n);
  const std::uint64_t longest_of_all = longest * static_cast<std::uint64_t>(team);
  const std::uint64_t ranges = (n + longest_of_all - 1) / longest_of_all * static_cast<std::uint64_t>(team);
  const std::uint64_t step = ranges == 0 ? unit : ((n + ranges - 1) / ranges + unit - 1) / unit * unit;
  if (team == 1) {
    for (std::uint64_t first = 0; first < n; first += step)
      if (!use(first, std::min(n, first + step))) return false;
    return true;
  }
  std::atomic<bool> good = true;
  RegionErrors errors;
  const auto use_range = [&](std::uint64_t k) {
    if (!use(k * step, std::min(n, (k + 1) * step))) good.store(false, std::memory_order_relaxed);
  };
#pragma omp parallel for schedule(static) num_threads(team)
  for (std::uint64_t k = 0; k < (n + step - 1) / step; ++k)
    if (good.load(std::memory_order_relaxed)) errors.attempt(use_range, k);
  errors.rethrow();
  return good;
}

/// Copies memory by several threads: touching fresh pages takes longer than reading them.
inline void copy_bytes(void* to, const void* from, std::uint64_t bytes) {
  constexpr std::uint64_t piece = 1 << 18;
  const std::uint64_t pieces = (bytes + piece - 1) / piece;
  if (pieces <= 4) {
    if (bytes != 0) std::memcpy(to, from, bytes);
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::uint64_t p = 0; p < pieces; ++p)
    std::memcpy(static_cast<std::uint8_t*>(to) + p * piece, static_cast<const std::uint8_t*>(from) + p * piece,
                std::min(piece, bytes - p * piece));
}

}  // namespace spress
