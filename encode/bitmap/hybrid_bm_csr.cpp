#include "formats/bitmap/hybrid_bm_csr.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "analyze/blocks.hpp"
#include "analyze/models.hpp"
#include "encode/bitmap/bitmap_blocks.hpp"
#include "encode/bitmap/bitmap_sizes.hpp"
#include "encode/csr/opt_csr_size.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/size_stream.hpp"
#include "formats/core/threads.hpp"

namespace spress {
namespace {

using Format = HybridBmCsr<Owned>;

constexpr std::size_t modes = stored_modes.size();
constexpr std::uint32_t last_threshold = Format::none_dense;
constexpr auto block_counts_end = static_cast<std::size_t>(last_threshold);  // 1..64 entries

/// Entries in blocks of 1..64 entries.
using HeldEntries = std::array<std::uint64_t, block_counts_end>;

/// Counts the entries of every 8x8 block.
struct BlockCounts {
  HostArray<std::uint8_t> of_entry;  // nnz: those of the entry's block
  HeldEntries held = {};
};

/// Writes the counts of one block row, and adds to `held`.
void count_block_row(const Csr<Viewed>& a, std::uint64_t i, std::uint8_t* of_entry, std::uint64_t* held) {
  std::uint64_t cursor[bitmap_side] = {};
  for (std::uint64_t r = i * bitmap_side; r < std::min((i + 1) * bitmap_side, a.rows); ++r)
    cursor[r % bitmap_side] = a.row_ptr.position(r);
  analyze::for_each_block(a, i, [&](std::uint32_t, std::uint64_t bitmap) {
    const std::uint64_t by_row = entries_by_row(bitmap), all = entries_of_block(by_row);
    held[all] += all;
    for (std::uint64_t r = 0, counts = by_row; counts != 0; ++r, counts >>= 8)
      for (std::uint64_t n = counts & 0xFF; n > 0; --n) of_entry[cursor[r]++] = static_cast<std::uint8_t>(all);
  });
}

BlockCounts count_blocks(const Csr<Viewed>& a) {
  BlockCounts counts{HostArray<std::uint8_t>(a.nnz), {}};
  auto* held = counts.held.data();
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : held[:block_counts_end])
  for (std::uint64_t i = 0; i < block_rows_of(a.rows); ++i) count_block_row(a, i, counts.of_entry.data(), held);
  return counts;
}

// What is left of a row for the rest changes only behind thresholds that are the count of one of its blocks. So a row
// is looked at once for each distinct count, and what holds for a range of thresholds is kept as bits: threshold t is
// bit t - 2 (at threshold 1 nothing is left).
constexpr std::uint32_t threshold_bits = last_threshold - 1;

[[nodiscard]] constexpr std::uint64_t bits_from(std::uint32_t first) {
  return first < 64 ? ~std::uint64_t{0} << first : 0;
}

/// The class of one row under every threshold: which of them make it 16 bits or more, and 32 bits.
struct Classes {
  std::uint64_t wide = 0, widest = 0;
  void set(std::uint64_t thresholds, std::uint8_t width) {
    if (width >= 1) wide |= thresholds;
    if (width >= 2) widest |= thresholds;
  }
  /// The thresholds under which a row of these classes stands in front of its group, behind one of classes `before`.
  [[nodiscard]] std::uint64_t fallen_from(const Classes& before) const {
    return (before.wide & ~wide) | (before.widest & ~widest);
  }
};

/// What consecutive rows of the rest add to its size under one index mode, for all thresholds.
struct Tally {
  // By class and threshold bit: entries more, or less, than under the threshold before.
  std::array<std::array<std::int64_t, threshold_bits + 1>, 3> more = {};
  bool empty = true;
  Classes first, last;          // of the first and the last row
  std::uint64_t ungrouped = 0;  // thresholds under which the classes fall somewhere

