#include "formats/opt_csr.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/opt_csr_columns.cuh"

namespace spress::cuda {
namespace {

/// A warp a row.
template <class T, class Values>
__global__ void multiply_rows(OptCsrIndices a, Values values, const T* x, T* y) {
  const LaneGroup<warp_size> team;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (blockDim.x / warp_size);
  std::uint64_t i = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_size;
  for (; i < a.section_row[3]; i += stride) {
    T sum = 0;
    for_each_column(a, i, team,
                    [&](std::uint64_t k, std::uint32_t column) { sum += values[k] * load_shared(x + column); });
    sum = sum_over_lanes(sum);
    if (team.rank == 0) y[a.row_of(i)] = sum;
  }
}

template <class T>
Result<Product<T>> make(const OptCsr<Viewed>& host, const OptCsr<Viewed>& device) {
  Product<T> out;
  out.kernel = "row per warp";
  out.multiply = [indices = OptCsrIndices(host, device), store = device.values, rows = host.rows](
                     const T* x, T* y, Stream stream) -> Status {
    return with_device_accessor<T, Status>(store, [&]<class Values>(Values values) {
      return launch(multiply_rows<T, Values>, blocks_for(rows, 8), 256, stream, indices, values, x, y);
    });
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(OptCsr, make)

}  // namespace spress::cuda
