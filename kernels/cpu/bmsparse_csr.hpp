// Block rows by pointers: the product, stored or added.
#pragma once

#include <algorithm>

#include "formats/bmsparse_csr.hpp"
#include "kernels/cpu/bitmap_blocks.hpp"
#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

/// Calls write(first_row, height, sums) with the sums of each block row, block rows in parallel.
template <class T, class Write>
void multiply_block_rows(const BmSparseCsr<Viewed>& a, const T* x, int threads, Write&& write) {
  const auto rows = [&](const auto* ptr, const auto* offsets, auto values, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i)
      sum_block_row(
          a, ptr[i], offsets, values, x, [&](std::uint64_t b) { return b < ptr[i + 1]; },
          [&](std::uint64_t b) { return std::uint64_t{a.block_col[b]}; },
          [&](const T* sums) { write(i * bitmap_side, std::min(bitmap_side, a.rows - i * bitmap_side), sums); });
  };
  with_positions(a.block_row_ptr, [&](const auto* ptr) {
    with_positions(a.offsets, [&](const auto* offsets) {
      with_accessor<T>(a.values, [&](auto values) {
        for_balanced_pieces(ptr, block_rows_of(a.rows), threads,
                            [&](std::uint64_t first, std::uint64_t last) { rows(ptr, offsets, values, first, last); });
      });
    });
  });
}

SPRESS_KERNELS_END
