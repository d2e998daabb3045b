#include <span>

#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/shared/row_sums.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

/// The sum of the row that has entries [begin, end), by the parts in which threads share it.
template <class T, class Numbers>
__attribute__((noinline)) T sum_long_row(std::uint64_t begin, std::uint64_t end, const std::uint32_t* col_idx,
                                         Numbers values, const T* x, bool far) {
  T sum = 0;
  for (std::uint64_t part = 0; part < row_parts(end - begin); ++part)
    sum += sum_entries(part_begin(begin, end, part), part_begin(begin, end, part + 1), col_idx, values, x, far);
  return sum;
}

/// `rows` rows, of which row i has entries [row_ptr[i], row_ptr[i + 1]).
template <class Shape, class T, class Numbers>
void multiply_rows(const std::uint32_t* row_ptr, std::uint64_t rows, std::span<const std::uint32_t> ids, bool far,
                   Numbers values, const T* x, T* y) {
  using S = typename Shape::Simd;
  const std::uint32_t* const col_idx = ids.data();
  const std::uint64_t entries = ids.size();
  sum_rows_together<S>(
      0, rows,
      [=](std::uint64_t r) SPRESS_INLINE {
        const std::uint64_t begin = row_ptr[r], n = row_ptr[r + 1] - begin;
        if (n > Shape::longest || !Shape::has_room(begin + n, entries)) [[unlikely]]
          return S::first_lane(sum_long_row(begin, begin + n, col_idx, values, x, far));
        PlainColumns<S, std::uint32_t> columns{col_idx + begin, far};
        return row_sum<S, Shape::short_rows>(values.at(begin, n), columns, n, x);
      },
      [=](std::uint64_t i, auto sums, std::uint64_t n) SPRESS_INLINE { store_sums<S>(y + i, sums, n); });
}

template <class T>
void multiply(const Csr<Viewed>& a, const T* x, T* y, int threads) {
  const std::uint32_t* col_idx = a.col_idx.data();
  const bool far = far_apart<T>(a.nnz, a.cols, col_idx);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    for_row_pieces(
        row_ptr, a.rows, threads, y,
        [&](std::uint64_t first, std::uint64_t last) {
          with_numbers<T>(a.values, row_ptr[first], row_ptr[last], [&](auto values) {
            with_row_shape<T>(row_ptr, a.rows, [&](auto shape) {
              with_narrow_positions(row_ptr, first, last, [&](const auto* ptr, auto row, auto rows, auto skip) {
                multiply_rows<decltype(shape)>(ptr, rows, {col_idx + skip, a.nnz - skip}, far, values.behind(skip), x,
                                               y + row);
              });
            });
          });
        },
        [&](std::uint64_t begin, std::uint64_t end) {
          T sum = 0;
          with_numbers<T>(a.values, begin, end,
                          [&](auto values) { sum = sum_entries(begin, end, col_idx, values, x, far); });
          return sum;
        });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Csr)
