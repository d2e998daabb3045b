#include "formats/amb.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "analyze/models.hpp"
#include "encode/codec.hpp"
#include "encode/common.hpp"
#include "encode/stretches.hpp"

namespace spress {
namespace {

using Format = Amb<Owned>;
using Params = Format::Params;
constexpr std::uint32_t lanes = Format::lanes, largest_block = Format::largest_block;

std::uint64_t pieces(std::uint64_t whole, std::uint64_t size) { return (whole + size - 1) / size; }

// --- The matrix cut into windows and segments ------------------------------------------------------------------------

/// What rows [first_row, first_row + begin.size()) hold in one segment: entries [begin[i], end[i]).
struct Piece {
  std::uint64_t window, segment;
  std::uint64_t first_row, first_col, width;
  std::vector<std::uint64_t> begin, end;
};

/// Moves a piece on to the next segment in which its rows have entries; false if there is none. The entries before
/// `end` have been seen.
template <class Position>
bool next_segment(const Csr<Viewed>& a, const Position* row_ptr, std::uint32_t segment, Piece& piece) {
  const std::uint64_t n = piece.begin.size();
  piece.begin = piece.end;
  std::uint64_t next = a.cols;
  for (std::uint64_t i = 0; i < n; ++i)
    if (piece.begin[i] < row_ptr[piece.first_row + i + 1])
      next = std::min<std::uint64_t>(next, a.col_idx[piece.begin[i]]);
  if (next == a.cols) return false;
  piece.segment = next / segment;
  piece.first_col = piece.segment * segment;
  piece.width = std::min<std::uint64_t>(segment, a.cols - piece.first_col);
  const std::uint64_t limit = piece.first_col + piece.width;
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t last = row_ptr[piece.first_row + i + 1];
    std::uint64_t k = piece.begin[i];
    if (limit == a.cols)
      k = last;
    else
      while (k < last && a.col_idx[k] < limit) ++k;
    piece.end[i] = k;
  }
  return true;
}

/// Calls use(piece) for every window and every segment in which it has entries: windows in parallel, the segments of a
/// window in order.
template <class Use>
void for_each_piece(const Csr<Viewed>& a, std::uint32_t segment, std::uint32_t sigma, Use&& use) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
#pragma omp parallel for schedule(dynamic)
    for (std::uint64_t w = 0; w < pieces(a.rows, sigma); ++w) {
      Piece piece = {w, 0, w * sigma, 0, 0, {}, {}};
      const std::uint64_t n = std::min<std::uint64_t>(sigma, a.rows - piece.first_row);
      piece.end.assign(row_ptr + piece.first_row, row_ptr + piece.first_row + n);
      piece.begin = piece.end;
      while (next_segment(a, row_ptr, segment, piece)) use(piece);
    }
  });
}

// --- Sizes -----------------------------------------------------------------------------------------------------------

struct Size {
  std::uint64_t slots = 0, chunks = 0, blocks = 0, used_lanes = 0;  // slots: of blocks
  Size& operator+=(const Size& other) {
    slots += other.slots;
    chunks += other.chunks;
    blocks += other.blocks;
    used_lanes += other.used_lanes;
    return *this;
  }
};

using Counts = std::array<std::int32_t, 12>;  // by block size less 1; two more than needed fill the vector registers

/// The number of blocks of n ascending columns for every block size. Blocks that the end of the segment pushes left
/// cover what they would cover anyway. A loop over all sizes without branches: it is what encoding costs most.
Counts count_all_blocks(const std::uint32_t* cols, std::uint64_t n, std::uint64_t first_col) {
  Counts count = {}, next = {};  // next: the first column not covered
  for (std::uint64_t k = 0; k < n; ++k) {
    const auto col = static_cast<std::int32_t>(cols[k] - first_col);
    for (std::int32_t b = 0; b < static_cast<std::int32_t>(count.size()); ++b) {
      const auto i = static_cast<std::size_t>(b);
      const bool begins = col >= next[i];
      count[i] += begins ? 1 : 0;
      next[i] = begins ? col + b + 1 : next[i];
    }
  }
  return count;
}

