// Work that several threads prepare and that is done in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/core/threads.hpp"

namespace spress {

/// Lets threads work one after another, in the order of their tickets: 0, 1, 2, ... Whoever draws a ticket takes its
/// turn or calls fail(), or the others wait for it.
class InOrder {
 public:
  /// Waits for the ticket's turn and calls work(), which returns a Status; false when something failed, here or before.
  template <class Work>
  bool take_turn(std::uint64_t ticket, const Work& work) {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return next_ == ticket || failed_; });
    if (failed_) return false;
    lock.unlock();  // the others only wait for their turn meanwhile
    if (Status done = work(); !done.ok()) return fail(std::move(done)), false;
    lock.lock();
    ++next_;
    turn_.notify_all();
    return true;
  }
  /// Ends all turns to come; the first status given stays.
  void fail(Status status) {
    const std::lock_guard lock(mutex_);
    if (!failed_) status_ = std::move(status);
    failed_ = true;
    turn_.notify_all();
  }
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_relaxed); }
  [[nodiscard]] Status take_status() { return std::move(status_); }

 private:
  std::mutex mutex_;
  std::condition_variable turn_;
  std::uint64_t next_ = 0;
  std::atomic<bool> failed_ = false;
  Status status_ = Ok{};
};

/// Calls take(work(worker, i), i) for i = 0..count-1: work on several threads, each with its own worker made by
/// make_worker(); take in the order of i, on any of them, one call at a time. Threads run ahead of what is taken by two
/// results each at most: unlike InOrder, where each waits with its result, for work that takes now longer, now shorter.
/// Returns the error of take, after which nothing more is taken. What a call throws is thrown again here.
template <class MakeWorker, class Work, class Take>
[[nodiscard]] Status parallel_in_order(std::size_t count, int threads, MakeWorker make_worker, Work work, Take take) {
  using Result = std::invoke_result_t<Work&, std::invoke_result_t<MakeWorker&>&, std::size_t>;
  const int team = static_cast<int>(std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(threads)));
  std::vector<std::optional<Result>> results(2 * static_cast<std::size_t>(team));
  const auto result_of = [&](std::size_t i) -> std::optional<Result>& { return results[i % results.size()]; };
  std::size_t next = 0, taken = 0;
  bool failed = false;
  Status status = Ok{};
  std::mutex mutex;  // of all above
  std::condition_variable changed;
  const auto run = [&] {
    auto worker = make_worker();
    for (std::unique_lock lock(mutex);;) {
      changed.wait(lock, [&] { return failed || next == count || next < taken + results.size(); });
      if (failed || next == count) return;
      const std::size_t i = next++;
      lock.unlock();
      auto result = work(worker, i);
      lock.lock();
      result_of(i) = std::move(result);
      for (; !failed && result_of(taken); ++taken) {
        status = take(*std::exchange(result_of(taken), std::nullopt), taken);
        failed = !status.ok();
      }
      changed.notify_all();
    }
  };
  run_on_threads(team, [&](int) {
    try {
      run();
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = true;  // nobody may wait for this thread
      changed.notify_all();
      throw;
    }
  });
  return status;
}

}  // namespace spress
