#include <algorithm>

#include "kernels/cpu/bitmap/bitmap_blocks.hpp"
#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

/// First row behind those that the blocks before b have to write: block rows without blocks belong to the block behind.
inline std::uint64_t first_row_of(const BmSparse<Viewed>& a, std::uint64_t b) {
  if (b == 0) return 0;
  return std::min(a.rows, ((a.keys[b - 1] >> 32) + 1) * bitmap_side);
}

/// Blocks [first, last) and the rows of no blocks before each; behind the last block, those up to the end.
template <class T, class Values>
void multiply_blocks(const BmSparse<Viewed>& a, std::uint64_t first, std::uint64_t last, const T* x, T* y) {
  BlockRows<T, Values> block_rows(a, a.offsets.position(first), x);
  const std::uint64_t* keys = a.keys.data();
  std::uint64_t written = first_row_of(a, first);
  for (std::uint64_t b = first; b < last;) {
    const std::uint64_t block_row = keys[b] >> 32, row = block_row * bitmap_side;
    std::uint64_t behind = b + 1;
    while (behind < last && keys[behind] >> 32 == block_row) ++behind;
    T sums[bitmap_side];
    block_rows.sum(
        b, behind, [&](std::uint64_t k) { return keys[k] & 0xFFFFFFFFu; }, sums);
    std::fill(y + written, y + row, T(0));
    written = std::min(row + bitmap_side, a.rows);
    std::copy(sums, sums + (written - row), y + row);
    b = behind;
  }
  if (last == a.blocks) std::fill(y + written, y + a.rows, T(0));
}

template <class T>
void multiply(const BmSparse<Viewed>& a, const T* x, T* y, int threads) {
  if (a.blocks == 0) std::fill_n(y, a.rows, T(0));
  with_block_values<T>(a.values, [&]<class Values>(std::type_identity<Values>) {
    for_row_aligned_pieces(
        a.blocks, threads, [&](std::uint64_t b) { return a.keys[b] >> 32 != a.keys[b - 1] >> 32; },
        [&](std::uint64_t first, std::uint64_t last) {
          if (first < last) multiply_blocks<T, Values>(a, first, last, x, y);
        });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(BmSparse)
