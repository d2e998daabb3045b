// Threads: how many of them work is worth, loops that deal items to them, and OpenMP's settings for a scope.
// A loop on one thread begins no parallel region: waking a team takes as long as some hundred small items.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "formats/core/result.hpp"

namespace spress {

// --- How many --------------------------------------------------------------------------------------------------------

/// The number of threads that `asked` stands for (0: OpenMP's default).
[[nodiscard]] inline int thread_count(int asked) { return asked > 0 ? asked : omp_get_max_threads(); }

/// The threads to start for `items` small items: one, or all that `asked` stands for. Never some: a team of another
/// size than the last one ends or starts threads, which takes longer than to wake them all. enough_for_two: fewer items
/// are done by one thread.
[[nodiscard]] inline int threads_worth(int asked, std::uint64_t items, std::uint64_t enough_for_two = 65536) {
  return items < enough_for_two ? 1 : thread_count(asked);
}

/// The threads for work on `bytes` in blocks that take long, such as compression: as many as asked for; by default no
/// more than have something to do.
[[nodiscard]] inline int threads_for_bytes(int asked, std::uint64_t bytes) {
  constexpr std::uint64_t worth_a_thread = 256 << 10;
  if (asked > 0) return asked;
  return static_cast<int>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(thread_count(0)), 1 + bytes / worth_a_thread));
}

/// The threads that `asked` stands for, but no more than the memory holds with so many bytes for each.
[[nodiscard]] inline int threads_in_memory(int asked, std::uint64_t memory, std::uint64_t bytes_of_each) {
  const auto wanted = static_cast<std::uint64_t>(thread_count(asked));
  return static_cast<int>(std::clamp<std::uint64_t>(memory / bytes_of_each, 1, wanted));
}

/// Whether a walk over so many entries of a graph is worth more than one thread. Waking threads and waiting for them
/// costs as much as some ten thousand entries, and much more on a busy machine.
[[nodiscard]] constexpr bool walk_is_worth_threads(std::uint64_t entries) { return entries > 200000; }

/// The threads for such a walk: one, or OpenMP's default outside of parallel regions.
[[nodiscard]] inline int threads_for_walk(std::uint64_t entries) {
  return walk_is_worth_threads(entries) && omp_in_parallel() == 0 ? thread_count(0) : 1;
}

/// The blocks of rows for a walk over `entries` with memory of its own for each block: one, or as many as there are
/// threads, but no more than `fitting`.
[[nodiscard]] inline std::uint64_t row_blocks_worth(std::uint64_t entries, std::uint64_t fitting) {
  const auto threads = static_cast<std::uint64_t>(thread_count(0));
  return walk_is_worth_threads(entries) ? std::clamp<std::uint64_t>(fitting, 1, threads) : 1;
}

/// The first row of block b, of `blocks` with about as many entries in each; `rows` for b = blocks.
template <class Position>
[[nodiscard]] std::uint64_t row_block_begin(const Position* row_ptr, std::uint64_t rows, std::uint64_t b,
                                            std::uint64_t blocks) {
  if (b == blocks) return rows;
  return static_cast<std::uint64_t>(std::lower_bound(row_ptr, row_ptr + rows, row_ptr[rows] / blocks * b) - row_ptr);
}

// --- Settings for a scope --------------------------------------------------------------------------------------------

/// OpenMP's default number of threads for whatever the calling thread calls, until the end of the scope.
/// threads: 0 leaves it as it is.
class DefaultThreads {
 public:
  explicit DefaultThreads(int threads) : before_(omp_get_max_threads()) {
    if (threads > 0) omp_set_num_threads(threads);
  }
  DefaultThreads(const DefaultThreads&) = delete;
  DefaultThreads& operator=(const DefaultThreads&) = delete;
  ~DefaultThreads() { omp_set_num_threads(before_); }

 private:
  int before_;
};

/// At least so many parallel regions may nest until the end of the scope.
class NestedRegions {
 public:
  explicit NestedRegions(int levels) : before_(omp_get_max_active_levels()) {
    omp_set_max_active_levels(std::max(levels, before_));
  }
  NestedRegions(const NestedRegions&) = delete;
  NestedRegions& operator=(const NestedRegions&) = delete;
  ~NestedRegions() { omp_set_max_active_levels(before_); }

 private:
  int before_;
};

// --- Loops -----------------------------------------------------------------------------------------------------------

/// Keeps what the threads of a parallel region throw, std::bad_alloc for instance. An exception that leaves the region
/// ends the program, so the first one is kept, and thrown again behind the region.
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

