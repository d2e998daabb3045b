// The walk over a matrix and its transpose at once: each entry below the diagonal with the one that mirrors it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "formats/csr/csr.hpp"

namespace spress::io {

/// Calls on_diagonal(k) for each entry k of the diagonal in rows [first, last), and on_pair(below, above) for each
/// entry of those rows below the diagonal and the entry at the mirrored place. The number of entries that were named;
/// nothing, and soon, where an entry has no such partner or a call answers false. row_ptr: that of `a`. Requires: a is
/// square. Complexity: one pass. Memory: a position for each row from the least column on.
template <class P, class OnDiagonal, class OnPair>
[[nodiscard]] std::optional<std::uint64_t> for_mirrored_pairs_in(const Csr<Viewed>& a, const P* row_ptr,
                                                                 std::uint64_t first, std::uint64_t last,
                                                                 OnDiagonal on_diagonal, OnPair on_pair) {
  const std::uint32_t* columns = a.col_idx.data();
  std::uint64_t least = first, named = 0;
  for (std::uint64_t r = first; r < last; ++r)
    if (row_ptr[r] != row_ptr[r + 1]) least = std::min<std::uint64_t>(least, columns[row_ptr[r]]);
  HostArray<P> next(last - least);  // rows ascend, so those of a row above the diagonal are called for in their order
  for (std::uint64_t r = least; r < first; ++r)
    next[r - least] = static_cast<P>(std::lower_bound(columns + row_ptr[r], columns + row_ptr[r + 1], first) - columns);
  for (std::uint64_t r = first; r < last; ++r) {
    P k = row_ptr[r];
    for (; k < row_ptr[r + 1] && columns[k] <= r; ++k) {
      const std::uint32_t c = columns[k];
      if (c == r) {
        if (!on_diagonal(k)) return std::nullopt;
        ++named;
        continue;
      }
      const P above = next[c - least]++;
      if (above >= row_ptr[c + 1] || columns[above] != r || !on_pair(k, above)) return std::nullopt;
      named += 2;
    }
    next[r - least] = k;
  }
  return named;
}

/// The same for all rows. Whether each entry has a partner and no call answers false.
template <class P, class OnDiagonal, class OnPair>
[[nodiscard]] bool for_mirrored_pairs(const Csr<Viewed>& a, const P* row_ptr, OnDiagonal on_diagonal, OnPair on_pair) {
  return for_mirrored_pairs_in(a, row_ptr, 0, a.rows, on_diagonal, on_pair) == a.nnz;
}

}  // namespace spress::io
