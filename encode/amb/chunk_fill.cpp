#include "encode/amb/chunk_fill.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "encode/amb/block_counts.hpp"
#include "formats/coo/chunks.hpp"

namespace spress::amb {
namespace {

/// The places in the arrays where the chunks of a piece begin.
struct Place {
  std::uint64_t segment, window;
  std::uint64_t first_chunk, first_slot;  // while place_pieces runs: how many the piece has
};

/// The places of all pieces, by window and in the order of its segments. Chunks are laid out segment by segment.
std::vector<std::vector<Place>> place_pieces(const Csr<Viewed>& a, const BlockLayout& layout, std::uint32_t sigma) {
  std::vector<std::vector<Place>> windows(parts_of(a.rows, sigma));
  for_each_piece(a, layout.segment, sigma, [&](const WindowPiece& piece) {
    const LayoutSize size = sizes_of_piece(a, piece, {layout.block, layout.block})[layout.block];
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

/// The runs of a piece by falling number of blocks, ties in the order of their rows. lengths: the numbers of blocks.
std::vector<std::uint32_t> sorted_runs(const std::vector<std::uint32_t>& lengths) {
  const std::uint32_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::uint32_t> next(longest + 2, 0), order(lengths.size());
  for (const std::uint32_t n : lengths) ++next[longest - n + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  for (std::uint32_t i = 0; i < lengths.size(); ++i) order[next[longest - lengths[i]]++] = i;
  return order;
}

/// Writes the blocks of one run into its lane. slot: of its first block. Code: NoBits where codes have no bytes.
template <class Code>
void fill_lane(Format& out, const Csr<Viewed>& a, const WindowPiece& piece, const SegmentRun& run, std::uint64_t slot,
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

/// Gives lanes without a run, in the last chunk of a piece, to the first rows that have none.
void fill_empty_lanes(Format& out, const WindowPiece& piece, std::uint64_t c, std::uint32_t lane) {
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
void fill_piece(Format& out, const Csr<Viewed>& a, const WindowPiece& piece, const Place& place, Position* chunk_start,
                Code* to, const Code* from) {
  std::vector<std::uint32_t> lengths(piece.runs.size());
  std::transform(piece.runs.begin(), piece.runs.end(), lengths.begin(), [&](const SegmentRun& run) {
    return count_blocks(a.col_idx.data() + run.begin, run.count, out.block);
  });
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
      const SegmentRun& run = piece.runs[order[first + j]];
      out.perm[lanes * c + j] = static_cast<std::uint16_t>(run.row);
      fill_lane(out, a, piece, run, slot + j, j, to, from);
    }
    if (runs < lanes) fill_empty_lanes(out, piece, c, runs);
    slot += slots;
  }
}

template <class Code>
void fill_chunks(Format& out, const Csr<Viewed>& a, const BlockLayout& layout, Code* to, const Code* from) {
  const auto places = place_pieces(a, layout, out.sigma);
  fill_positions(out.chunk_start, [&]<class Position>(Position* chunk_start) {
    std::vector<std::size_t> next(places.size(), 0);  // by window: the place of its next piece
    for_each_piece(a, layout.segment, out.sigma, [&](const WindowPiece& piece) {
      fill_piece(out, a, piece, places[piece.window][next[piece.window]++], chunk_start, to, from);
    });
    chunk_start[out.chunks] = static_cast<Position>(layout.size.slots);
  });
}

}  // namespace

void fill_all_chunks(Format& out, const Csr<Viewed>& a, const BlockLayout& layout) {
  if (code_width(a.values) == 0) fill_chunks<NoBits>(out, a, layout, nullptr, nullptr);
  permute_codes(out.values, a.values, [&](auto* to, const auto* from) { fill_chunks(out, a, layout, to, from); });
}

}  // namespace spress::amb