std::uint32_t count_blocks(const std::uint32_t* cols, std::uint64_t n, std::uint32_t block) {
  std::uint32_t count = 0;
  std::uint64_t next = 0;
  for (std::uint64_t k = 0; k < n; ++k)
    if (cols[k] >= next) {
      ++count;
      next = std::uint64_t{cols[k]} + block;
    }
  return count;
}

/// Calls use(b, blocks) for b = first..last with the number of blocks of row i of a piece.
template <class Use>
void count_blocks_of_row(const Csr<Viewed>& a, const Piece& piece, std::uint64_t i, std::uint32_t first,
                         std::uint32_t last, Use&& use) {
  const std::uint32_t* cols = a.col_idx.data() + piece.begin[i];
  const std::uint64_t n = piece.end[i] - piece.begin[i];
  if (first == last) return use(first, count_blocks(cols, n, first));
  const Counts counts = count_all_blocks(cols, n, piece.first_col);
  for (std::uint32_t b = first; b <= last; ++b) use(b, static_cast<std::uint32_t>(counts[b - 1]));
}

/// The size of `rows` rows sorted and cut into chunks, of which histogram[n] have n blocks.
Size size_of_sorted(const std::uint32_t* histogram, std::uint64_t longest, std::uint64_t rows) {
  Size size;
  std::uint64_t before = 0;  // rows that are longer
  for (std::uint64_t length = longest; length > 0; --length) {
    const std::uint64_t behind = before + histogram[length];
    const std::uint64_t begun = pieces(behind, lanes) - pieces(before, lanes);  // chunks whose first row is this long
    size.slots += begun * lanes * length;
    size.chunks += begun;
    size.blocks += length * histogram[length];
    before = behind;
  }
  size.used_lanes = std::min(size.chunks * lanes, rows);
  return size;
}

using Sizes = std::array<Size, largest_block + 1>;  // by block size, from 1

Sizes sizes_of_piece(const Csr<Viewed>& a, const Piece& piece, std::uint32_t first, std::uint32_t last,
                     std::vector<std::uint32_t>& histograms) {
  const std::uint64_t rows = piece.begin.size();
  std::uint64_t longest = 0;
  for (std::uint64_t i = 0; i < rows; ++i) longest = std::max(longest, piece.end[i] - piece.begin[i]);
  const std::uint64_t stride = longest + 1;
  histograms.assign((last - first + 1) * stride, 0);
  for (std::uint64_t i = 0; i < rows; ++i)
    count_blocks_of_row(a, piece, i, first, last,
                        [&](std::uint32_t b, std::uint32_t n) { ++histograms[(b - first) * stride + n]; });
  Sizes sizes;
  for (std::uint32_t b = first; b <= last; ++b)
    sizes[b] = size_of_sorted(histograms.data() + (b - first) * stride, longest, rows);
  return sizes;
}

/// The sizes of the whole matrix for blocks of first..last columns.
Sizes sizes_of(const Csr<Viewed>& a, std::uint32_t segment, std::uint32_t sigma, std::uint32_t first,
               std::uint32_t last) {
  std::vector<Sizes> windows(pieces(a.rows, sigma));
  for_each_piece(a, segment, sigma, [&](const Piece& piece) {
    thread_local std::vector<std::uint32_t> histograms;
    const Sizes sizes = sizes_of_piece(a, piece, first, last, histograms);
    for (std::uint32_t b = first; b <= last; ++b) windows[piece.window][b] += sizes[b];
  });
  Sizes all;
  for (const Sizes& sizes : windows)
    for (std::uint32_t b = first; b <= last; ++b) all[b] += sizes[b];
  return all;
}

// --- The choice of block and segment ---------------------------------------------------------------------------------

struct Layout {
  std::uint32_t block = 1, segment = 1;
  Size size;
  std::uint64_t traffic = 0;
};

Error usage(const std::string& what) { return {ErrorCode::usage, "amb: " + what, {}, 0}; }
Error not_applicable(const std::string& what) { return {ErrorCode::not_applicable, "amb: " + what, {}, 0}; }