  void add(const Classes& row) {
    ungrouped |= row.fallen_from(last);
    last = row;
  }
  /// Takes the rows behind these.
  void append(const Tally& next) {
    if (next.empty) return;
    if (std::exchange(empty, false)) first = next.first;
    for (std::size_t w = 0; w < more.size(); ++w)
      std::transform(more[w].begin(), more[w].end(), next.more[w].begin(), more[w].begin(), std::plus<>());
    ungrouped |= next.ungrouped | next.first.fallen_from(last);
    last = next.last;
  }
};
using Tallies = std::array<Tally, modes>;

void append(Tallies& to, const Tallies& next) {
  for (std::size_t m = 0; m < modes; ++m) to[m].append(next[m]);
}

/// The entries of a row in one block.
struct RowOfBlock {
  std::uint32_t first, last, entries;  // the columns of the first and the last one; how many
  std::uint32_t count;                 // entries of the block
};

/// Returns the distinct counts as bits: count c is bit c - 1. counts: of each entry, those of its block.
std::uint64_t split_row(const std::uint32_t* cols, const std::uint8_t* counts, std::uint64_t n,
                        std::vector<RowOfBlock>& out) {
  std::uint64_t distinct = 0;
  out.clear();
  for (std::uint64_t k = 0; k < n;) {
    const std::uint64_t begin = k;
    while (++k < n && cols[k] / bitmap_side == cols[begin] / bitmap_side) continue;
    out.push_back({cols[begin], cols[k - 1], static_cast<std::uint32_t>(k - begin), counts[begin]});
    distinct |= std::uint64_t{1} << (counts[begin] - 1);
  }
  return distinct;
}

/// What is left of a row.
struct RowRest {
  analyze::RowShape shape;
  std::int64_t entries = 0;
};

/// Of blocks of at most so many entries. Gaps within blocks do not count: all of them fit 8 bits. Requires: one block
/// such at least.
RowRest rest_of_row(std::uint64_t row, const std::vector<RowOfBlock>& blocks, std::uint32_t most) {
  auto block = blocks.begin();
  while (block->count > most) ++block;
  const std::uint32_t first = block->first;
  std::uint32_t last = block->last, gap_bits = 0;
  std::int64_t entries = block->entries;
  for (++block; block != blocks.end(); ++block) {  // no branch: it would be guessed wrongly again and again
    const bool takes = block->count <= most;
    gap_bits |= takes ? block->first - last : 0;
    last = takes ? block->last : last;
    entries += takes ? block->entries : 0;
  }
  const auto diagonal = static_cast<std::int64_t>(row);
  return {{std::int64_t{first} - diagonal, std::int64_t{last} - diagonal, last, gap_bits}, entries};
}

/// Adds the entries of one row to the tallies. Returns its classes by mode.
std::array<Classes, modes> tally_row(std::uint64_t row, const std::uint32_t* cols, const std::uint8_t* counts,
                                     std::uint64_t n, std::vector<RowOfBlock>& blocks, Tallies& tallies) {
  std::array<Classes, modes> classes = {};
  for (std::uint64_t left = split_row(cols, counts, n, blocks); left != 0; left &= left - 1) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(left));  // the bit of threshold count + 1
    const std::uint64_t above = left & (left - 1);
    const std::uint32_t end = above == 0 ? threshold_bits : static_cast<std::uint32_t>(std::countr_zero(above));
    const RowRest rest = rest_of_row(row, blocks, first + 1);
    const ModeWidths widths = mode_widths(rest.shape);
    for (std::size_t m = 0; m < modes; ++m) {
      classes[m].set(bits_from(first) & ~bits_from(end), widths[m]);
      tallies[m].more[widths[m]][first] += rest.entries;
      tallies[m].more[widths[m]][end] -= rest.entries;
    }
  }
  return classes;
}

/// The tallies of rows [begin, end).
Tallies tally_piece(const RowPanel& panel, const HostArray<std::uint8_t>& counts, std::uint64_t begin,
                    std::uint64_t end) {
  const Csr<Viewed>& a = panel.csr;
  Tallies tallies;
  std::vector<RowOfBlock> blocks;  // of a row
  for (std::uint64_t r = begin; r < end; ++r) {
    const std::uint64_t at = a.row_ptr.position(r);
    const auto classes = tally_row(panel.first_row + r, a.col_idx.data() + at, counts.data() + at,
                                   a.row_ptr.position(r + 1) - at, blocks, tallies);
    for (std::size_t m = 0; m < modes; ++m) {
      if (std::exchange(tallies[m].empty, false)) tallies[m].first = tallies[m].last = classes[m];
      tallies[m].add(classes[m]);
    }
  }
  return tallies;
}

/// The tallies of the rest of all rows: consecutive pieces of the rows in parallel, put together in their order.
Tallies tally_rows(const RowPanel& panel, const HostArray<std::uint8_t>& counts) {
  const Csr<Viewed>& a = panel.csr;
  constexpr std::uint64_t least = 64, most = 4096;  // rows of a piece, of which each thread takes some
  const std::uint64_t piece = std::clamp(a.rows / (4 * static_cast<std::uint64_t>(thread_count(0))), least, most);
  std::vector<Tallies> parts((a.rows + piece - 1) / piece);
  parallel_for_dynamic(parts.size(), thread_count(0), [&](std::uint64_t p, std::size_t) {
    parts[p] = tally_piece(panel, counts, p * piece, std::min(a.rows, (p + 1) * piece));
  });
  Tallies all;
  for (const Tallies& part : parts) append(all, part);
  return all;
}

