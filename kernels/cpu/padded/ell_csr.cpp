#include <algorithm>
#include <numeric>

#include "kernels/cpu/padded/lanes.hpp"
#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

/// ELL warps [first, last): each lane is summed, then the lanes of each row.
template <class T, class Values, class RowOf>
void multiply_ell(const EllCsr<Viewed>& a, std::uint64_t first, std::uint64_t last, RowOf row_of, bool apart,
                  Values values, const T* x, T* y) {
  const std::uint64_t window_end = columns_by_windows(a.cols, apart);
  const bool gathers = gathers_best<T>(apart);
  for (std::uint64_t w = first; w < last; ++w) {
    const EllWarp warp = ell_warp(a, w);
    constexpr std::uint64_t most = EllCsr<Viewed>::warp_size;
    T sums[most];
    // A warp has no more lanes, but the compiler cannot know.
    sum_lanes(Lanes{a.col_idx.data(), a.warp_start.position(w), warp.lanes(), warp.steps, window_end, gathers},
              std::min(warp.lanes(), most), values, x, [&](std::uint64_t j, T sum) { sums[j] = sum; });
    const std::uint64_t row = a.warp_row.position(w);
    for (std::uint64_t g = 0; g < warp.rows; ++g) {
      const T* lanes = sums + g * warp.threads;
      y[row_of(row + g)] = std::accumulate(lanes + 1, lanes + warp.threads, lanes[0]);
    }
  }
}

/// CSR warps [first, last), which begin and end with a row.
template <class T, class Values, class RowOf>
void multiply_csr(const EllCsr<Viewed>& a, std::uint64_t first, std::uint64_t last, RowOf row_of, bool apart,
                  Values values, const T* x, T* y) {
  const bool gathers = gathers_best<T>(apart);
  for (std::uint64_t p = first; p < last;) {
    const std::uint32_t row = a.csr_warp_row[p];
    const std::uint64_t begin = a.csr_warp_start.position(p), k = a.ell_slots + begin;
    while (p < last && a.csr_warp_row[p] == row) ++p;
    y[row_of(a.ell_rows + row)] =
        dot(values, k, a.col_idx.data() + k, a.csr_warp_start.position(p) - begin, x, gathers);
  }
}

/// First CSR warp of piece `part` of `parts`: no row is shared.
inline std::uint64_t csr_cut(const EllCsr<Viewed>& a, int part, int parts) {
  const std::uint64_t warps = a.csr_warp_row.size();
  std::uint64_t p = balanced_cut(a.csr_warp_start, 0, warps, part, parts);
  while (p > 0 && p < warps && a.csr_warp_row[p] == a.csr_warp_row[p - 1]) ++p;
  return p;
}

template <class T>
void multiply(const EllCsr<Viewed>& a, const T* x, T* y, int threads) {
  const bool apart = scattered<T>(a.col_idx.size(), a.cols, a.col_idx.data());
  if (plain_loops_best(apart)) return product<Isa::portable>(a, x, y, threads);
  const int parts = thread_count(threads);
  const std::uint64_t warps = a.warp_width.size();
  const auto row_of = [&](std::uint64_t i) { return a.row_perm.empty() ? i : a.row_perm[i]; };
  const auto ell_cut = [&](int part) { return balanced_cut(a.warp_start, 0, warps, part, parts); };
  with_accessor<T>(a.values, [&](auto values) {
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; ++part) {
      multiply_ell(a, ell_cut(part), ell_cut(part + 1), row_of, apart, values, x, y);
      multiply_csr(a, csr_cut(a, part, parts), csr_cut(a, part + 1, parts), row_of, apart, values, x, y);
    }
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(EllCsr)
