#include "formats/amb/amb.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyze/models.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/stretches.hpp"
#include "formats/coo/chunks.hpp"
#include "formats/core/avx2.hpp"
#include "formats/core/each_index.hpp"

namespace spress {
namespace {

using Format = Amb<Owned>;
using Params = Format::Params;
constexpr std::uint32_t lanes = Format::lanes, largest_block = Format::largest_block;

std::uint64_t pieces(std::uint64_t whole, std::uint64_t size) { return (whole + size - 1) / size; }

// --- The matrix cut into windows and segments ------------------------------------------------------------------------

/// What one row holds in one segment: `count` entries from `begin` on.
struct Run {
  std::uint32_t row, count;  // row: in its window
  std::uint64_t begin;
};

/// What a window of `rows` rows holds in one segment, by ascending row.
struct Piece {
  std::uint64_t window, segment;
  std::uint64_t rows, first_col, width;
  std::span<const Run> runs;
};

/// Where the entries of a row that lie left of `limit` end. Requires: `begin` lies left of it.
std::uint64_t end_of_run(const std::uint32_t* cols, std::uint64_t begin, std::uint64_t last, std::uint64_t limit) {
  if (cols[last - 1] < limit) return last;
  return static_cast<std::uint64_t>(std::lower_bound(cols + begin, cols + last, limit) - cols);
}

/// Cuts one window after the other, and keeps its memory.
class WindowCutter {
 public:
  WindowCutter(const Csr<Viewed>& a, std::uint32_t segment, std::uint32_t sigma)
      : a_(a), segment_(segment), sigma_(sigma), next_(pieces(a.cols, segment), 0) {}

  /// Calls use(piece) for every segment in which window w has entries, in their order.
  template <class Position, class Use>
  void cut(const Position* row_ptr, std::uint64_t w, const Use& use) {
    const std::uint64_t first_row = w * sigma_, rows = std::min<std::uint64_t>(sigma_, a_.rows - first_row);
    collect(row_ptr + first_row, rows);
    sort_runs();
    std::uint64_t first = 0;
    for (const std::uint32_t segment : segments_) {
      const std::uint64_t behind = std::exchange(next_[segment], 0), first_col = std::uint64_t{segment} * segment_;
      const std::uint64_t width = std::min<std::uint64_t>(segment_, a_.cols - first_col);
      use(Piece{w, segment, rows, first_col, width, std::span(runs_).subspan(first, behind - first)});
      first = behind;
    }
  }

 private:
  /// Finds the runs row by row, and how many each segment has.
  template <class Position>
  void collect(const Position* row_ptr, std::uint64_t rows) {
    found_.clear();
    segments_.clear();
    for (std::uint32_t i = 0; i < rows; ++i)
      for (std::uint64_t k = row_ptr[i], last = row_ptr[i + 1], end; k < last; k = end) {
        const std::uint32_t segment = a_.col_idx[k] / segment_;
        end = end_of_run(a_.col_idx.data(), k, last, (segment + std::uint64_t{1}) * segment_);
        found_.push_back({segment, {i, static_cast<std::uint32_t>(end - k), k}});
        if (next_[segment]++ == 0) segments_.push_back(segment);
      }
  }
  /// A counting sort by segment: rows stay in their order. Leaves in next_ where each segment's runs end.
  void sort_runs() {
    std::sort(segments_.begin(), segments_.end());
    std::uint64_t at = 0;
    for (const std::uint32_t segment : segments_) at += std::exchange(next_[segment], at);
    runs_.resize(found_.size());
    for (const auto& [segment, run] : found_) runs_[next_[segment]++] = run;
  }

