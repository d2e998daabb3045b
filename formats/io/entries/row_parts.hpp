// Parts of the rows of a triangle, one for each thread. Private to formats/io.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/core/threads.hpp"

namespace spress::io {

/// Rows [first, last).
struct RowPart {
  std::uint64_t first = 0, last = 0;
  std::uint64_t least = 0;  ///< the smallest number of its rows, and of the columns of their entries
};

/// Ranges that make up all rows, with about as many entries in each: one for each of `threads` threads, or fewer, so
/// that numbers for the rows from the least one of each range to its end are at most 4 * rows in all. begins: where
/// each row begins, and the end. columns: of the entries, ascending in each row.
template <class Position>
[[nodiscard]] std::vector<RowPart> row_parts(const Position* begins, std::uint64_t rows, const std::uint32_t* columns,
                                             int threads) {
  for (int count = threads; count > 1; count /= 2) {
    std::vector<RowPart> parts(static_cast<std::size_t>(count));
    parallel_for(parts.size(), count, [&](std::uint64_t t) {
      RowPart part = {row_block_begin(begins, rows, t, parts.size()),
                      row_block_begin(begins, rows, t + 1, parts.size()), 0};
      part.least = part.first;
      for (std::uint64_t r = part.first; r < part.last && part.least != 0; ++r)
        if (begins[r] != begins[r + 1]) part.least = std::min<std::uint64_t>(part.least, columns[begins[r]]);
      parts[t] = part;
    });
    std::uint64_t numbers = 0;
    for (const RowPart& part : parts) numbers += part.last - part.least;
    if (numbers <= 4 * rows) return parts;
  }
  return {{0, rows, 0}};
}

}  // namespace spress::io
