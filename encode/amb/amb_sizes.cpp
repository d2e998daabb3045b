#include "encode/amb/amb_sizes.hpp"

#include <algorithm>
#include <vector>

#include "encode/amb/block_counts.hpp"
#include "encode/amb/step_plan.hpp"

namespace spress::amb {
namespace {

/// Calls use(b, blocks) for b = first..last with the number of blocks of a run.
template <class Use>
void count_blocks_of_run(const Csr<Viewed>& a, const WindowPiece& piece, const SegmentRun& run, std::uint32_t first,
                         std::uint32_t last, Use&& use) {
  const std::uint32_t* cols = a.col_idx.data() + run.begin;
  if (first == last) return use(first, count_blocks(cols, run.count, first));
  const Counts counts = count_all_blocks(cols, run.count, piece.first_col);
  for (std::uint32_t b = first; b <= last; ++b) use(b, static_cast<std::uint32_t>(counts[b - 1]));
}

/// The size of `rows` rows, sorted and cut into chunks. histogram[n]: rows with n blocks, n up to `longest`.
LayoutSize size_of_sorted(const std::uint32_t* histogram, std::uint64_t longest, std::uint64_t rows) {
  LayoutSize size;
  std::uint64_t before = 0;  // rows that have more blocks
  for (std::uint64_t length = longest; length > 0; --length) {
    if (histogram[length] == 0) continue;
    const std::uint64_t behind = before + histogram[length];
    const std::uint64_t begun =
        parts_of(behind, lanes) - parts_of(before, lanes);  // chunks whose first row is this long
    if (begun > 0) size.add_chunks(begun, length);
    size.blocks += length * histogram[length];
    before = behind;
  }
  size.used_lanes = std::min(size.chunks * lanes, rows);
  return size;
}

/// For every block size of a range, the number of runs by their number of blocks.
struct Histograms {
  std::uint64_t stride = 0;  // one more than the most blocks
  std::vector<std::uint32_t> counts;

  [[nodiscard]] const std::uint32_t* of(std::uint64_t k) const { return counts.data() + k * stride; }
  void begin(BlockRange blocks, std::uint64_t longest) {
    stride = longest + 1;
    counts.assign(blocks.count() * stride, 0);
  }
};

/// The most entries of a run, which bounds its blocks.
std::uint64_t longest_of(const WindowPiece& piece) {
  std::uint64_t longest = 0;
  for (const SegmentRun& run : piece.runs) longest = std::max<std::uint64_t>(longest, run.count);
  return longest;
}

/// Calls use(k, n, runs) to add `runs` runs with n blocks of the k-th size of the range.
template <class Use>
void count_runs(const Csr<Viewed>& a, const WindowPiece& piece, BlockRange blocks, const Use& use) {
  std::uint32_t single = 0;  // runs of one entry have one block of any size
  for (const SegmentRun& run : piece.runs)
    if (run.count == 1)
      ++single;
    else
      count_blocks_of_run(a, piece, run, blocks.first, blocks.last,
                          [&](std::uint32_t b, std::uint32_t n) { use(b - blocks.first, n, 1u); });
  for (std::uint32_t k = 0; single != 0 && k < blocks.count(); ++k) use(k, 1u, single);
}

void fill_histograms(const Csr<Viewed>& a, const WindowPiece& piece, BlockRange blocks, std::uint64_t longest,
                     Histograms& out) {
  out.begin(blocks, longest);
  count_runs(a, piece, blocks,
             [&](std::uint32_t k, std::uint32_t n, std::uint32_t runs) { out.counts[k * out.stride + n] += runs; });
}

SizesByBlock sizes_by(const Histograms& histograms, std::uint64_t rows, BlockRange blocks) {
  SizesByBlock sizes;
  for (std::uint32_t b = blocks.first; b <= blocks.last; ++b)
    sizes[b] = size_of_sorted(histograms.of(b - blocks.first), histograms.stride - 1, rows);
  return sizes;
}

void add_sizes(const SizesByBlock& sizes, BlockRange blocks, SizesByBlock& all) {
  for (std::uint32_t b = blocks.first; b <= blocks.last; ++b) all[b] += sizes[b];
}

/// The runs of a part of a window in one segment: as histograms, or listed where histograms would take more memory.
struct Share {
  struct Some {
    std::uint32_t k, blocks, runs;  // the arguments of count_runs' use
  };
  std::uint64_t segment, stride;
  Histograms histograms;
  std::vector<Some> list;
};

Share share_of(const Csr<Viewed>& a, const WindowPiece& piece, BlockRange blocks) {
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

/// The sizes of one window from those of its parts, given in any order.
SizesByBlock sizes_of_shares(std::vector<const Share*>& shares, std::uint64_t rows, BlockRange blocks) {
  std::sort(shares.begin(), shares.end(), [](const Share* x, const Share* y) { return x->segment < y->segment; });
  SizesByBlock all;
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

/// As sizes_of, but by parts of windows: for fewer windows than threads.
SizesByBlock sizes_by_parts(const Csr<Viewed>& a, const Segments& segments, std::uint32_t sigma, BlockRange blocks) {
  constexpr std::uint32_t parts = Format::lanes;  // of which sigma is a multiple
  std::vector<std::vector<Share>> shares(parts_of(a.rows, sigma / parts));
  for_each_piece(a, segments, sigma / parts,
                 [&](const WindowPiece& piece) { shares[piece.window].push_back(share_of(a, piece, blocks)); });
  SizesByBlock all;
  for (std::size_t first = 0; first < shares.size(); first += parts) {
    std::vector<const Share*> of_window;
    for (std::size_t k = first; k < std::min(shares.size(), first + parts); ++k)
      for (const Share& share : shares[k]) of_window.push_back(&share);
    const std::uint64_t first_row = first / parts * sigma;
    add_sizes(sizes_of_shares(of_window, std::min<std::uint64_t>(sigma, a.rows - first_row), blocks), blocks, all);
  }
  return all;
}

}  // namespace

SizesByBlock sizes_of_piece(const Csr<Viewed>& a, const WindowPiece& piece, BlockRange blocks) {
  thread_local Histograms histograms;
  fill_histograms(a, piece, blocks, longest_of(piece), histograms);
  return sizes_by(histograms, piece.rows, blocks);
}

SizesByBlock sizes_of(const Csr<Viewed>& a, const Segments& segments, std::uint32_t sigma, BlockRange blocks) {
  const std::uint64_t count = parts_of(a.rows, sigma), threads = static_cast<std::uint64_t>(thread_count(0));
  if (2 * count <= threads) return sizes_by_parts(a, segments, sigma, blocks);
  std::vector<SizesByBlock> windows(count);
  for_each_piece(a, segments, sigma, [&](const WindowPiece& piece) {
    add_sizes(sizes_of_piece(a, piece, blocks), blocks, windows[piece.window]);
  });
  SizesByBlock all;
  for (const SizesByBlock& sizes : windows) add_sizes(sizes, blocks, all);
  return all;
}

LayoutSize stepped_size_of(const Csr<Viewed>& a, const Segments& segments, std::uint32_t sigma, std::uint32_t block) {
  std::vector<LayoutSize> windows(parts_of(a.rows, sigma));
  for_each_piece(a, segments, sigma,
                 [&](const WindowPiece& piece) { windows[piece.window] += stepped_size(a, piece, block); });
  LayoutSize all;
  for (const LayoutSize& size : windows) all += size;
  return all;
}

}  // namespace spress::amb