  const Csr<Viewed>& a_;
  std::uint32_t segment_, sigma_;
  std::vector<std::uint64_t> next_;      // by segment; 0 between windows
  std::vector<std::uint32_t> segments_;  // in which the window has entries
  std::vector<std::pair<std::uint32_t, Run>> found_;
  std::vector<Run> runs_;
};

template <class Position, class Use>
void cut_windows(const Csr<Viewed>& a, const Position* row_ptr, std::uint32_t segment, std::uint32_t sigma,
                 const Use& use) {
  const int threads = thread_count(0);
  std::vector<std::optional<WindowCutter>> cutters(static_cast<std::size_t>(threads));
  each_index(pieces(a.rows, sigma), threads, [&](std::uint64_t w, std::size_t t) {
    if (!cutters[t]) cutters[t].emplace(a, segment, sigma);
    cutters[t]->cut(row_ptr, w, use);
  });
}

/// Calls use(piece) for every window and every segment in which it has entries: windows in parallel, the segments of a
/// window in order.
template <class Use>
void for_each_piece(const Csr<Viewed>& a, std::uint32_t segment, std::uint32_t sigma, const Use& use) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) { cut_windows(a, row_ptr, segment, sigma, use); });
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

using Eight = std::int32_t __attribute__((vector_size(32)));
using Counts = std::array<std::int32_t, 16>;  // by block size less 1; more than needed fill the vectors

/// The number of blocks of n ascending columns for every block size. Blocks that the end of the segment pushes left
/// cover what they would cover anyway. All sizes at once without branches: it is what encoding costs most, and
/// compilers make branches of a loop over them.
[[gnu::always_inline]] inline Counts count_portably(const std::uint32_t* cols, std::uint64_t n,
                                                    std::uint64_t first_col) {
  constexpr Eight small = {1, 2, 3, 4, 5, 6, 7, 8}, large = small + 8;
  Eight small_count = {}, large_count = {}, small_next = {}, large_next = {};  // next: the first column not covered
  for (std::uint64_t k = 0; k < n; ++k) {
    const auto col = static_cast<std::int32_t>(cols[k] - first_col);
    const Eight small_begins = small_next <= col, large_begins = large_next <= col;  // -1 where it is so
    small_count -= small_begins;
    large_count -= large_begins;
    small_next = (small_begins & (small + col)) | (~small_begins & small_next);
    large_next = (large_begins & (large + col)) | (~large_begins & large_next);
  }
  Counts counts;
  std::memcpy(counts.data(), &small_count, sizeof small_count);
  std::memcpy(counts.data() + 8, &large_count, sizeof large_count);
  return counts;
}

#ifdef SPRESS_AVX2
SPRESS_AVX2 Counts count_by_avx2(const std::uint32_t* cols, std::uint64_t n, std::uint64_t first_col) {
  return count_portably(cols, n, first_col);
}
#endif

