#include "kernels/cpu/bitmap/bmsparse_csr.hpp"

#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

template <class T>
void multiply(const BmSparseCsr<Viewed>& a, const T* x, T* y, int threads) {
  multiply_block_rows(a, x, threads, [&](std::uint64_t row, std::uint64_t height, const T* sums) {
    std::copy_n(sums, height, y + row);
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(BmSparseCsr)