/// Calls use(i) for 0..n-1, each of `threads` threads a range of its own. For items that take about the same time.
/// Requires: threads > 0; no call throws.
template <class Use>
void parallel_for(std::uint64_t n, int threads, const Use& use) {
  if (threads == 1 || n < 2) {
    for (std::uint64_t i = 0; i < n; ++i) use(i);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::uint64_t i = 0; i < n; ++i) use(i);
}

/// Calls use(i, t) for 0..n-1, dealt out one by one, t being the number of the thread that calls. For items that take
/// long, or not the same time. What a call throws is thrown again here. Requires: threads > 0.
template <class Use>
void parallel_for_dynamic(std::uint64_t n, int threads, const Use& use) {
  if (threads == 1 || n < 2) {
    for (std::uint64_t i = 0; i < n; ++i) use(i, std::size_t{0});
    return;
  }
  RegionErrors errors;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::uint64_t i = 0; i < n; ++i) errors.attempt(use, i, static_cast<std::size_t>(omp_get_thread_num()));
  errors.rethrow();
}

/// Calls work(t) for t = 0..threads-1, each on a thread of its own where the system gives as many, and waits for all.
/// The first exception of any call is thrown again here; calls that had not begun are left out. OpenMP's threads, so
/// that its settings (OMP_PROC_BIND) hold: a std::thread would inherit the one processor to which the calling thread is
/// bound. Requires: no call waits for another.
template <class Work>
void run_on_threads(int threads, Work&& work) {
  RegionErrors errors;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) errors.attempt(work, t);
  errors.rethrow();
}

/// Calls use(first, last) with ranges that make up 0..n until a call answers false; ranges that began before are ended.
/// Returns whether no call did. A thread takes the same ranges in every run, of all about as much as any other one.
/// What a call throws is thrown again here. n small items decide how many threads start (threads_worth).
template <class Use>
bool parallel_all_of(std::uint64_t n, int threads, const Use& use) {
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

/// The sum of of(i) for 0..n-1, each of type Sum, of which Sum{} is zero. What a call throws is thrown again here.
/// Requires: threads > 0.
template <class Sum, class Of>
[[nodiscard]] Sum parallel_sum(std::uint64_t n, int threads, const Of& of) {
  constexpr std::uint64_t part = 1024;
  const auto sum_of = [&](std::uint64_t first, std::uint64_t last) {
    Sum sum = {};
    for (std::uint64_t i = first; i < last; ++i) sum += of(i);
    return sum;
  };
  if (threads == 1) return sum_of(0, n);
  std::vector<Sum> sums((n + part - 1) / part);
  parallel_for_dynamic(sums.size(), threads,
                       [&](std::uint64_t p, std::size_t) { sums[p] = sum_of(p * part, std::min(n, (p + 1) * part)); });
  Sum all = {};
  for (const Sum& sum : sums) all += sum;
  return all;
}

/// Calls work(worker, i) for 0..count-1, dealt out one by one, each thread with its own worker made by make_worker().
/// Returns the error of the smallest i that fails, whatever the number of threads; out_of_memory() where a call throws
/// std::bad_alloc.
template <class MakeWorker, class Work>
[[nodiscard]] Status parallel_try(std::size_t count, int threads, MakeWorker make_worker, Work work) {
  std::atomic<std::size_t> first_failed = count;
  std::optional<Error> failure;
  std::mutex mutex;
  const auto fail = [&](std::size_t i, Error error) {
    const std::lock_guard lock(mutex);
    if (i > first_failed || (failure && i == first_failed)) return;
    first_failed = i;
    failure = std::move(error);
  };
  const auto run_one = [&](auto& worker, std::size_t i) {
    if (i > first_failed) return;
    try {
      if (!worker) worker.emplace(make_worker());
      if (Status status = work(*worker, i); !status.ok()) fail(i, std::move(status).error());
    } catch (const std::bad_alloc&) {
      fail(i, out_of_memory());
    }
  };
  const int team = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), count));
#pragma omp parallel num_threads(std::max(team, 1))
  {
    std::optional<decltype(make_worker())> worker;
#pragma omp for schedule(dynamic, 1)
    for (std::size_t i = 0; i < count; ++i) run_one(worker, i);
  }
  if (failure) return std::move(*failure);
  return Ok{};
}

/// Copies memory on several threads: touching fresh pages takes longer than reading them.
inline void parallel_copy(void* to, const void* from, std::uint64_t bytes) {
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
