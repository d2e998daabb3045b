// When a loop is worth more than one thread. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

namespace spress::reorder {

/// Waking threads and waiting for them costs as much as walking some ten thousand entries, and much more on a busy
/// machine: small matrices stay on one.
[[nodiscard]] constexpr bool worth_threads(std::uint64_t entries) { return entries > 200000; }

/// Where the b-th block of rows begins, of `blocks` with about as many entries in each; the end of all for b = blocks.
template <class Position>
[[nodiscard]] std::uint64_t block_begin(const Position* row_ptr, std::uint64_t rows, std::uint64_t b,
                                        std::uint64_t blocks) {
  if (b == blocks) return rows;
  return static_cast<std::uint64_t>(std::lower_bound(row_ptr, row_ptr + rows, row_ptr[rows] / blocks * b) - row_ptr);
}

}  // namespace spress::reorder
