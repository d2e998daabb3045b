// When a loop is worth more than one thread, and how rows are dealt out. Internal.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace spress::reorder {

/// Waking threads and waiting for them costs as much as walking some ten thousand entries, and much more on a busy
/// machine: small matrices stay on one.
[[nodiscard]] constexpr bool worth_threads(std::uint64_t entries) { return entries > 200000; }

/// Blocks of rows with memory of their own for each: as many as there are threads, if that is worth it and no more than
/// `fitting`.
[[nodiscard]] inline std::uint64_t blocks_worth(std::uint64_t entries, std::uint64_t fitting) {
  const auto threads = static_cast<std::uint64_t>(omp_get_max_threads());
  return worth_threads(entries) ? std::clamp<std::uint64_t>(fitting, 1, threads) : 1;
}

/// Where the b-th block of rows begins, of `blocks` with about as many entries in each; the end of all for b = blocks.
template <class Position>
[[nodiscard]] std::uint64_t block_begin(const Position* row_ptr, std::uint64_t rows, std::uint64_t b,
                                        std::uint64_t blocks) {
  if (b == blocks) return rows;
  return static_cast<std::uint64_t>(std::lower_bound(row_ptr, row_ptr + rows, row_ptr[rows] / blocks * b) - row_ptr);
}

}  // namespace spress::reorder
