#include <algorithm>
#include <type_traits>

#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

/// One row of n entries with every column held as its distance to the diagonal; its values begin at `v`.
template <class T, class Code, class Values>
T row_from_diagonal(std::int64_t row, std::uint64_t n, const Code* codes, std::uint64_t v, Values values, const T* x) {
  using Signed = std::make_signed_t<Code>;
  T sum = 0;
  for (std::uint64_t k = 0; k < n; ++k) sum += values[v + k] * x[row + static_cast<Signed>(codes[k])];
  return sum;
}

/// One row of n > 0 entries with gaps between columns, beginning at column `col`.
template <class T, class Code, class Values>
T row_from_gaps(std::int64_t col, std::uint64_t n, const Code* codes, std::uint64_t v, Values values, const T* x) {
  T sum = values[v] * x[col];
  for (std::uint64_t k = 1; k < n; ++k) {
    col += codes[k];
    sum += values[v + k] * x[col];
  }
  return sum;
}

/// Rows [first, last) of one section, whose codes begin at entry `base`.
template <class T, class Position, class Code, class Values>
void multiply_rows(const OptCsr<Viewed>& a, std::uint64_t first, std::uint64_t last, const Position* row_ptr,
                   const Code* section, std::uint64_t base, Values values, const T* x, T* y) {
  using Signed = std::make_signed_t<Code>;
  for (std::uint64_t i = first; i < last; ++i) {
    const std::uint64_t begin = row_ptr[i], n = row_ptr[i + 1] - begin;
    const Code* codes = section + (begin - base);
    const std::uint64_t row = a.row_perm.empty() ? i : a.row_perm[i];
    const auto diagonal = static_cast<std::int64_t>(row);
    if (n == 0)
      y[row] = 0;
    else if (a.index == IndexMode::diagonal)
      y[row] = row_from_diagonal(diagonal, n, codes, begin, values, x);
    else if (a.index == IndexMode::anchored)
      y[row] = row_from_gaps(diagonal + static_cast<Signed>(codes[0]), n, codes, begin, values, x);
    else
      y[row] = row_from_gaps(static_cast<std::int64_t>(a.first_col[i]), n, codes, begin, values, x);
  }
}

template <class T>
void multiply(const OptCsr<Viewed>& a, const T* x, T* y, int threads) {
  const auto start = [&](std::size_t s) { return a.section_start.position(s); };
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    with_accessor<T>(a.values, [&](auto values) {
      for_balanced_pieces(row_ptr, a.rows, threads, [&](std::uint64_t first, std::uint64_t last) {
        const auto section = [&](std::size_t s, const auto* codes) {
          const std::uint64_t from = std::max(first, start(s)), to = std::min(last, start(s + 1));
          if (from < to) multiply_rows(a, from, to, row_ptr, codes, row_ptr[start(s)], values, x, y);
        };
        section(0, a.col8.data());
        section(1, a.col16.data());
        section(2, a.col32.data());
      });
    });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(OptCsr)