/// What the rest takes under one threshold and one index mode.
struct Rest {
  std::array<std::uint64_t, 3> entries = {};  // by the class of their row
  bool grouped = true;
};
using Rests = std::array<std::array<Rest, modes>, last_threshold + 1>;  // by threshold, from 1

Rests rests_of(const Tallies& tallies) {
  Rests rests = {};
  for (std::size_t m = 0; m < modes; ++m)
    for (std::uint32_t t = 2; t <= last_threshold; ++t) {
      Rest& rest = rests[t][m];
      rest.grouped = (tallies[m].ungrouped >> (t - 2) & 1) == 0;
      for (std::size_t w = 0; w < rest.entries.size(); ++w)
        rest.entries[w] = rests[t - 1][m].entries[w] + static_cast<std::uint64_t>(tallies[m].more[w][t - 2]);
    }
  return rests;
}

struct Shape {
  std::uint64_t rows, nnz;
};

/// The split by one threshold, and what it costs.
struct Split {
  std::uint32_t threshold = last_threshold;
  std::uint64_t dense = 0;  // entries in dense blocks
  SizeEstimate size;
};

Split split_at(const Shape& a, std::uint32_t threshold, std::uint64_t blocks, std::uint64_t dense,
               const std::array<Rest, modes>& rests) {
  const std::uint64_t rows = dense == a.nnz ? 0 : a.rows;
  const SizeEstimate bm = bmsparse_csr_size(dense == 0 ? 0 : a.rows, blocks, dense);
  std::uint64_t csr = 0, model = 0;
  for (std::size_t m = 0; m < modes; ++m) {
    const std::uint64_t bytes =
        opt_csr_index_bytes(stored_modes[m], rows, rests[m].entries, rows == 0 || rests[m].grouped);
    csr = m == 0 ? bytes : std::min(csr, bytes);
    if (stored_modes[m] == IndexMode::delta) model = analyze::opt_csr_model(rests[m].entries, rows);
  }
  return {threshold, dense, {bm.index_bytes + csr, bm.model_index_bytes + model, a.nnz}};
}

/// Every threshold's split. Where no block holds exactly t entries, t + 1 splits as t does.
std::vector<Split> all_splits(const Shape& shape, const HeldEntries& held, const Tallies& tallies) {
  const Rests rests = rests_of(tallies);
  std::vector<Split> splits;
  std::uint64_t blocks = 0, dense = 0;
  for (std::uint32_t t = last_threshold; t >= 1; --t) {
    if (t < last_threshold) {
      blocks += held[t] / t;
      dense += held[t];
    }
    splits.push_back(split_at(shape, t, blocks, dense, rests[t]));
  }
  return splits;
}

/// The split asked for, or the smallest; among equals, the one with the fewest blocks.
Result<Split> choose_split(const Shape& shape, const HeldEntries& held, const Tallies& tallies, AutoNumber threshold) {
  SPRESS_CHECK(check_range(HybridBmCsr<Owned>::name, "threshold", threshold, 1, last_threshold));
  const auto splits = all_splits(shape, held, tallies);
  if (threshold) return splits[last_threshold - *threshold];
  return *std::min_element(splits.begin(), splits.end(), [](const Split& s, const Split& other) {
    return s.size.index_bytes < other.size.index_bytes;
  });
}

Result<Split> split_of(const Csr<Viewed>& a, const BlockCounts& counts, AutoNumber threshold) {
  return choose_split({a.rows, a.nnz}, counts.held, tally_rows({0, a}, counts.of_entry), threshold);
}

/// The entries of `a` for which keep(k) holds, `nnz` of them; without entries, a matrix of no rows.
template <class Keep>
Csr<Owned> entries_where(const Csr<Viewed>& a, std::uint64_t nnz, Keep&& keep) {
  Csr<Owned> out;
  out.rows = nnz == 0 ? 0 : a.rows;
  out.cols = a.cols;
  out.nnz = nnz;
  out.row_ptr = make_positions(out.rows + 1, nnz);
  out.col_idx = HostArray<std::uint32_t>(nnz);
  out.values = empty_like(a.values, nnz);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    row_ptr[0] = 0;
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < out.rows; ++r) {
      Position n = 0;
      for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k) n += keep(k) ? 1u : 0u;
      row_ptr[r + 1] = n;
    }
    for (std::uint64_t r = 0; r < out.rows; ++r) row_ptr[r + 1] += row_ptr[r];
  });
  const auto move = [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < out.rows; ++r) {
      std::uint64_t next = out.row_ptr.position(r);
      for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k)
        if (keep(k)) to[next++] = from[k];
    }
  };
  move(out.col_idx.data(), a.col_idx.data());
  permute_codes(out.values, a.values, move);
  return out;
}