Status check_params(const Csr<Viewed>& a, const Params& p) {
  if (p.block && (*p.block < 1 || *p.block > largest_block))
    return usage("block=" + std::to_string(*p.block) + ": expected auto or 1 to 10");
  if (p.segment && (*p.segment < 1 || *p.segment > Format::largest_segment))
    return usage("segment=" + std::to_string(*p.segment) + ": expected auto or 1 to 65535");
  if (p.sigma < lanes || p.sigma > Format::largest_sigma || p.sigma % lanes != 0)
    return usage("sigma=" + std::to_string(p.sigma) + ": expected a multiple of 32 up to 32768");
  if (pieces(a.rows, p.sigma) > 65536)
    return not_applicable("more than 65536 windows of " + std::to_string(p.sigma) + " rows");
  if (p.segment && pieces(a.cols, *p.segment) > 65536)
    return not_applicable("more than 65536 segments of " + std::to_string(*p.segment) + " columns");
  return Ok{};
}

/// The segment widths to try: as few as can be and all alike, as wide as can be, and half of that. Narrower ones only
/// add chunks to the model, which takes x as read once. A matrix of fewer columns is one segment.
std::vector<std::uint32_t> segments_to_try(std::uint64_t cols, AutoNumber given) {
  constexpr std::uint32_t widest = Format::largest_segment;
  if (given) return {*given};
  if (cols <= widest) return {static_cast<std::uint32_t>(std::max<std::uint64_t>(cols, 1))};
  return {static_cast<std::uint32_t>(pieces(cols, pieces(cols, widest))), widest, 32768};
}

/// The largest block that every segment has room for.
std::uint32_t widest_block(std::uint64_t cols, std::uint32_t segment) {
  if (cols == 0) return 1;
  const std::uint64_t last = (cols - 1) % segment + 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>({last, segment, largest_block}));
}

/// What the traffic model asks of a matrix held in blocks of b columns, a value taking `value_bytes`.
analyze::AmbShape shape_of(const Csr<Viewed>& a, std::uint64_t value_slots, std::uint64_t chunks, std::uint64_t b,
                           std::uint64_t value_bytes) {
  return {a.rows, a.cols, value_slots, chunks, lanes, b, value_bytes};
}

/// Bytes of a value in the traffic model. Those of a pattern matrix count as doubles, as its x and y do.
std::uint64_t value_bytes_of(const Csr<Viewed>& a) {
  return a.values.type == ValueType::none ? 8 : size_of(a.values.type);
}

/// Finds layouts of one matrix. Measuring a matrix is what costs, so every size is kept: the same search answers for
/// several widths of values.
class LayoutSearch {
 public:
  /// Errors: not_applicable, usage.
  static Result<LayoutSearch> begin(const Csr<Viewed>& a, const Params& params) {
    SPRESS_CHECK(check_params(a, params));
    LayoutSearch search(a, params);
    if (search.segments_.empty())
      return not_applicable("a segment is narrower than a block of " + std::to_string(*params.block) + " columns");
    return search;
  }

  /// The layout with the least traffic by the paper's model if a value takes `value_bytes`; among equals the smallest
  /// block, the first segment width. It does not depend on how the values are stored. Blocks are compared at the first
  /// width and the other widths with the best of them: the width hardly tells on the blocks, and each comparison of
  /// all blocks is a costly pass.
  Layout least_traffic(std::uint64_t value_bytes) {
    Layout best = layout(first_, value_bytes);
    for (std::uint32_t b = first_ + 1; b <= last_; ++b) keep_better(best, layout(b, value_bytes));
    const std::uint32_t block = best.block;
    for (std::size_t i = 1; i < segments_.size(); ++i) {
      const std::uint32_t segment = segments_[i];
      if (block > widest_block(a_.cols, segment)) continue;
      keep_better(best, priced({block, segment, size_at(segment, block)}, value_bytes));
    }
    return best;
  }

  /// The layout with blocks of b columns at the first segment width. Requires: has(b).
  Layout layout(std::uint32_t b, std::uint64_t value_bytes) const {
    return priced({b, segments_.front(), sizes_[b]}, value_bytes);
  }
  [[nodiscard]] bool has(std::uint32_t b) const { return first_ <= b && b <= last_; }

