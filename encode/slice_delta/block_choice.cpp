#include "encode/slice_delta/block_choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "formats/core/threads.hpp"

namespace spress {
namespace {

/// Whether row r and the row before begin at the same column.
template <class Position>
bool begins_alike(const Csr<Viewed>& a, const Position* row_ptr, std::uint64_t r) {
  return row_ptr[r - 1] < row_ptr[r] && row_ptr[r] < row_ptr[r + 1] &&
         a.col_idx[row_ptr[r - 1]] == a.col_idx[row_ptr[r]];
}

/// Rows that follow each other and begin at the same column form a group. Returns the group size that most rows belong
/// to, at most largest_block, or 1 where there are no groups. Samples at most 16 runs of 128 rows, spread over the
/// matrix.
template <class Position>
std::uint32_t usual_group(const Csr<Viewed>& a, const Position* row_ptr) {
  constexpr std::uint64_t run = 128, most_runs = 16;
  constexpr std::uint32_t largest = SliceDelta<Owned>::largest_block;
  std::array<std::uint64_t, largest + 1> rows = {};  // by the size of their group
  const std::uint64_t runs = std::clamp<std::uint64_t>(a.rows / run, 1, most_runs);
  for (std::uint64_t i = 0; i < runs; ++i) {
    const std::uint64_t begin = a.rows * i / runs, end = std::min(begin + run, a.rows);
    for (std::uint64_t first = begin, r = begin + 1; r <= end; ++r) {
      if (r < end && begins_alike(a, row_ptr, r)) continue;
      rows[std::min<std::uint64_t>(r - first, largest)] += r - first;
      first = r;
    }
  }
  const auto most = std::max_element(rows.begin() + 2, rows.end());
  return *most == 0 ? 1 : static_cast<std::uint32_t>(most - rows.begin());
}

constexpr std::size_t tried_blocks = 3;
/// Words of residuals in the first steps of all slices, for each block that is tried. Every lane takes an entry there.
struct FirstStepWords {
  std::array<std::uint64_t, tried_blocks> words = {};
  void operator+=(const FirstStepWords& other) {
    for (std::size_t b = 0; b < tried_blocks; ++b) words[b] += other.words[b];
  }
};

/// The first entries of the lanes of a slice. Number: int32 where it can count all rows and columns.
template <class Number>
struct FirstEntries {
  std::array<Number, slice_rows> row, column;
  std::uint32_t count = 0;

  void add(std::uint64_t r, std::uint32_t c) {
    row[count] = static_cast<Number>(r);
    column[count++] = static_cast<Number>(c);
  }
  /// Lanes without an entry repeat the first one, so that loops run over all lanes.
  void fill_up() {
    for (std::uint32_t e = count; e < slice_rows; ++e) {
      row[e] = row[0];
      column[e] = column[0];
    }
  }
  /// Bits of the residuals where lanes begin as this block says.
  [[nodiscard]] std::uint32_t width(std::uint32_t block) const {
    std::array<Number, slice_rows> from = row;
    if (block == slice_rows)
      for (Number& r : from) r -= r % Number{slice_rows};
    else if (block != 1)
      for (Number& r : from) r -= r % static_cast<Number>(block);
    Number least = std::numeric_limits<Number>::max(), most = std::numeric_limits<Number>::min();
    for (std::uint32_t e = 0; e < slice_rows; ++e) {
      least = std::min<Number>(least, column[e] - from[e]);
      most = std::max<Number>(most, column[e] - from[e]);
    }
    return static_cast<std::uint32_t>(
        std::bit_width(static_cast<std::uint64_t>(std::int64_t{most} - std::int64_t{least})));
  }
};

template <class Number, class Position>
FirstStepWords first_step_words(const Csr<Viewed>& a, const Position* row_ptr, const RowArrangement& rows,
                                const std::array<std::uint32_t, tried_blocks>& blocks) {
  return parallel_sum<FirstStepWords>(rows.long_masks.size(), thread_count(0), [&](std::uint64_t s) {
    FirstEntries<Number> first;
    for_each_lane(a, rows, s, [&](std::uint32_t, std::uint64_t r) {
      if (row_ptr[r] != row_ptr[r + 1]) first.add(r, a.col_idx[row_ptr[r]]);
    });
    FirstStepWords out;
    if (first.count == 0) return out;
    first.fill_up();
    for (std::size_t b = 0; b < tried_blocks; ++b)
      out.words[b] = b != 0 && blocks[b] == blocks[0]
                         ? out.words[0]
                         : slice_words::residual_words(first.count, first.width(blocks[b]));
    return out;
  });
}

template <class Position>
std::uint32_t block_worth_trying(const Csr<Viewed>& a, const Position* row_ptr, const DeltaPlan& plan,
                                 const DeltaLayout& plain) {
  constexpr std::uint64_t worth = 256;  // 1/1024 of the bytes, or all residuals, must be saved
  if (plain.residual_words == 0) return 1;
  const std::array<std::uint32_t, tried_blocks> blocks = {1, usual_group(a, row_ptr), slice_rows};
  constexpr std::uint64_t narrow = std::uint64_t{1} << 31;
  const auto words = a.rows <= narrow && a.cols <= narrow
                         ? first_step_words<std::int32_t>(a, row_ptr, plan.rows, blocks).words
                         : first_step_words<std::int64_t>(a, row_ptr, plan.rows, blocks).words;
  for (std::size_t b = 1; b < tried_blocks; ++b) {
    if (words[b] >= words[0]) continue;
    const std::uint64_t saved = words[0] - words[b];
    if (4 * worth * saved >= plain.bytes() || saved >= plain.residual_words) return blocks[b];
  }
  return 1;
}

}  // namespace

std::uint32_t promising_block(const Csr<Viewed>& a, const DeltaPlan& plan, const DeltaLayout& plain) {
  return with_positions(a.row_ptr, [&](const auto* row_ptr) { return block_worth_trying(a, row_ptr, plan, plain); });
}

}  // namespace spress