template <template <class> class F, class Keep>
Result<F<Owned>> encode_where(const Csr<Viewed>& a, std::uint64_t nnz, Keep&& keep) {
  if (nnz != 0 && nnz == a.nnz) return encode<F>(a, {});
  return encode<F>(view_of(entries_where(a, nnz, keep)), {});
}

/// Puts the codes of both parts one behind the other; `all`: the values that they came from.
void join_values(Format& out, const ValueStore<Viewed>& all) {
  auto &dense = out.bm.values, &scattered = out.csr.values;
  if (dense.count == 0 || scattered.count == 0) {
    out.values = std::move(dense.count == 0 ? scattered : dense);
  } else {
    out.values = empty_like(all, all.count);
    std::uint8_t* const to = out.values.codes.memory.data();
    parallel_copy(to, dense.codes.raw(), dense.codes.bytes());
    parallel_copy(to + dense.codes.bytes(), scattered.codes.raw(), scattered.codes.bytes());
  }
  dense = {};
  scattered = {};
}

/// The rows of two matrices without common entries, merged. An empty one may have no rows.
Csr<Owned> merge(std::uint64_t rows, const Csr<Viewed>& a, const Csr<Viewed>& b) {
  Csr<Owned> out;
  out.rows = rows;
  out.cols = a.cols;
  out.nnz = a.nnz + b.nnz;
  const auto at = [](const Csr<Viewed>& m, std::uint64_t r) { return m.rows == 0 ? 0 : m.row_ptr.position(r); };
  out.row_ptr = make_positions(rows + 1, out.nnz);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    for (std::uint64_t r = 0; r <= rows; ++r) row_ptr[r] = static_cast<Position>(at(a, r) + at(b, r));
  });
  out.col_idx = HostArray<std::uint32_t>(out.nnz);
  out.values = empty_like(a.values, out.nnz);
  const auto move = [&](auto* to, const auto* from_a, const auto* from_b) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < rows; ++r) {
      std::uint64_t i = at(a, r), j = at(b, r);
      const std::uint64_t end_a = at(a, r + 1), end_b = at(b, r + 1);
      for (std::uint64_t k = i + j; k < end_a + end_b; ++k) {
        const bool take_a = j == end_b || (i < end_a && a.col_idx[i] < b.col_idx[j]);
        to[k] = take_a ? from_a[i++] : from_b[j++];
      }
    }
  };
  move(out.col_idx.data(), a.col_idx.data(), b.col_idx.data());
  permute_codes(out.values, a.values, [&]<class Code>(Code* to, const Code* from) {
    move(to, from, static_cast<const Code*>(b.values.codes.raw()));
  });
  return out;
}

}  // namespace

template <>
Result<Format> encode<HybridBmCsr>(const Csr<Viewed>& a, const Format::Params& params) {
  const BlockCounts counts = count_blocks(a);
  SPRESS_TRY(const Split split, split_of(a, counts, params.threshold));
  Format out;
  copy_shape(out, a);
  out.threshold = split.threshold;
  const auto* count = counts.of_entry.data();
  SPRESS_TRY(out.bm,
             encode_where<BmSparseCsr>(a, split.dense, [&](std::uint64_t k) { return count[k] >= split.threshold; }));
  SPRESS_TRY(out.csr,
             encode_where<OptCsr>(a, a.nnz - split.dense, [&](std::uint64_t k) { return count[k] < split.threshold; }));
  join_values(out, a.values);
  return out;
}

template <>
Csr<Owned> decode<HybridBmCsr>(const HybridBmCsr<Viewed>& f) {
  const Csr<Owned> dense = decode<BmSparseCsr>(dense_part(f)), scattered = decode<OptCsr>(scattered_part(f));
  return merge(f.rows, view_of(dense), view_of(scattered));
}

template <>
Result<SizeEstimate> estimate<HybridBmCsr>(const Csr<Viewed>& a, const Format::Params& params) {
  SPRESS_TRY(const Split split, split_of(a, count_blocks(a), params.threshold));
  return split.size;
}

template <>
std::unique_ptr<SizeStream> size_stream<HybridBmCsr>(const Format::Params& params) {
  struct State {
    HeldEntries held = {};
    Tallies tallies;
  };
  return make_size_stream(
      State{},
      [](State& state, const RowPanel& panel) {
        const BlockCounts counts = count_blocks(panel.csr);
        std::transform(state.held.begin(), state.held.end(), counts.held.begin(), state.held.begin(), std::plus<>());
        append(state.tallies, tally_rows(panel, counts.of_entry));
      },
      [params](const State& state, const WholeMatrix& whole) -> Result<SizeEstimate> {
        SPRESS_TRY(const Split split,
                   choose_split({whole.rows, whole.nnz}, state.held, state.tallies, params.threshold));
        return split.size;
      });
}

}  // namespace spress