 private:
  LayoutSearch(const Csr<Viewed>& a, const Params& params)
      : a_(a), sigma_(params.sigma), first_(params.block.value_or(1)) {
    for (const std::uint32_t segment : segments_to_try(a.cols, params.segment))
      if (first_ <= widest_block(a.cols, segment)) segments_.push_back(segment);
    if (segments_.empty()) return;
    last_ = std::min(params.block.value_or(largest_block), widest_block(a.cols, segments_.front()));
    sizes_ = sizes_of(a, segments_.front(), sigma_, first_, last_);
  }

  Layout priced(Layout layout, std::uint64_t value_bytes) const {
    layout.traffic = analyze::amb_traffic_model(
        shape_of(a_, layout.size.slots * layout.block, layout.size.chunks, layout.block, value_bytes));
    return layout;
  }
  static void keep_better(Layout& best, const Layout& other) {
    if (other.traffic < best.traffic) best = other;
  }
  const Size& size_at(std::uint32_t segment, std::uint32_t block) {
    const auto [found, is_new] = other_sizes_.try_emplace({segment, block});
    if (is_new) found->second = sizes_of(a_, segment, sigma_, block, block)[block];
    return found->second;
  }

  const Csr<Viewed>& a_;
  std::uint32_t sigma_, first_, last_ = 0;  // blocks of first_ to last_ columns
  std::vector<std::uint32_t> segments_;
  Sizes sizes_;                                                          // by block, at the first segment width
  std::map<std::pair<std::uint32_t, std::uint32_t>, Size> other_sizes_;  // by segment width and block
};

Result<Layout> choose_layout(const Csr<Viewed>& a, const Params& params) {
  SPRESS_TRY(auto search, LayoutSearch::begin(a, params));
  const Layout best = search.least_traffic(value_bytes_of(a));
  SPRESS_CHECK(check_slots("amb", best.size.slots * best.block, a.nnz));
  return best;
}

/// What the layout with the least traffic looks like, and the traffic of the one without blocks to compare it with.
void add_details(LayoutSearch& search, std::uint64_t value_bytes, const std::string& prefix,
                 std::vector<SizeDetail>& details) {
  const Layout best = search.least_traffic(value_bytes);
  details.push_back({prefix + "block", best.block});
  details.push_back({prefix + "segment", best.segment});
  details.push_back({prefix + "chunks", best.size.chunks});
  details.push_back({prefix + "value_slots", best.size.slots * best.block});
  details.push_back({prefix + "traffic_bytes", best.traffic});
  if (search.has(1)) details.push_back({prefix + "traffic_bytes_block_1", search.layout(1, value_bytes).traffic});
}

// --- Filling the arrays ----------------------------------------------------------------------------------------------

/// Where the chunks of a piece begin.
struct Place {
  std::uint64_t segment, window;
  std::uint64_t first_chunk, first_slot;  // before `place_pieces`: how many of each
};

/// Places by window, in the order of its segments; chunks are laid out segment by segment.
std::vector<std::vector<Place>> place_pieces(const Csr<Viewed>& a, const Layout& layout, std::uint32_t sigma) {
  std::vector<std::vector<Place>> windows(pieces(a.rows, sigma));
  for_each_piece(a, layout.segment, sigma, [&](const Piece& piece) {
    thread_local std::vector<std::uint32_t> histograms;
    const Size size = sizes_of_piece(a, piece, layout.block, layout.block, histograms)[layout.block];
    windows[piece.window].push_back({piece.segment, piece.window, size.chunks, size.slots});
  });
  std::vector<Place*> order;
  for (auto& places : windows)
    for (Place& place : places) order.push_back(&place);
  std::stable_sort(order.begin(), order.end(),
                   [](const Place* one, const Place* other) { return one->segment < other->segment; });
  std::uint64_t chunks = 0, slots = 0;
  for (Place* place : order) {
    chunks += std::exchange(place->first_chunk, chunks);
    slots += std::exchange(place->first_slot, slots);
  }
  return windows;
}

