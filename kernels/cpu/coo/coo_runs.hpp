// Sums of the rows of coordinate layouts: entries know their rows, and those of a row stand side by side.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/shared/row_sums.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// Entries of which the runs, those of one row each, are found at once, before any is summed: one after the other, each
/// would wait for the end of the one before.
inline constexpr std::uint64_t run_block = 1024;

/// Behind the last entry from k on, before `last`, that has the row of entry k.
inline std::uint64_t run_end(const std::uint32_t* row_idx, std::uint64_t k, std::uint64_t last) {
  const std::uint32_t row = row_idx[k];
  while (k < last && row_idx[k] == row) ++k;
  return k;
}

/// Stores y for the rows of entries [k, last), summed by vectors of S, and 0 for those between them that have none,
/// beginning with `row`. Returns the row behind the last stored. A run is summed in the same way wherever k is.
template <class S, class T, class Numbers>
std::uint64_t sum_runs(std::uint64_t k, std::uint64_t last, const std::uint32_t* row_idx, const std::uint32_t* col_idx,
                       bool far, Numbers values, const T* x, std::uint64_t row, T* y) {
  std::uint32_t starts[run_block + 17];
  const auto store = [&](std::uint64_t next, T sum) {
    std::fill(y + row, y + next, T(0));
    y[next] = sum;
    row = next + 1;
  };
  while (k < last) {
    const std::uint64_t n = std::min(run_block, last - k);
    starts[0] = 0;
    std::uint64_t runs = 1 + find_changes(row_idx + k, n, starts + 1);
    starts[runs] = static_cast<std::uint32_t>(n);
    if (k + n < last) --runs;  // the last one may go on behind the block
    if (runs == 0 || starts[1] == run_block) {
      const std::uint64_t end = run_end(row_idx, k, last);
      store(row_idx[k], sum_entries(k, end, col_idx, values, x, far));
      k = end;
      continue;
    }
    sum_rows_together<S>(
        0, runs,
        [=, &starts](std::uint64_t i) SPRESS_INLINE {
          const std::uint64_t begin = k + starts[i], count = starts[i + 1] - starts[i];
          PlainColumns<S, std::uint32_t> columns{col_idx + begin, far};
          return row_sum<S, false>(values.at(begin, count), columns, count, x);
        },
        [&](std::uint64_t i, typename S::Vector vector, std::uint64_t count) SPRESS_INLINE {
          const std::uint32_t* const rows = row_idx + k;
          if (rows[starts[i]] == row && rows[starts[i + count - 1]] == row + count - 1) {  // none is empty
            store_sums<S>(y + row, vector, count);
            row += count;
            return;
          }
          T sums[S::lanes];
          S::store(sums, vector);
          for (std::uint64_t j = 0; j < count; ++j) store(rows[starts[i + j]], sums[j]);
        });
    k += starts[runs];
  }
  return row;
}

/// Calls use(RowSimd) with vectors that rows of nnz / rows entries fill.
template <class T, class Use>
void with_run_simd(std::uint64_t nnz, std::uint64_t rows, Use&& use) {
#if SPRESS_ISA_LEVEL == 2
  if (nnz <= 4 * rows) return use(RowSimd<T, 4>{});
  if (nnz <= 8 * rows) return use(RowSimd<T, 8>{});
#else
  static_cast<void>(nnz), static_cast<void>(rows);
#endif
  use(RowSimd<T>{});
}

SPRESS_KERNELS_END
