#include "encode/amb/step_plan.hpp"

#include <algorithm>

#include "encode/amb/block_counts.hpp"

namespace spress::amb {

SortedRuns::SortedRuns(const Csr<Viewed>& a, const WindowPiece& piece, std::uint32_t block)
    : lengths(piece.runs.size()), order(piece.runs.size()) {
  std::transform(piece.runs.begin(), piece.runs.end(), lengths.begin(),
                 [&](const SegmentRun& run) { return count_blocks(a.col_idx.data() + run.begin, run.count, block); });
  const std::uint32_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::uint32_t> next(longest + 2, 0);
  for (const std::uint32_t n : lengths) ++next[longest - n + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (std::uint32_t i = 0; i < lengths.size(); ++i) order[next[longest - lengths[i]]++] = i;
}

LayoutSize stepped_size(const Csr<Viewed>& a, const WindowPiece& piece, std::uint32_t block) {
  const SortedRuns runs(a, piece, block);
  LayoutSize size;
  for (std::size_t first = 0; first < runs.order.size(); first += lanes) {
    const auto chunk = std::span(runs.order).subspan(first, std::min<std::size_t>(lanes, runs.order.size() - first));
    const std::uint64_t steps = plan_steps(
        a, piece, chunk, block, [&](std::uint64_t, std::uint64_t, std::uint32_t, const RowBlock&) { ++size.blocks; });
    size.add_chunks(1, steps);
  }
  size.used_lanes = std::min(size.chunks * lanes, piece.rows);
  return size;
}

}  // namespace spress::amb
