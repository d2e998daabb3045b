// Decides which row each lane of a slice holds, and which rows are cut into pieces.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/core/threads.hpp"
#include "formats/csr/csr.hpp"
#include "formats/slice_delta/slice_delta.hpp"

namespace spress {

/// The most entries of a piece of a long row.
inline constexpr std::uint64_t piece_entries = std::uint64_t{most_piece_steps} * slice_rows;

/// The order of the rows, and the rows that are cut into pieces (long rows).
struct RowArrangement {
  std::uint64_t sigma = 1;
  HostArray<std::uint16_t> perm;        // rows, within windows; empty for the identity
  HostArray<std::uint32_t> long_masks;  // slices: bit j for lane j
  std::uint64_t steps = 0;              // a lower bound for all items together

  [[nodiscard]] std::uint64_t row(std::uint64_t i) const { return perm.empty() ? i : i - i % sigma + perm[i]; }

  /// Calls use(lane, row) for the rows of slice s, of `count` rows in all.
  template <class Use>
  void for_each_row(std::uint64_t s, std::uint64_t count, const Use& use) const {
    const std::uint64_t first = s * slice_rows, end = std::min(first + slice_rows, count);
    if (perm.empty()) {
      for (std::uint64_t i = first; i < end; ++i) use(static_cast<std::uint32_t>(i - first), i);
      return;
    }
    for (std::uint64_t window = first - first % sigma, i = first; i < end; window += sigma)
      for (const std::uint64_t last = std::min(window + sigma, end); i < last; ++i)
        use(static_cast<std::uint32_t>(i - first), window + perm[i]);
  }
};

/// Calls use(lane, row) for the rows of slice s that are not long.
template <class Use>
void for_each_lane(const Csr<Viewed>& a, const RowArrangement& rows, std::uint64_t s, const Use& use) {
  const std::uint32_t long_ones = rows.long_masks[s];
  rows.for_each_row(s, a.rows, [&](std::uint32_t j, std::uint64_t row) {
    if ((long_ones >> j & 1) == 0) use(j, row);
  });
}

/// The arrangement for a given sigma. Without one, rows are sorted in windows of 4096 where at least a fifth of the
/// lanes would idle and sorting saves at least a fifth of the steps.
[[nodiscard]] RowArrangement choose_arrangement(const Csr<Viewed>& a, AutoNumber sigma);

}  // namespace spress
