#include "encode/slice_delta/row_arrangement.hpp"

#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "encode/shared/length_order.hpp"

namespace spress {
namespace {

/// The lengths of the rows of a slice. A row has fewer than 2^32 entries.
using LaneLengths = std::array<std::uint32_t, slice_rows>;

/// The rows of a slice that are cut into pieces, as a mask of lanes, and the least steps of the other rows.
struct LongLanes {
  std::uint32_t mask = 0;
  std::uint64_t steps = 0, longest = 0;  // longest: of all rows
};

/// Takes out the longest rows while that saves more steps than their pieces take.
LongLanes long_lanes(const LaneLengths& lengths) {
  constexpr std::uint64_t piece_cost = 8;  // steps that beginning and joining a piece cost
  LongLanes out;
  std::uint32_t shortest = lengths[0], longest = lengths[0];
  for (const std::uint32_t length : lengths) {
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  out.steps = out.longest = longest;
  if (longest <= most_slice_steps && longest - shortest <= piece_cost) return out;
  std::uint64_t taken = 0, cheapest = std::numeric_limits<std::uint64_t>::max();
  std::uint32_t mask = 0;
  for (LaneLengths left = lengths; taken < cheapest;) {
    const auto next = std::max_element(left.begin(), left.end());
    if (*next <= most_slice_steps && *next + taken < cheapest) {
      cheapest = *next + taken;
      out = {mask, *next, longest};
    }
    if (*next == 0) break;
    const std::uint64_t length = *next;
    taken += (length + slice_rows - 1) / slice_rows + piece_cost * ((length + piece_entries - 1) / piece_entries);
    mask |= 1u << (next - left.begin());
    *next = 0;
  }
  return out;
}

/// Whether the rows that are taken out are at most twice as long as the others.
bool is_mild(const LongLanes& lanes) {
  return lanes.mask != 0 && lanes.longest <= std::min<std::uint64_t>(2 * lanes.steps, most_slice_steps);
}

/// The lengths of the rows of slice s.
template <class Position>
LaneLengths lengths_of(const Csr<Viewed>& a, const Position* row_ptr, const RowArrangement& rows, std::uint64_t s) {
  LaneLengths lengths = {};
  rows.for_each_row(s, a.rows, [&](std::uint32_t j, std::uint64_t row) {
    lengths[j] = static_cast<std::uint32_t>(row_ptr[row + 1] - row_ptr[row]);
  });
  return lengths;
}

/// Decides which rows of each slice are cut into pieces. Rows at most twice as long as the others of their slice stay
/// where taking all of them out saves less than 1% of the steps: a matrix without pieces needs one pass only.
template <class Position>
void find_long_rows(const Csr<Viewed>& a, const Position* row_ptr, RowArrangement& out) {
  constexpr std::uint64_t little = 100;  // 1/100 of the steps
  const std::uint64_t slices = (a.rows + slice_rows - 1) / slice_rows;
  out.long_masks = HostArray<std::uint32_t>(slices);
  struct Sum {
    std::uint64_t steps = 0, saved = 0;
    void operator+=(const Sum& other) {
      steps += other.steps;
      saved += other.saved;
    }
  };
  const auto [steps, saved] = parallel_sum<Sum>(slices, thread_count(0), [&](std::uint64_t s) {
    const auto lengths = lengths_of(a, row_ptr, out, s);
    const LongLanes chosen = long_lanes(lengths);
    out.long_masks[s] = chosen.mask;
    std::uint64_t now = chosen.steps;
    for (std::uint32_t left = chosen.mask; left != 0; left &= left - 1)
      now += (std::uint64_t{lengths[static_cast<std::uint32_t>(std::countr_zero(left))]} + slice_rows - 1) / slice_rows;
    return Sum{now, is_mild(chosen) ? chosen.longest - now : 0};
  });
  out.steps = steps;
  if (saved == 0 || saved * little >= steps) return;
  out.steps += saved;
  parallel_for(slices, thread_count(0), [&](std::uint64_t s) {
    if (out.long_masks[s] == 0) return;
    if (is_mild(long_lanes(lengths_of(a, row_ptr, out, s)))) out.long_masks[s] = 0;
  });
}

RowArrangement arranged(const Csr<Viewed>& a, std::uint64_t sigma) {
  RowArrangement out;
  out.sigma = sigma;
  if (sigma > 1) out.perm = sorted_windows<std::uint16_t>(a, sigma, [](std::uint64_t, std::uint64_t k) { return k; });
  with_positions(a.row_ptr, [&](const auto* row_ptr) { find_long_rows(a, row_ptr, out); });
  return out;
}

}  // namespace

RowArrangement choose_arrangement(const Csr<Viewed>& a, AutoNumber sigma) {
  constexpr std::uint64_t window = 4096;
  if (sigma) return arranged(a, *sigma);
  RowArrangement plain = arranged(a, 1);
  if (plain.steps * slice_rows * 4 <= a.nnz * 5) return plain;
  RowArrangement sorted = arranged(a, window);
  return sorted.steps * 5 <= plain.steps * 4 ? std::move(sorted) : std::move(plain);
}

}  // namespace spress