/// The rows of a piece by falling number of blocks, ties in their order; `lengths`: those numbers.
std::vector<std::uint32_t> sorted_rows(const std::vector<std::uint32_t>& lengths) {
  const std::uint32_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::uint32_t> next(longest + 2, 0), order(lengths.size());
  for (const std::uint32_t n : lengths) ++next[longest - n + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (std::uint32_t i = 0; i < lengths.size(); ++i) order[next[longest - lengths[i]]++] = i;
  return order;
}

/// Lays the blocks of one row into its lane. `slot`: that of its first block; present and slot_of: as in fill_piece.
void fill_lane(Format& out, const Csr<Viewed>& a, const Piece& piece, std::uint64_t i, std::uint64_t slot,
               std::uint32_t lane, HostArray<std::uint64_t>& slot_of) {
  const std::uint32_t b = out.block;
  std::uint64_t start = 0, covered = 0;
  slot -= lanes;
  for (std::uint64_t k = piece.begin[i]; k < piece.end[i]; ++k) {
    const std::uint64_t col = a.col_idx[k] - piece.first_col;
    if (col >= covered) {
      start = std::min(col, piece.width - b);
      covered = start + b;
      slot += lanes;
      out.block_col[slot] = static_cast<std::uint16_t>(start);
    }
    const std::uint64_t value = (slot - lane) * b + lanes * (col - start) + lane;
    out.present[value / lanes] |= 1u << lane;
    slot_of[k] = value;
  }
}

/// Fills the chunks of one piece and notes the value slot of each of its entries.
template <class Position>
void fill_piece(Format& out, const Csr<Viewed>& a, const Piece& piece, const Place& place, Position* chunk_start,
                HostArray<std::uint64_t>& slot_of) {
  std::vector<std::uint32_t> lengths(piece.begin.size());
  for (std::uint64_t i = 0; i < lengths.size(); ++i)
    lengths[i] = count_blocks(a.col_idx.data() + piece.begin[i], piece.end[i] - piece.begin[i], out.block);
  const auto order = sorted_rows(lengths);
  std::uint64_t c = place.first_chunk, slot = place.first_slot;
  for (std::uint64_t first = 0; first < order.size() && lengths[order[first]] > 0; first += lanes, ++c) {
    const std::uint32_t steps = lengths[order[first]];
    chunk_start[c] = static_cast<Position>(slot);
    out.chunk_length[c] = static_cast<std::uint32_t>(piece.segment << 16 | steps);
    out.window[c] = static_cast<std::uint16_t>(piece.window);
    std::fill_n(out.block_col.data() + slot, std::uint64_t{lanes} * steps, Format::no_block);
    for (std::uint32_t j = 0; j < lanes; ++j) {
      const bool row = first + j < order.size();
      out.perm[lanes * c + j] = row ? static_cast<std::uint16_t>(order[first + j]) : Format::no_row;
      if (row) fill_lane(out, a, piece, order[first + j], slot + j, j, slot_of);
    }
    slot += std::uint64_t{lanes} * steps;
  }
}

void fill_chunks(Format& out, const Csr<Viewed>& a, const Layout& layout, HostArray<std::uint64_t>& slot_of) {
  const auto places = place_pieces(a, layout, out.sigma);
  fill_positions(out.chunk_start, [&]<class Position>(Position* chunk_start) {
    std::vector<std::size_t> next(places.size(), 0);  // by window: the place of its next piece
    for_each_piece(a, layout.segment, out.sigma, [&](const Piece& piece) {
      fill_piece(out, a, piece, places[piece.window][next[piece.window]++], chunk_start, slot_of);
    });
    chunk_start[out.chunks] = static_cast<Position>(layout.size.slots);
  });
}

void fill_values(Format& out, const Csr<Viewed>& a, const HostArray<std::uint64_t>& slot_of) {
  permute_codes(out.values, a.values, [&]<class Code>(Code* to, const Code* from) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < out.values.count; ++i) to[i] = Code{};
#pragma omp parallel for schedule(static)
    for (std::uint64_t k = 0; k < a.nnz; ++k) to[slot_of[k]] = from[k];
  });
}

