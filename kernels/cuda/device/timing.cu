#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/device/timing.hpp"

namespace spress::cuda {
namespace {

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void wait_for(unsigned long long span) {
  const unsigned long long start = nanoseconds();
  while (nanoseconds() - start < span) {
  }
}

}  // namespace

Result<EventTimer> EventTimer::make() {
  SPRESS_TRY(Event start, make_event());
  SPRESS_TRY(Event stop, make_event());
  return EventTimer(start.release(), stop.release());
}

EventTimer::~EventTimer() {
  for (CUevent_st* event : {start_, stop_})
    if (event != nullptr) static_cast<void>(cudaEventDestroy(event));
}

Status EventTimer::start(Stream stream) {
  SPRESS_CUDA_TRY(cudaEventRecord(start_, stream));
  return Ok{};
}

Result<double> EventTimer::stop(Stream stream) {
  SPRESS_CUDA_TRY(cudaEventRecord(stop_, stream));
  SPRESS_CUDA_TRY(cudaEventSynchronize(stop_));
  float milliseconds = 0;
  SPRESS_CUDA_TRY(cudaEventElapsedTime(&milliseconds, start_, stop_));
  return 1e-3 * static_cast<double>(milliseconds);
}

Status keep_busy(double seconds, Stream stream) {
  return launch(wait_for, 1, 1, stream, static_cast<unsigned long long>(1e9 * seconds));
}

}  // namespace spress::cuda
