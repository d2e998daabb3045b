#include <algorithm>

#include "kernels/cpu/coo/coo_runs.hpp"
#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

/// Stores y for the rows of entries [first, last), which hold all of theirs, and for the empty rows before each and,
/// where no entries are left, behind.
template <class T, class Numbers>
void multiply_entries(const Coo<Viewed>& a, std::uint64_t first, std::uint64_t last, Numbers values, const T* x, T* y) {
  const std::uint32_t* row_idx = a.row_idx.data();
  const bool far = far_apart<T>(a.nnz, a.cols, a.col_idx.data());
  std::uint64_t row = first == 0 ? 0 : row_idx[first - 1] + std::uint64_t{1};
  with_run_simd<T>(a.nnz, a.rows, [&](auto simd) {
    row = sum_runs<decltype(simd)>(first, last, row_idx, a.col_idx.data(), far, values, x, row, y);
  });
  if (last == a.nnz) std::fill(y + row, y + a.rows, T(0));
}

template <class T>
void multiply(const Coo<Viewed>& a, const T* x, T* y, int threads) {
  const std::uint32_t* row_idx = a.row_idx.data();
  if (a.nnz == 0) std::fill_n(y, a.rows, T(0));
  for_row_aligned_pieces(
      a.nnz, threads, [&](std::uint64_t k) { return row_idx[k] != row_idx[k - 1]; },
      [&](std::uint64_t first, std::uint64_t last) {
        if (first == last) return;
        with_numbers<T>(a.values, first, last, [&](auto values) { multiply_entries(a, first, last, values, x, y); });
      });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Coo)
