#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

template <class T, class Position, class Values>
void multiply_rows(std::uint64_t first, std::uint64_t last, const Position* row_ptr, const std::uint32_t* col_idx,
                   Values values, const T* x, T* y) {
  for (std::uint64_t r = first; r < last; ++r)
    y[r] = dot(values, row_ptr[r], col_idx + row_ptr[r], row_ptr[r + 1] - row_ptr[r], x);
}

template <class T>
void multiply(const Csr<Viewed>& a, const T* x, T* y, int threads) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    with_accessor<T>(a.values, [&](auto values) {
      for_balanced_pieces(row_ptr, a.rows, threads, [&](std::uint64_t first, std::uint64_t last) {
        multiply_rows(first, last, row_ptr, a.col_idx.data(), values, x, y);
      });
    });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Csr)
