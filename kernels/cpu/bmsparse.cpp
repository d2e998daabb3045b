#include <algorithm>

#include "kernels/cpu/bitmap_blocks.hpp"
#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

template <class T, class Position, class Values>
void multiply_blocks(const BmSparse<Viewed>& a, std::uint64_t first, std::uint64_t last, const Position* offsets,
                     Values values, const T* x, T* y) {
  for (std::uint64_t b = first; b < last;) {
    const std::uint64_t block_row = a.keys[b] >> 32, row = block_row * bitmap_side;
    b = sum_block_row(
        a, b, offsets, values, x, [&](std::uint64_t k) { return k < last && a.keys[k] >> 32 == block_row; },
        [&](std::uint64_t k) { return a.keys[k] & 0xFFFFFFFFu; },
        [&](const T* sums) { std::copy_n(sums, std::min(bitmap_side, a.rows - row), y + row); });
  }
}

template <class T>
void multiply(const BmSparse<Viewed>& a, const T* x, T* y, int threads) {
  std::fill_n(y, a.rows, T(0));
  with_positions(a.offsets, [&](const auto* offsets) {
    with_accessor<T>(a.values, [&](auto values) {
      for_row_aligned_pieces(
          a.blocks, threads, [&](std::uint64_t b) { return a.keys[b] >> 32 != a.keys[b - 1] >> 32; },
          [&](std::uint64_t first, std::uint64_t last) { multiply_blocks(a, first, last, offsets, values, x, y); });
    });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(BmSparse)
