// The walk over a matrix and its transpose at once: each entry below the diagonal with the one that mirrors it.
#pragma once

#include <cstdint>

#include "formats/csr/csr.hpp"

namespace spress::io {

/// Calls on_diagonal(k) for each entry k of the diagonal, and on_pair(below, above) for each entry below it and the
/// entry at the mirrored place. False, and soon, where an entry has no such partner or a call answers false. row_ptr:
/// that of `a`. Requires: a is square. Complexity: one pass. Memory: a position for each row.
template <class P, class OnDiagonal, class OnPair>
[[nodiscard]] bool for_mirrored_pairs(const Csr<Viewed>& a, const P* row_ptr, OnDiagonal on_diagonal, OnPair on_pair) {
  HostArray<P> next_above(
      a.rows);  // rows ascend, so the entries of a row above the diagonal are called for in their order
  for (std::uint64_t r = 0; r < a.rows; ++r) {
    P k = row_ptr[r];
    for (; k < row_ptr[r + 1] && a.col_idx[k] <= r; ++k) {
      const std::uint32_t c = a.col_idx[k];
      if (c == r) {
        if (!on_diagonal(k)) return false;
        continue;
      }
      const P above = next_above[c]++;
      if (above >= row_ptr[c + 1] || a.col_idx[above] != r || !on_pair(k, above)) return false;
    }
    next_above[r] = k;
  }
  for (std::uint64_t r = 0; r < a.rows; ++r)
    if (next_above[r] != row_ptr[r + 1]) return false;
  return true;
}

}  // namespace spress::io
