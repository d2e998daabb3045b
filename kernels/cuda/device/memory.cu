#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/memory.hpp"

namespace spress::cuda {
namespace {

std::string with_unit(std::size_t bytes) {
  const auto tenths = (bytes + 50'000) / 100'000;  // of a megabyte
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MB";
}

Error out_of_memory(std::size_t bytes, std::string_view what) {
  std::size_t free = 0, total = 0;
  const bool known = cudaMemGetInfo(&free, &total) == cudaSuccess;
  static_cast<void>(cudaGetLastError());
  return {ErrorCode::too_large, "the device's memory does not hold " + std::string(what) + ": " + with_unit(bytes) +
                                    " needed" +
                                    (known ? ", " + with_unit(free) + " of " + with_unit(total) + " free" : "")};
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) static_cast<void>(cudaFree(data_));
}

Result<DeviceMemory> allocate(std::size_t bytes, std::string_view what) {
  if (bytes == 0) return DeviceMemory();
  void* data = nullptr;
  const cudaError_t code = cudaMalloc(&data, bytes);
  if (code == cudaSuccess) return DeviceMemory(data, bytes);
  static_cast<void>(cudaGetLastError());
  if (code == cudaErrorMemoryAllocation) return out_of_memory(bytes, what);
  return failed(code, "cudaMalloc");
}

Status copy_to_device(void* device, const void* host, std::size_t bytes) {
  if (bytes != 0) SPRESS_CUDA_TRY(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  return Ok{};
}

Status copy_to_host(void* host, const void* device, std::size_t bytes) {
  if (bytes != 0) SPRESS_CUDA_TRY(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
  return Ok{};
}

Status fill_bytes(void* device, int byte, std::size_t bytes, Stream stream) {
  if (bytes != 0) SPRESS_CUDA_TRY(cudaMemsetAsync(device, byte, bytes, stream));
  return Ok{};
}

Status synchronize(Stream stream) {
  SPRESS_CUDA_TRY(cudaStreamSynchronize(stream));
  return Ok{};
}

}  // namespace spress::cuda
