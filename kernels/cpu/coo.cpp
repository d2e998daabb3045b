#include <algorithm>

#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

template <class T>
void multiply(const Coo<Viewed>& a, const T* x, T* y, int threads) {
  const auto* row_idx = a.row_idx.data();
  const auto* col_idx = a.col_idx.data();
  std::fill_n(y, a.rows, T(0));
  with_accessor<T>(a.values, [&](auto values) {
    for_row_aligned_pieces(
        a.nnz, threads, [&](std::uint64_t k) { return row_idx[k] != row_idx[k - 1]; },
        [&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t k = first; k < last;) {
            const std::uint32_t row = row_idx[k];
            T sum = 0;
            for (; k < last && row_idx[k] == row; ++k) sum += values[k] * x[col_idx[k]];
            y[row] = sum;
          }
        });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Coo)
