#include "kernels/cpu/bitmap/bmsparse_csr.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

template <class T>
void multiply(const HybridBmCsr<Viewed>& a, const T* x, T* y, int threads) {
  if (a.csr.rows == 0)
    std::fill_n(y, a.rows, T(0));
  else
    spmv<T, OptCsr>(scattered_part(a), x, y, threads);
  multiply_block_rows(dense_part(a), x, threads, [&](std::uint64_t row, std::uint64_t height, const T* sums) {
    for (std::uint64_t i = 0; i < height; ++i) y[row + i] += sums[i];
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(HybridBmCsr)
