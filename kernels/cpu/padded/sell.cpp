#include "kernels/cpu/padded/lanes.hpp"
#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

template <class T, class Values>
void multiply_slices(const Sell<Viewed>& a, std::uint64_t first, std::uint64_t last, bool apart, Values values,
                     const T* x, T* y) {
  const std::uint32_t* perm = a.row_perm.empty() ? nullptr : a.row_perm.data();
  const std::uint64_t window_end = columns_by_windows(a.cols, apart);
  const bool gathers = gathers_best<T>(apart);
  for (std::uint64_t s = first; s < last; ++s) {
    const std::uint64_t start = a.slice_start.position(s), base = s * a.c;
    const std::uint64_t steps = (a.slice_start.position(s + 1) - start) / a.c;
    sum_lanes(Lanes{a.col_idx.data(), start, a.c, steps, window_end, gathers}, std::min(a.c, a.rows - base), values, x,
              [&](std::uint64_t j, T sum) { y[perm == nullptr ? base + j : perm[base + j]] = sum; });
  }
}

template <class T>
void multiply(const Sell<Viewed>& a, const T* x, T* y, int threads) {
  const bool apart = scattered<T>(a.col_idx.size(), a.cols, a.col_idx.data());
  if (plain_loops_best(apart)) return product<Isa::portable>(a, x, y, threads);
  with_accessor<T>(a.values, [&](auto values) {
    for_balanced_pieces(a.slice_start, slice_count(a.rows, a.c), threads, [&](std::uint64_t first, std::uint64_t last) {
      multiply_slices(a, first, last, apart, values, x, y);
    });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Sell)
