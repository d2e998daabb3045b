// How the reads of x lie that a product makes: what the time of a product depends on besides bytes.
#pragma once

#include <cstdint>

#include "formats/csr/csr.hpp"

namespace spress::analyze {

/// Counts of 32-byte sectors of x, the unit in which a GPU reads memory (half a line of a CPU's cache).
struct GatherCounts {
  std::uint64_t by_row = 0;     ///< entered by a walk through the entries row by row: steps to another sector
  std::uint64_t by_slice = 0;   ///< likewise by a walk through slices of 32 rows, the k-th entries of all rows in turn
  std::uint64_t by_window = 0;  ///< distinct ones in windows of some 4096 consecutive entries, added up
};

/// Of x with elements of `value_width` bytes; the sectors begin at x[0].
/// Complexity: linear in the entries; scratch memory of some kilobytes a thread.
[[nodiscard]] GatherCounts gather_counts(const Csr<Viewed>& a, std::uint64_t value_width, int threads = 0);

}  // namespace spress::analyze
