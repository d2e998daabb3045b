// Work that several threads prepare and that is done in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "formats/core/result.hpp"

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

}  // namespace spress
