// Time as the device counts it, without CUDA's headers.
#pragma once

#include <utility>

#include "kernels/cuda/device/memory.hpp"

struct CUevent_st;

namespace spress::cuda {

/// The time between two points of a stream: work launched between `start` and `stop`, gaps on the device included.
class EventTimer {
 public:
  /// Errors: unsupported without a device.
  [[nodiscard]] static Result<EventTimer> make();

  EventTimer(EventTimer&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), stop_(std::exchange(other.stop_, nullptr)) {}
  EventTimer& operator=(EventTimer&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(stop_, other.stop_);
    return *this;
  }
  ~EventTimer();

  [[nodiscard]] Status start(Stream stream = nullptr);
  /// Waits for the work launched since `start` and returns its seconds, in steps of about half a microsecond.
  /// Errors: unsupported, for whatever that work met.
  [[nodiscard]] Result<double> stop(Stream stream = nullptr);

 private:
  EventTimer(CUevent_st* start, CUevent_st* stop) : start_(start), stop_(stop) {}

  CUevent_st *start_ = nullptr, *stop_ = nullptr;
};

/// Launches what takes the device so many seconds, so that whatever the host launches meanwhile follows without a gap.
/// Errors: unsupported, for whatever the device reports.
[[nodiscard]] Status keep_busy(double seconds, Stream stream = nullptr);

}  // namespace spress::cuda
