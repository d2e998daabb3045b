#include "kernels/cpu/padded/lanes.hpp"
#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

template <class T>
void multiply(const Ell<Viewed>& a, const T* x, T* y, int threads) {
  const bool apart = scattered<T>(a.col_idx.size(), a.cols, a.col_idx.data());
  const bool wide = wide_blocks_best(a.col_idx.size(), a.col_idx.data());
  const std::uint64_t blocks = (a.rows + lane_block - 1) / lane_block;
  with_accessor<T>(a.values, [&](auto values) {
    for_row_aligned_pieces(
        blocks, threads, [](std::uint64_t) { return true; },
        [&](std::uint64_t first, std::uint64_t last) {
          const std::uint64_t begin = first * lane_block, end = std::min(last * lane_block, a.rows);
          sum_lanes(
              Lanes{a.col_idx.data(), begin, a.rows, a.width, columns_by_windows(a.cols, apart), gathers_fast(), wide},
              end - begin, values, x, [&](std::uint64_t j, T sum) { y[begin + j] = sum; });
        });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Ell)
