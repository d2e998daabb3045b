// Device memory and copies, without CUDA's headers: what callers of the kernels hold.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/result.hpp"

struct CUstream_st;

namespace spress::cuda {

/// A queue of work on the device; null is the default one.
using Stream = CUstream_st*;

/// Memory of the current device, released with its owner. Aligned to 256 bytes.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceMemory();

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  friend Result<DeviceMemory> allocate(std::size_t bytes, std::string_view what);
  DeviceMemory(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// `bytes` of device memory, uninitialised; none for 0. what: for the message, as in "the matrix as sell".
/// Errors: too_large, telling how much was needed and how much there was; unsupported without a device.
[[nodiscard]] Result<DeviceMemory> allocate(std::size_t bytes, std::string_view what);

/// Blocking copies. Requires: both sides hold `bytes`. Errors: unsupported, for whatever the device reports, also of
/// work launched before.
[[nodiscard]] Status copy_to_device(void* device, const void* host, std::size_t bytes);
[[nodiscard]] Status copy_to_host(void* host, const void* device, std::size_t bytes);

/// Sets every byte, in the order of the stream.
[[nodiscard]] Status fill_bytes(void* device, int byte, std::size_t bytes, Stream stream = nullptr);

/// Waits for all work of the stream. Errors: unsupported, for whatever that work met.
[[nodiscard]] Status synchronize(Stream stream = nullptr);

/// A host vector on the device. Errors: as allocate and copy_to_device.
template <class T>
[[nodiscard]] Result<DeviceMemory> upload(std::span<const T> host, std::string_view what) {
  SPRESS_TRY(DeviceMemory memory, allocate(host.size_bytes(), what));
  SPRESS_CHECK(copy_to_device(memory.data(), host.data(), host.size_bytes()));
  return Result<DeviceMemory>(std::move(memory));  // nvcc would copy
}

/// The first `count` elements of T in device memory.
template <class T>
[[nodiscard]] Result<std::vector<T>> download(const DeviceMemory& memory, std::size_t count) {
  std::vector<T> host(count);
  SPRESS_CHECK(copy_to_host(host.data(), memory.data(), count * sizeof(T)));
  return host;
}

}  // namespace spress::cuda
