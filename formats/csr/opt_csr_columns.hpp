// The columns of an optimized CSR, undone from its codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "formats/csr/opt_csr.hpp"

namespace spress {

namespace detail {

template <class Code, class Use>
bool for_each_column_in_section(const OptCsr<Viewed>& a, std::size_t s, const Code* codes, Use& use) {
  using Signed = std::make_signed_t<Code>;
  const std::uint64_t begin = a.section_start.position(s), end = a.section_start.position(s + 1);
  const std::uint64_t base = a.row_ptr.position(begin);
  for (std::uint64_t i = begin; i < end; ++i) {
    const auto row = static_cast<std::int64_t>(a.row_perm.empty() ? i : a.row_perm[i]);
    std::int64_t previous = -1;
    for (std::uint64_t k = a.row_ptr.position(i); k < a.row_ptr.position(i + 1); ++k) {
      const Code code = codes[k - base];
      const bool first = k == a.row_ptr.position(i);
      std::int64_t col;
      if (a.index == IndexMode::diagonal || (first && a.index == IndexMode::anchored))
        col = row + static_cast<Signed>(code);
      else if (!first)
        col = previous + static_cast<std::int64_t>(code);
      else
        col = code == 0 ? static_cast<std::int64_t>(a.first_col[i]) : -1;  // kernels add the first code too
      if (!use(row, col, previous)) return false;
      previous = col;
    }
  }
  return true;
}

}  // namespace detail

/// Calls use(row, col, column before it in the row or -1) for every entry in stored order, until it returns false;
/// returns whether it never did. Columns are signed: damaged codes may leave the matrix on either side.
/// Requires: pointers and lengths of arrays have been checked.
template <class Use>
bool for_each_column(const OptCsr<Viewed>& a, Use&& use) {
  return detail::for_each_column_in_section(a, 0, a.col8.data(), use) &&
         detail::for_each_column_in_section(a, 1, a.col16.data(), use) &&
         detail::for_each_column_in_section(a, 2, a.col32.data(), use);
}

/// The columns of a row that is valid. codes, cols: n. first_col: the row's first column, which only `delta` reads.
template <class Code>
void read_columns(IndexMode index, std::uint32_t row, std::uint32_t first_col, const Code* codes, std::uint64_t n,
                  std::uint32_t* cols) {
  using Signed = std::make_signed_t<Code>;
  const auto from_diagonal = [&](Code code) {
    return row + static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<Signed>(code)));
  };
  if (index == IndexMode::diagonal) {
    std::transform(codes, codes + n, cols, from_diagonal);
    return;
  }
  if (n != 0) cols[0] = index == IndexMode::anchored ? from_diagonal(codes[0]) : first_col;
  for (std::uint64_t k = 1; k < n; ++k) cols[k] = cols[k - 1] + codes[k];
}

}  // namespace spress
