// The blocks of 32 rows, dealt to the steps of a chunk.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "encode/amb/amb_sizes.hpp"

namespace spress::amb {

/// Entries [first, last) of the matrix in one block. start: the block's first column, from that of the segment on.
struct RowBlock {
  std::uint64_t first, last, start;
};

/// The block that begins with entry k of a run that ends with entry `end` - 1. It begins further left where it would
/// reach over the end of the segment.
[[nodiscard]] inline RowBlock block_at(const Csr<Viewed>& a, const WindowPiece& piece, std::uint64_t k,
                                       std::uint64_t end, std::uint32_t block) {
  const std::uint64_t start = std::min<std::uint64_t>(a.col_idx[k] - piece.first_col, piece.width - block);
  const std::uint64_t behind = piece.first_col + start + block;
  std::uint64_t last = k + 1;
  while (last < end && a.col_idx[last] < behind) ++last;
  return {k, last, start};
}

/// The runs of a piece by falling number of blocks, ties in the order of their rows.
struct SortedRuns {
  std::vector<std::uint32_t> lengths;  ///< numbers of blocks, by run
  std::vector<std::uint32_t> order;    ///< runs
  SortedRuns(const Csr<Viewed>& a, const WindowPiece& piece, std::uint32_t block);
};

/// Plans the steps of a chunk if every step has a base. A step begins with the least column of the blocks that come
/// next in their rows, and takes one block of every row whose next block is within 16 bits of that. Calls
/// place(step, base, lane, block) for every block, step by step. Returns the number of steps.
/// order: the runs of the lanes, at most 32. O(entries + 32 * steps).
template <class Place>
std::uint64_t plan_steps(const Csr<Viewed>& a, const WindowPiece& piece, std::span<const std::uint32_t> order,
                         std::uint32_t block, const Place& place) {
  std::array<RowBlock, lanes> next;
  std::array<std::uint64_t, lanes> end, start;
  start.fill(Format::no_column);
  const auto advance = [&](std::size_t j, std::uint64_t k) {
    start[j] = Format::no_column;
    if (k == end[j]) return;
    next[j] = block_at(a, piece, k, end[j], block);
    start[j] = next[j].start;
  };
  for (std::size_t j = 0; j < order.size(); ++j) {
    const SegmentRun& run = piece.runs[order[j]];
    end[j] = run.begin + run.count;
    advance(j, run.begin);
  }
  for (std::uint64_t step = 0;; ++step) {
    const std::uint64_t base = *std::min_element(start.begin(), start.end());
    if (base == Format::no_column) return step;
    for (std::size_t j = 0; j < order.size(); ++j)
      if (start[j] < base + Format::no_block) {
        place(step, base, static_cast<std::uint32_t>(j), next[j]);
        advance(j, next[j].last);
      }
  }
}

/// The size of a piece if every step has a base, planned chunk by chunk.
[[nodiscard]] LayoutSize stepped_size(const Csr<Viewed>& a, const WindowPiece& piece, std::uint32_t block);

}  // namespace spress::amb
