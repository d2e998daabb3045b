// A slice-delta on the device as its product kernels are given it.
#pragma once

#include <cstdint>

#include "formats/slice_delta/slice_delta.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

/// The arrays of the matrix that tell where entries stand.
struct SliceArrays {
  std::uint32_t rows, slices, items;
  std::uint32_t sigma, block;
  const std::uint32_t *first_word, *words, *residuals, *long_row;
  const std::uint16_t* row_perm;  // null for the identity

  explicit SliceArrays(const SliceDelta<Viewed>& device)
      : rows(static_cast<std::uint32_t>(device.rows)),
        slices(static_cast<std::uint32_t>(slices_of(device))),
        items(static_cast<std::uint32_t>(items_of(device))),
        sigma(static_cast<std::uint32_t>(device.sigma)),
        block(static_cast<std::uint32_t>(device.block)),
        first_word(device.first_word.data()),
        words(device.words.data()),
        residuals(device.residuals.data()),
        long_row(device.long_row.data()),
        row_perm(device.row_perm.empty() ? nullptr : device.row_perm.data()) {}

  __device__ __forceinline__ std::uint32_t row(std::uint32_t stored) const {
    return row_perm && stored < rows ? stored - stored % sigma + load_once(row_perm + stored) : stored;
  }
  /// The column before the first step of lanes with that row.
  __device__ __forceinline__ std::uint32_t column(std::uint32_t row) const {
    return block == 1 ? row : first_column(row, block);
  }
};

/// A bit for each lane before this one.
__device__ __forceinline__ std::uint32_t lanes_before() {
  std::uint32_t mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

}  // namespace spress::cuda