Counts count_all_blocks(const std::uint32_t* cols, std::uint64_t n, std::uint64_t first_col) {
#ifdef SPRESS_AVX2
  if (has_avx2()) return count_by_avx2(cols, n, first_col);
#endif
  return count_portably(cols, n, first_col);
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

/// Calls use(b, blocks) for b = first..last with the number of blocks of a run.
template <class Use>
void count_blocks_of_run(const Csr<Viewed>& a, const Piece& piece, const Run& run, std::uint32_t first,
                         std::uint32_t last, Use&& use) {
  const std::uint32_t* cols = a.col_idx.data() + run.begin;
  if (first == last) return use(first, count_blocks(cols, run.count, first));
  const Counts counts = count_all_blocks(cols, run.count, piece.first_col);
  for (std::uint32_t b = first; b <= last; ++b) use(b, static_cast<std::uint32_t>(counts[b - 1]));
}

/// The size of `rows` rows sorted and cut into chunks, of which histogram[n] have n blocks.
Size size_of_sorted(const std::uint32_t* histogram, std::uint64_t longest, std::uint64_t rows) {
  Size size;
  std::uint64_t before = 0;  // rows that are longer
  for (std::uint64_t length = longest; length > 0; --length) {
    if (histogram[length] == 0) continue;
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

/// Blocks of first..last columns.
struct BlockRange {
  std::uint32_t first, last;
  [[nodiscard]] std::uint64_t count() const { return last - first + 1; }
};

/// How many runs have so many blocks, for every block size of a range.
struct Histograms {
  std::uint64_t stride = 0;  // one more than the most blocks
  std::vector<std::uint32_t> counts;

  [[nodiscard]] const std::uint32_t* of(std::uint64_t k) const { return counts.data() + k * stride; }
  void begin(BlockRange blocks, std::uint64_t longest) {
    stride = longest + 1;
    counts.assign(blocks.count() * stride, 0);
  }
};

/// The most entries, and so blocks, that a run has.
std::uint64_t longest_of(const Piece& piece) {
  std::uint64_t longest = 0;
  for (const Run& run : piece.runs) longest = std::max<std::uint64_t>(longest, run.count);
  return longest;
}

/// Calls use(k, n, runs): so many more runs have n blocks, for the k-th size of the range.
template <class Use>
void count_runs(const Csr<Viewed>& a, const Piece& piece, BlockRange blocks, const Use& use) {
  std::uint32_t single = 0;  // runs of one entry: one block of whatever size
  for (const Run& run : piece.runs)
    if (run.count == 1)
      ++single;
    else
      count_blocks_of_run(a, piece, run, blocks.first, blocks.last,
                          [&](std::uint32_t b, std::uint32_t n) { use(b - blocks.first, n, 1u); });
  for (std::uint32_t k = 0; single != 0 && k < blocks.count(); ++k) use(k, 1u, single);
}

void fill_histograms(const Csr<Viewed>& a, const Piece& piece, BlockRange blocks, std::uint64_t longest,
                     Histograms& out) {
  out.begin(blocks, longest);
  count_runs(a, piece, blocks,
             [&](std::uint32_t k, std::uint32_t n, std::uint32_t runs) { out.counts[k * out.stride + n] += runs; });
}

using Sizes = std::array<Size, largest_block + 1>;  // by block size, from 1

Sizes sizes_by(const Histograms& histograms, std::uint64_t rows, BlockRange blocks) {
  Sizes sizes;
  for (std::uint32_t b = blocks.first; b <= blocks.last; ++b)
    sizes[b] = size_of_sorted(histograms.of(b - blocks.first), histograms.stride - 1, rows);
  return sizes;
}

Sizes sizes_of_piece(const Csr<Viewed>& a, const Piece& piece, BlockRange blocks) {
  thread_local Histograms histograms;
  fill_histograms(a, piece, blocks, longest_of(piece), histograms);
  return sizes_by(histograms, piece.rows, blocks);
}

void add_sizes(const Sizes& sizes, BlockRange blocks, Sizes& all) {
  for (std::uint32_t b = blocks.first; b <= blocks.last; ++b) all[b] += sizes[b];
}

/// What a part of a window holds in one segment: as histograms, or one by one where they would take more memory.
struct Share {
  struct Some {
    std::uint32_t k, blocks, runs;  // as count_runs says
  };
  std::uint64_t segment, stride;
  Histograms histograms;
  std::vector<Some> list;
};

Share share_of(const Csr<Viewed>& a, const Piece& piece, BlockRange blocks) {
  Share out{piece.segment, longest_of(piece) + 1, {}, {}};
  if (out.stride <= piece.runs.size())
    fill_histograms(a, piece, blocks, out.stride - 1, out.histograms);
  else
    count_runs(a, piece, blocks, [&](std::uint32_t k, std::uint32_t n, std::uint32_t runs) {
      out.list.push_back({k, n, runs});
    });
  return out;
}

void add_share(const Share& share, BlockRange blocks, Histograms& sum) {
  for (const auto& [k, n, runs] : share.list) sum.counts[k * sum.stride + n] += runs;
  if (share.histograms.counts.empty()) return;
  for (std::uint64_t k = 0; k < blocks.count(); ++k)
    for (std::uint64_t n = 0; n < share.stride; ++n) sum.counts[k * sum.stride + n] += share.histograms.of(k)[n];
}

/// The sizes of one window, from its parts. shares: in any order.
Sizes sizes_of_shares(std::vector<const Share*>& shares, std::uint64_t rows, BlockRange blocks) {
  std::sort(shares.begin(), shares.end(), [](const Share* x, const Share* y) { return x->segment < y->segment; });
  Sizes all;
  Histograms sum;
  for (std::size_t first = 0, last = 0; first < shares.size(); first = last) {
    std::uint64_t stride = 0;
    for (; last < shares.size() && shares[last]->segment == shares[first]->segment; ++last)
      stride = std::max(stride, shares[last]->stride);
    sum.begin(blocks, stride - 1);
    for (std::size_t k = first; k < last; ++k) add_share(*shares[k], blocks, sum);
    add_sizes(sizes_by(sum, rows, blocks), blocks, all);
  }
  return all;
}

/// As sizes_of, by parts of windows, for more threads than there are windows.
Sizes sizes_by_parts(const Csr<Viewed>& a, std::uint32_t segment, std::uint32_t sigma, BlockRange blocks) {
  constexpr std::uint32_t parts = Format::lanes;  // of which sigma is a multiple
  std::vector<std::vector<Share>> shares(pieces(a.rows, sigma / parts));
  for_each_piece(a, segment, sigma / parts,
                 [&](const Piece& piece) { shares[piece.window].push_back(share_of(a, piece, blocks)); });
  Sizes all;
  for (std::size_t first = 0; first < shares.size(); first += parts) {
    std::vector<const Share*> of_window;
    for (std::size_t k = first; k < std::min(shares.size(), first + parts); ++k)
      for (const Share& share : shares[k]) of_window.push_back(&share);
    const std::uint64_t first_row = first / parts * sigma;
    add_sizes(sizes_of_shares(of_window, std::min<std::uint64_t>(sigma, a.rows - first_row), blocks), blocks, all);
  }
  return all;
}

/// The sizes of the whole matrix.
Sizes sizes_of(const Csr<Viewed>& a, std::uint32_t segment, std::uint32_t sigma, BlockRange blocks) {
  const std::uint64_t count = pieces(a.rows, sigma), threads = static_cast<std::uint64_t>(thread_count(0));
  if (2 * count <= threads) return sizes_by_parts(a, segment, sigma, blocks);
  std::vector<Sizes> windows(count);
  for_each_piece(a, segment, sigma, [&](const Piece& piece) {
    add_sizes(sizes_of_piece(a, piece, blocks), blocks, windows[piece.window]);
  });
  Sizes all;
  for (const Sizes& sizes : windows) add_sizes(sizes, blocks, all);
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
    sizes_ = sizes_of(a, segments_.front(), sigma_, {first_, last_});
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
    if (is_new) found->second = sizes_of(a_, segment, sigma_, {block, block})[block];
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
    const Size size = sizes_of_piece(a, piece, {layout.block, layout.block})[layout.block];
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

/// The runs of a piece by falling number of blocks, ties in their order; `lengths`: those numbers.
std::vector<std::uint32_t> sorted_runs(const std::vector<std::uint32_t>& lengths) {
  const std::uint32_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::uint32_t> next(longest + 2, 0), order(lengths.size());
  for (const std::uint32_t n : lengths) ++next[longest - n + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (std::uint32_t i = 0; i < lengths.size(); ++i) order[next[longest - lengths[i]]++] = i;
  return order;
}

/// Lays the blocks of one run into its lane. `slot`: that of its first block. Code: NoBits where codes have no bytes.
template <class Code>
void fill_lane(Format& out, const Csr<Viewed>& a, const Piece& piece, const Run& run, std::uint64_t slot,
               std::uint32_t lane, Code* to, const Code* from) {
  const std::uint32_t b = out.block;
  std::uint64_t start = 0, covered = 0;
  slot -= lanes;
  for (std::uint64_t k = run.begin; k < run.begin + run.count; ++k) {
    const std::uint64_t col = a.col_idx[k] - piece.first_col;
    if (col >= covered) {
      start = std::min(col, piece.width - b);
      covered = start + b;
      slot += lanes;
      out.block_col[slot] = static_cast<std::uint16_t>(start);
    }
    const std::uint64_t value = (slot - lane) * b + lanes * (col - start) + lane;
    out.present[value / lanes] |= 1u << lane;
    if constexpr (!std::is_same_v<Code, NoBits>) to[value] = from[k];
  }
}

/// The lanes of a piece's last chunk for which it has no run go to the first rows without one.
void fill_empty_lanes(Format& out, const Piece& piece, std::uint64_t c, std::uint32_t lane) {
  auto run = piece.runs.begin();
  for (std::uint32_t row = 0; lane < lanes && row < piece.rows; ++row)
    if (run != piece.runs.end() && run->row == row)
      ++run;
    else
      out.perm[lanes * c + lane++] = static_cast<std::uint16_t>(row);
  std::fill(out.perm.data() + lanes * c + lane, out.perm.data() + lanes * (c + 1), Format::no_row);
}

/// Fills the chunks of one piece.
template <class Position, class Code>
void fill_piece(Format& out, const Csr<Viewed>& a, const Piece& piece, const Place& place, Position* chunk_start,
                Code* to, const Code* from) {
  std::vector<std::uint32_t> lengths(piece.runs.size());
  std::transform(piece.runs.begin(), piece.runs.end(), lengths.begin(),
                 [&](const Run& run) { return count_blocks(a.col_idx.data() + run.begin, run.count, out.block); });
  const auto order = sorted_runs(lengths);
  std::uint64_t c = place.first_chunk, slot = place.first_slot;
  for (std::uint64_t first = 0; first < order.size(); first += lanes, ++c) {
    const std::uint32_t steps = lengths[order[first]];
    const std::uint64_t slots = std::uint64_t{lanes} * steps;
    chunk_start[c] = static_cast<Position>(slot);
    out.chunk_length[c] = static_cast<std::uint32_t>(piece.segment << 16 | steps);
    out.window[c] = static_cast<std::uint16_t>(piece.window);
    std::fill_n(out.block_col.data() + slot, slots, Format::no_block);
    std::fill_n(out.present.data() + slot / lanes * out.block, steps * out.block, 0u);
    if constexpr (!std::is_same_v<Code, NoBits>) std::fill_n(to + slot * out.block, slots * out.block, Code{});
    const auto runs = static_cast<std::uint32_t>(std::min<std::uint64_t>(lanes, order.size() - first));
    for (std::uint32_t j = 0; j < runs; ++j) {
      const Run& run = piece.runs[order[first + j]];
      out.perm[lanes * c + j] = static_cast<std::uint16_t>(run.row);
      fill_lane(out, a, piece, run, slot + j, j, to, from);
    }
    if (runs < lanes) fill_empty_lanes(out, piece, c, runs);
    slot += slots;
  }
}

template <class Code>
void fill_chunks(Format& out, const Csr<Viewed>& a, const Layout& layout, Code* to, const Code* from) {
  const auto places = place_pieces(a, layout, out.sigma);
  fill_positions(out.chunk_start, [&]<class Position>(Position* chunk_start) {
    std::vector<std::size_t> next(places.size(), 0);  // by window: the place of its next piece
    for_each_piece(a, layout.segment, out.sigma, [&](const Piece& piece) {
      fill_piece(out, a, piece, places[piece.window][next[piece.window]++], chunk_start, to, from);
    });
    chunk_start[out.chunks] = static_cast<Position>(layout.size.slots);
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
  out.present = HostArray<std::uint32_t>(size.slots / lanes * out.block);
  out.values = empty_like(a.values, size.slots * out.block);
  if (code_width(a.values) == 0) fill_chunks<NoBits>(out, a, layout, nullptr, nullptr);
  permute_codes(out.values, a.values, [&](auto* to, const auto* from) { fill_chunks(out, a, layout, to, from); });
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
