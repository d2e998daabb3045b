// The plain products in CSR, which follow from the row pointers alone: a thread or a warp takes a row.
#pragma once

#include <cstdint>

#include "kernels/cuda/csr/csr_direct.cuh"
#include "kernels/cuda/shared/wide_loads.cuh"

namespace spress::cuda {

inline constexpr unsigned plain_threads = 256;  ///< of a block

/// Column and value of an entry. A lane that is alone in its row reads the neighbours next: they stay in the cache.
template <unsigned lanes>
__device__ __forceinline__ std::uint32_t plain_column(const std::uint32_t* col_idx, std::uint64_t k) {
  return lanes == 1 ? load_shared(col_idx + k) : load_once(col_idx + k);
}
template <unsigned lanes, class Values>
__device__ __forceinline__ auto plain_value(const Values& values, std::uint64_t k) {
  if constexpr (lanes == 1 && has_codes<Values>)
    return values.decode(load_shared(values.codes + k));
  else
    return values[k];
}

/// lanes: of a row, 1 or a warp.
template <unsigned lanes, class T, class Values>
__global__ void __launch_bounds__(plain_threads) multiply_plainly(std::uint64_t rows, DirectOperands<T, Values> a) {
  static_assert(lanes == 1 || lanes == warp_size);
  constexpr unsigned rows_of_block = plain_threads / lanes;
  const unsigned lane = threadIdx.x % lanes;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * rows_of_block;
  for (std::uint64_t r = std::uint64_t{blockIdx.x} * rows_of_block + threadIdx.x / lanes; r < rows; r += stride) {
    const std::uint64_t end = a.row_ptr[r + 1];
    T sum = 0;
#pragma unroll 4
    for (std::uint64_t k = a.row_ptr[r] + lane; k < end; k += lanes)
      sum += plain_value<lanes>(a.values, k) * load_shared(a.x + plain_column<lanes>(a.col_idx, k));
    if constexpr (lanes != 1) sum = sum_over_lanes(sum);
    if (lane == 0) a.y[r] = sum;
  }
}

}  // namespace spress::cuda
