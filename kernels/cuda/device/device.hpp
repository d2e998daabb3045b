// What the device is, and how fast its memory is: the ceiling against which every kernel's speed is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "formats/core/result.hpp"

namespace spress::cuda {

struct DeviceInfo {
  std::string name;
  int driver_version = 0;      ///< as CUDA counts: 13000 is 13.0
  int runtime_version = 0;     ///< of the runtime linked into this program, counted likewise
  int compute_capability = 0;  ///< 10 * major + minor
  int multiprocessors = 0;
  std::size_t memory_total = 0;  ///< bytes
  std::size_t memory_free = 0;   ///< bytes, at the time of the call
  std::size_t l2_bytes = 0;
};

/// Devices present; 0 where there is none or no driver.
[[nodiscard]] int device_count();

/// Errors: unsupported, where there is no device, no driver, or no such number, or the kernels of this build are for
/// others.
[[nodiscard]] Result<DeviceInfo> device_info();
/// Describes the device of a number. Errors: as above.
[[nodiscard]] Result<DeviceInfo> device_info(int device);

/// The number of the current device. Errors: unsupported without one.
[[nodiscard]] Result<int> current_device();

/// Makes a device the current one of this thread for good. Errors: unsupported where there is none of that number.
[[nodiscard]] Status use_device(int device);

/// Makes a device the current one of this thread until the end of the scope.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  int before_ = -1;
};

/// The device in whose memory something lies; none for memory of the host, or that every device reads.
[[nodiscard]] std::optional<int> device_of(const void* memory);

/// Bytes per second, read plus written, of a device-to-device copy kernel over two buffers of `bytes` each: the median
/// of `repetitions` runs timed by events, after one run to warm up. Requires: bytes is well above the L2 cache, or the
/// cache is measured. Errors: unsupported without a device; too_large where the buffers do not fit; usage for bytes <
/// 16 or repetitions < 1.
[[nodiscard]] Result<double> measure_copy_bandwidth(std::size_t bytes, int repetitions = 20);

}  // namespace spress::cuda
