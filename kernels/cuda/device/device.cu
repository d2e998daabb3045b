#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace spress::cuda {
namespace {

__global__ void copy_kernel(const uint4* __restrict__ from, uint4* __restrict__ to, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) to[i] = from[i];
}

/// Devices there are, and why there are none where that is known.
struct Present {
  int count = 0;
  std::string why;
};

Present present_devices() {
  Present out;
  const cudaError_t code = cudaGetDeviceCount(&out.count);
  if (code == cudaSuccess) return out;
  static_cast<void>(cudaGetLastError());
  return {0, code == cudaErrorNoDevice ? "" : std::string(" (") + cudaGetErrorString(code) + ")"};
}

Status check_number(int device) {
  const auto [count, why] = present_devices();
  if (device >= 0 && device < count) return Ok{};
  const std::string present = count == 0 ? "no CUDA device is present" + why
                                         : "only devices 0 to " + std::to_string(count - 1) + " are present";
  return Error{ErrorCode::unsupported, "CUDA device " + std::to_string(device) + ": " + present};
}

/// Errors: unsupported where the kernels of this build are for other devices than the current one.
Status check_kernels(const DeviceInfo& info) {
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, copy_kernel);
  if (code == cudaSuccess) return Ok{};
  static_cast<void>(cudaGetLastError());
  if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorInvalidDeviceFunction)
    return failed(code, "cudaFuncGetAttributes");
  const int capability = info.compute_capability;
  const std::string number = std::to_string(capability / 10) + "." + std::to_string(capability % 10);
  return Error{ErrorCode::unsupported,
               info.name + ", of compute capability " + number + ": this build has no kernels for it; " +
                   (capability < 80 ? "they need 8.0 or newer"
                                    : "configure with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(capability))};
}

/// Milliseconds of one copy.
Result<float> time_copy(const uint4* from, uint4* to, std::size_t count, unsigned grid) {
  constexpr unsigned threads = 256;
  SPRESS_TRY(const Event start, make_event());
  SPRESS_TRY(const Event stop, make_event());
  SPRESS_CUDA_TRY(cudaEventRecord(start.get()));
  copy_kernel<<<grid, threads>>>(from, to, count);
  SPRESS_CUDA_TRY(cudaGetLastError());
  SPRESS_CUDA_TRY(cudaEventRecord(stop.get()));
  SPRESS_CUDA_TRY(cudaEventSynchronize(stop.get()));
  float milliseconds = 0;
  SPRESS_CUDA_TRY(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()));
  return milliseconds;
}

}  // namespace

int device_count() { return present_devices().count; }

Result<int> current_device() {
  SPRESS_CHECK(check_number(0));
  int device = 0;
  SPRESS_CUDA_TRY(cudaGetDevice(&device));
  return device;
}

Status use_device(int device) {
  SPRESS_CUDA_TRY(cudaSetDevice(device));
  return Ok{};
}

DeviceScope::DeviceScope(int device) {
  int current = 0;
  if (cudaGetDevice(&current) != cudaSuccess || current == device || cudaSetDevice(device) != cudaSuccess) return;
  before_ = current;
}
DeviceScope::~DeviceScope() {
  if (before_ >= 0) static_cast<void>(cudaSetDevice(before_));
}

std::optional<int> device_of(const void* memory) {
  cudaPointerAttributes attributes{};
  const cudaError_t code = cudaPointerGetAttributes(&attributes, memory);
  if (code != cudaSuccess) static_cast<void>(cudaGetLastError());
  if (code != cudaSuccess || attributes.type != cudaMemoryTypeDevice) return std::nullopt;
  return attributes.device;
}

Result<DeviceInfo> device_info() {
  SPRESS_TRY(const int device, current_device());
  return device_info(device);
}

Result<DeviceInfo> device_info(int device) {
  SPRESS_CHECK(check_number(device));
  const DeviceScope scope(device);
  cudaDeviceProp properties{};
  SPRESS_CUDA_TRY(cudaGetDeviceProperties(&properties, device));
  DeviceInfo info;
  info.name = properties.name;
  info.compute_capability = 10 * properties.major + properties.minor;
  SPRESS_CHECK(check_kernels(info));
  info.multiprocessors = properties.multiProcessorCount;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  SPRESS_CUDA_TRY(cudaDriverGetVersion(&info.driver_version));
  SPRESS_CUDA_TRY(cudaRuntimeGetVersion(&info.runtime_version));
  SPRESS_CUDA_TRY(cudaMemGetInfo(&info.memory_free, &info.memory_total));
  return info;
}

Result<double> measure_copy_bandwidth(std::size_t bytes, int repetitions) {
  const std::size_t count = bytes / sizeof(uint4);
  if (count == 0 || repetitions < 1)
    return Error{ErrorCode::usage, "a copy is measured with at least 16 bytes and 1 repetition"};
  SPRESS_TRY(const DeviceInfo info, device_info());
  SPRESS_TRY(const DeviceMemory from, allocate(count * sizeof(uint4), "a copy's source"));
  SPRESS_TRY(const DeviceMemory to, allocate(count * sizeof(uint4), "a copy's target"));
  SPRESS_CUDA_TRY(cudaMemset(from.data(), 1, count * sizeof(uint4)));

  const auto grid = static_cast<unsigned>(info.multiprocessors) * 16;  // fills every multiprocessor, whatever its limit
  std::vector<float> milliseconds;
  for (int i = 0; i <= repetitions; ++i) {
    SPRESS_TRY(const float time, time_copy(from.as<const uint4>(), to.as<uint4>(), count, grid));
    if (i > 0) milliseconds.push_back(time);  // the first run warms up
  }
  const auto middle = milliseconds.begin() + static_cast<std::ptrdiff_t>(milliseconds.size() / 2);
  std::nth_element(milliseconds.begin(), middle, milliseconds.end());
  return 2.0 * static_cast<double>(count * sizeof(uint4)) / (static_cast<double>(*middle) * 1e-3);
}

}  // namespace spress::cuda
