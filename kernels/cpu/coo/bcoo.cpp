#include <algorithm>

#include "kernels/cpu/coo/chunks.hpp"
#include "kernels/cpu/coo/coo_runs.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

/// What entries [k, last) hold of the row of the first; stores y for the rows behind it up to `until`.
template <class S, class T, class Numbers>
T sum_chunk(const Bcoo<Viewed>& a, std::uint64_t k, std::uint64_t last, std::uint64_t until, bool far, Numbers values,
            const T* x, T* y) {
  const std::uint32_t *row_idx = a.row_idx.data(), *col_idx = a.col_idx.data();
  const std::uint64_t end = run_end(row_idx, k, last);
  const T first_sum = sum_entries(k, end, col_idx, values, x, far);
  const std::uint64_t row = sum_runs<S>(end, last, row_idx, col_idx, far, values, x, row_idx[k] + std::uint64_t{1}, y);
  std::fill(y + row, y + until + 1, T(0));
  return first_sum;
}

/// Chunks [first, last).
template <class S, class T, class Numbers>
void sum_chunks(const Bcoo<Viewed>& a, std::uint64_t first, std::uint64_t last, Numbers values, const T* x, T* y,
                T* first_sums) {
  const bool far = far_apart<T>(a.nnz, a.cols, a.col_idx.data());
  for (std::uint64_t h = first; h < last; ++h) {
    const std::uint64_t k = h * a.chunk, end = std::min(a.nnz, k + a.chunk);
    first_sums[h] = sum_chunk<S>(a, k, end, end < a.nnz ? a.row_idx.data()[end] : a.rows - 1, far, values, x, y);
  }
}

template <class T>
void multiply(const Bcoo<Viewed>& a, const T* x, T* y, int threads) {
  multiply_chunk_pieces(
      chunk_count(a.nnz, a.chunk), a.rows, threads, y, [&](std::uint64_t h) { return a.row_idx.data()[h * a.chunk]; },
      [&](std::uint64_t first, std::uint64_t last, T* first_sums) {
        if (first == last) return;
        const std::uint64_t end = std::min(a.nnz, last * a.chunk);
        with_numbers<T>(a.values, first * a.chunk, end, [&](auto values) {
          with_run_simd<T>(a.nnz, a.rows,
                           [&](auto simd) { sum_chunks<decltype(simd)>(a, first, last, values, x, y, first_sums); });
        });
      });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Bcoo)