/// Calls use(row, column, value slot) for every entry, rows in parallel, those of a row by ascending column.
template <class Use>
void for_each_entry(const Amb<Viewed>& f, Use&& use) {
  const auto lane = [&](std::uint64_t c, std::uint32_t j) {
    const std::uint64_t row = f.first_row(c) + f.perm[lanes * c + j];
    std::uint64_t slot = f.chunk_start.position(c) + j;
    for (std::uint32_t k = 0; k < f.steps(c) && f.block_col[slot] != Format::no_block; ++k, slot += lanes)
      for (std::uint32_t t = 0; t < f.block; ++t) {
        const std::uint64_t value = (slot - j) * f.block + lanes * t + j;
        if ((f.present_at(value, ~0u) >> j & 1) != 0)
          use(row, static_cast<std::uint32_t>(f.first_col(c) + f.block_col[slot] + t), value);
      }
  };
  for_each_segment(f, [&](std::uint64_t first, std::uint64_t last) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t c = first; c < last; ++c)
      for (std::uint32_t j = 0; j < lanes; ++j) lane(c, j);
  });
}

}  // namespace

template <>
Result<Format> encode<Amb>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_TRY(const Layout layout, choose_layout(a, params));
  const Size& size = layout.size;
  Format out;
  copy_shape(out, a);
  out.block = layout.block;
  out.segment = layout.segment;
  out.sigma = params.sigma;
  out.chunks = size.chunks;
  out.blocks = size.blocks;
  out.used_lanes = size.used_lanes;
  out.chunk_start = make_positions(size.chunks + 1, size.slots);
  out.chunk_length = HostArray<std::uint32_t>(size.chunks);
  out.window = HostArray<std::uint16_t>(size.chunks);
  out.perm = HostArray<std::uint16_t>(lanes * size.chunks);
  out.block_col = HostArray<std::uint16_t>(size.slots);
  out.present = HostArray<std::uint32_t>(size.slots / lanes * out.block, 0);
  out.values = empty_like(a.values, size.slots * out.block);
  HostArray<std::uint64_t> slot_of(a.nnz);
  fill_chunks(out, a, layout, slot_of);
  fill_values(out, a, slot_of);
  if (a.nnz == size.blocks * out.block) out.present = {};
  return out;
}

template <>
Csr<Owned> decode<Amb>(const Amb<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  out.row_ptr = row_ptr_of(f, [&](auto* lengths) {
    std::fill_n(lengths, f.rows, 0u);
    for_each_entry(f, [&](std::uint64_t row, std::uint32_t, std::uint64_t) { ++lengths[row]; });
  });
  std::vector<std::uint64_t> next(f.rows);
  for (std::uint64_t r = 0; r < f.rows; ++r) next[r] = out.row_ptr.position(r);
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  HostArray<std::uint64_t> slot_of(f.nnz);
  for_each_entry(f, [&](std::uint64_t row, std::uint32_t col, std::uint64_t value) {
    out.col_idx[next[row]] = col;
    slot_of[next[row]++] = value;
  });
  out.values = empty_like(f.values, f.nnz);
  permute_codes(out.values, f.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t k = 0; k < f.nnz; ++k) to[k] = from[slot_of[k]];
  });
  return out;
}

template <>
Result<SizeEstimate> estimate<Amb>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_TRY(auto search, LayoutSearch::begin(a, params));
  const std::uint64_t value_bytes = value_bytes_of(a);
  const Layout layout = search.least_traffic(value_bytes);
  SPRESS_CHECK(check_slots("amb", layout.size.slots * layout.block, a.nnz));
  const auto& [slots, chunks, blocks, used_lanes] = layout.size;
  const std::uint64_t value_slots = slots * layout.block;
  const std::uint64_t present = a.nnz == blocks * layout.block ? 0 : value_slots / 8;
  const std::uint64_t bytes = position_bytes(chunks + 1, slots) + chunks * (4 + 2 + 2 * lanes) + 2 * slots + present;
  const std::uint64_t model = analyze::amb_model(shape_of(a, value_slots, chunks, layout.block, value_bytes));
  SizeEstimate size = {bytes, model, value_slots};
  add_details(search, value_bytes, "", size.details);
  if (value_bytes > 4) add_details(search, value_bytes / 2, "single_", size.details);
  return size;
}

}  // namespace spress
