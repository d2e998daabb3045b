// Block rows by pointers: the product, stored or added.
#pragma once

#include <algorithm>

#include "formats/bitmap/bmsparse_csr.hpp"
#include "kernels/cpu/bitmap/bitmap_blocks.hpp"
#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// Block rows [first, last).
template <class Values, class T, class Write>
void multiply_block_rows(const BmSparseCsr<Viewed>& a, std::uint64_t first, std::uint64_t last, const T* x,
                         Write&& write) {
  const auto& ptr = a.block_row_ptr;
  BlockRows<T, Values> block_rows(a, a.offsets.position(ptr.position(first)), x);
  const std::uint32_t* block_col = a.block_col.data();
  for (std::uint64_t i = first; i < last; ++i) {
    T sums[bitmap_side];
    block_rows.sum(
        ptr.position(i), ptr.position(i + 1), [&](std::uint64_t b) { return std::uint64_t{block_col[b]}; }, sums);
    write(i * bitmap_side, std::min(bitmap_side, a.rows - i * bitmap_side), sums);
  }
}

/// Calls write(first_row, height, sums) with the sums of each block row, block rows in parallel.
template <class T, class Write>
void multiply_block_rows(const BmSparseCsr<Viewed>& a, const T* x, int threads, Write&& write) {
  with_block_values<T>(a.values, [&]<class Values>(std::type_identity<Values>) {
    for_balanced_pieces(a.block_row_ptr, block_rows_of(a.rows), threads, [&](std::uint64_t first, std::uint64_t last) {
      if (first < last) multiply_block_rows<Values>(a, first, last, x, write);
    });
  });
}

SPRESS_KERNELS_END
