// The walk over a matrix and its transpose at once: each entry below the diagonal with the one that mirrors it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "formats/csr/csr.hpp"
#include "formats/io/entries/row_parts.hpp"

namespace spress::io {

/// Calls on_diagonal(k) for each entry k of the diagonal in the rows of a part, and on_pair(below, above) for each
/// entry of those rows below the diagonal and the entry at the mirrored place. Returns the number of entries named so;
/// nothing, and soon, where an entry has no such partner or a call answers false. row_ptr: that of `a`. Requires: a is
/// square. Complexity: one pass. Memory: a position for each row from the least one on.
template <class P, class OnDiagonal, class OnPair>
[[nodiscard]] std::optional<std::uint64_t> for_mirrored_pairs_of(const RowPart& part, const Csr<Viewed>& a,
                                                                 const P* row_ptr, OnDiagonal on_diagonal,
                                                                 OnPair on_pair) {
  const auto [first, last, least] = part;
  const std::uint32_t* columns = a.col_idx.data();
  std::uint64_t named = 0;
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

/// Calls them for all rows. False, and soon, where an entry has no partner or a call answers false.
template <class P, class OnDiagonal, class OnPair>
[[nodiscard]] bool for_mirrored_pairs(const Csr<Viewed>& a, const P* row_ptr, OnDiagonal on_diagonal, OnPair on_pair) {
  return for_mirrored_pairs_of({0, a.rows, 0}, a, row_ptr, on_diagonal, on_pair) == a.nnz;
}

}  // namespace spress::io
