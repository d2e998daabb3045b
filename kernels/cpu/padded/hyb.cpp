#include <algorithm>

#include "kernels/cpu/padded/lanes.hpp"
#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

/// Where the rest of rows not less than `row` begins.
std::uint64_t rest_from(const Hyb<Viewed>& a, std::uint64_t row) {
  return static_cast<std::uint64_t>(std::lower_bound(a.coo_row_idx.begin(), a.coo_row_idx.end(), row) -
                                    a.coo_row_idx.begin());
}

/// First row of piece `part` of `parts`: rows are weighed by their slots in both parts. Rows summed together stay
/// together: those left over at the end of a piece would be rounded otherwise.
std::uint64_t balanced_row(const Hyb<Viewed>& a, std::uint64_t part, std::uint64_t parts) {
  const std::uint64_t total = a.rows * (a.width + 1) + a.coo_nnz;
  const std::uint64_t wanted = total / parts * part + total % parts * part / parts;
  if (part == parts) return a.rows;
  std::uint64_t low = 0, high = a.rows;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (middle * (a.width + 1) + rest_from(a, middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return std::min(a.rows, (low + lane_block - 1) / lane_block * lane_block);
}

/// Rows [first, last): each sum is begun in the ELL part and ended in the rest, so that no order of threads shows.
template <class T, class Values>
void multiply_rows(const Hyb<Viewed>& a, std::uint64_t first, std::uint64_t last, bool apart, bool wide, Values values,
                   const T* x, T* y) {
  const std::uint64_t base = a.rows * a.width;
  const bool gathers = gathers_best<T>(apart);
  std::uint64_t rest = rest_from(a, first);
  sum_lanes(Lanes{a.col_idx.data(), first, a.rows, a.width, columns_by_windows(a.cols, apart), gathers_fast(), wide},
            last - first, values, x, [&](std::uint64_t j, T sum) {
              const std::uint64_t row = first + j;
              const std::uint64_t begin = rest;
              while (rest < a.coo_nnz && a.coo_row_idx[rest] == row) ++rest;
              const std::uint32_t* columns = a.col_idx.data() + base + begin;
              y[row] = rest == begin ? sum : sum + dot(values, base + begin, columns, rest - begin, x, gathers);
            });
}

template <class T>
void multiply(const Hyb<Viewed>& a, const T* x, T* y, int threads) {
  const int parts = thread_count(threads);
  const bool apart = scattered<T>(a.col_idx.size(), a.cols, a.col_idx.data());
  const bool wide = wide_blocks_best(a.rows * a.width, a.col_idx.data());
  with_accessor<T>(a.values, [&](auto values) {
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; ++part) {
      const auto cut = [&](int p) { return balanced_row(a, static_cast<std::uint64_t>(p), parts); };
      multiply_rows(a, cut(part), cut(part + 1), apart, wide, values, x, y);
    }
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Hyb)
