// Blocks worked on by several threads. Private to formats/io.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "formats/core/result.hpp"

namespace spress::io {

/// Threads for blocks of `bytes` in all: as many as asked for; by default no more than have something to do.
[[nodiscard]] inline int threads_for(int asked, std::uint64_t bytes) {
  constexpr std::uint64_t worth_a_thread = 256 << 10;
  if (asked > 0) return asked;
  return static_cast<int>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(omp_get_max_threads()), 1 + bytes / worth_a_thread));
}

[[nodiscard]] inline Error out_of_memory() { return {ErrorCode::too_large, "needs more memory than there is", {}, 0}; }

/// Calls work(worker, i) for each i < count, on `threads` threads, each with its own worker made by
/// make_worker(). Returns the error of the smallest i that fails, whatever the number of threads.
template <class MakeWorker, class Work>
[[nodiscard]] Status for_each_block(std::size_t count, int threads, MakeWorker make_worker, Work work) {
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

}  // namespace spress::io
