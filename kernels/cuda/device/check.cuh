// CUDA's error codes as errors of the library, and events and streams that release themselves.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "formats/core/result.hpp"

namespace spress::cuda {

/// The error for a failed call: too_large for exhausted memory, else unsupported.
[[nodiscard]] inline Error failed(cudaError_t code, const char* call) {
  const ErrorCode kind = code == cudaErrorMemoryAllocation ? ErrorCode::too_large : ErrorCode::unsupported;
  return {kind, std::string("CUDA: ") + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ") in " + call};
}

/// SPRESS_CUDA_TRY(cudaX(...)): returns the error of a failed call from the enclosing function, and clears it, so that
/// it is not blamed on the next one.
#define SPRESS_CUDA_TRY(call)                                                 \
  do {                                                                        \
    if (const cudaError_t spress_code = (call); spress_code != cudaSuccess) { \
      static_cast<void>(cudaGetLastError());                                  \
      return ::spress::cuda::failed(spress_code, #call);                      \
    }                                                                         \
  } while (false)

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { static_cast<void>(cudaEventDestroy(event)); }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

[[nodiscard]] inline Result<Event> make_event() {
  cudaEvent_t event = nullptr;
  SPRESS_CUDA_TRY(cudaEventCreate(&event));
  return Event(event);
}

/// An event that streams wait for, without a time.
[[nodiscard]] inline Result<Event> make_mark() {
  cudaEvent_t event = nullptr;
  SPRESS_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return Event(event);
}

struct DestroyStream {
  void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
using OwnedStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream>;

/// One that work on the default stream, as of an upload beside, does not hold up.
[[nodiscard]] inline Result<OwnedStream> make_stream() {
  cudaStream_t stream = nullptr;
  SPRESS_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return OwnedStream(stream);
}

}  // namespace spress::cuda
