#include "kernels/cuda/device/blend.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {
namespace {

constexpr unsigned block_size = 256;

template <class T>
__global__ void blend_kernel(T alpha, const T* p, T beta, T* y, std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * block_size;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_size + threadIdx.x; i < n; i += stride)
    y[i] = beta == T(0) ? alpha * p[i] : alpha * p[i] + beta * y[i];
}

}  // namespace

template <class T>
Status blend(T alpha, const T* p, T beta, T* y, std::uint64_t n, Stream stream) {
  return launch(blend_kernel<T>, blocks_for(n, block_size), block_size, stream, alpha, p, beta, y, n);
}

template Status blend<float>(float, const float*, float, float*, std::uint64_t, Stream);
template Status blend<double>(double, const double*, double, double*, std::uint64_t, Stream);

}  // namespace spress::cuda
