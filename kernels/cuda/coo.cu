#include "formats/coo.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

/// One thread an entry.
template <class T, class Values>
__global__ void add_entries(std::uint64_t nnz, const std::uint32_t* row_idx, const std::uint32_t* col_idx,
                            Values values, const T* x, T* y) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t k = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < nnz; k += stride)
    atomicAdd(y + load_once(row_idx + k), values[k] * load_shared(x + load_once(col_idx + k)));
}

template <class T>
Result<Product<T>> make(const Coo<Viewed>&, const Coo<Viewed>& device) {
  Product<T> out;
  out.kernel = "entry per thread";
  out.repeatable = false;
  out.multiply = [device](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK(fill_bytes(y, 0, device.rows * sizeof(T), stream));
    return with_device_accessor<T, Status>(device.values, [&]<class Values>(Values values) {
      return launch(add_entries<T, Values>, blocks_for(device.nnz, 256), 256, stream, device.nnz, device.row_idx.data(),
                    device.col_idx.data(), values, x, y);
    });
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(Coo, make)

}  // namespace spress::cuda
