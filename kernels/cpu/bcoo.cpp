#include "kernels/cpu/chunks.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

template <class T>
void multiply(const Bcoo<Viewed>& a, const T* x, T* y, int threads) {
  const auto* row_idx = a.row_idx.data();
  const auto* col_idx = a.col_idx.data();
  with_accessor<T>(a.values, [&](auto values) {
    multiply_chunks(
        chunk_count(a.nnz, a.chunk), a.rows, threads, y, [&](std::uint64_t h) { return row_idx[h * a.chunk]; },
        [&](std::uint64_t h) {
          const std::uint64_t first = h * a.chunk, last = std::min(a.nnz, first + a.chunk);
          return sum_rows(
              first, last, last < a.nnz ? row_idx[last] : a.rows - 1, y, [&](std::uint64_t k) { return row_idx[k]; },
              [&](std::uint64_t k) { return values[k] * x[col_idx[k]]; });
        });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Bcoo)
