#include "encode/amb/chunk_fill.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "encode/amb/step_plan.hpp"
#include "formats/coo/chunks.hpp"

namespace spress::amb {
namespace {

/// The places in the arrays where the chunks of a piece begin.
struct Place {
  std::uint64_t segment, window;
  std::uint64_t first_chunk, first_slot;  // while place_pieces runs: how many the piece has
};

/// The places of all pieces, by window and in the order of its segments. Chunks are laid out segment by segment.
std::vector<std::vector<Place>> place_pieces(const Csr<Viewed>& a, const Segments& segments, const Format& out,
                                             bool stepped) {
  std::vector<std::vector<Place>> windows(parts_of(a.rows, out.sigma));
  for_each_piece(a, segments, out.sigma, [&](const WindowPiece& piece) {
    const LayoutSize size =
        stepped ? stepped_size(a, piece, out.block) : sizes_of_piece(a, piece, {out.block, out.block})[out.block];
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
template <class Code>
class PieceFill {
 public:
  PieceFill(Format& out, const Csr<Viewed>& a, const WindowPiece& piece, Code* to, const Code* from)
      : out_(out), a_(a), piece_(piece), to_(to), from_(from) {}

  template <class Position>
  void fill(const Place& place, bool stepped, Position* chunk_start) const {
    const SortedRuns runs(a_, piece_, out_.block);
    std::uint64_t c = place.first_chunk, slot = place.first_slot;
    for (std::size_t first = 0; first < runs.order.size(); first += lanes, ++c) {
      const auto order = std::span(runs.order).subspan(first, std::min<std::size_t>(lanes, runs.order.size() - first));
      const std::uint64_t steps = stepped ? fill_steps(order, slot) : fill_lanes(order, slot, runs.lengths[order[0]]);
      chunk_start[c] = static_cast<Position>(slot);
      out_.chunk_length[c] = static_cast<std::uint32_t>(piece_.segment << 16 | steps);
      out_.window[c] = static_cast<std::uint16_t>(piece_.window);
      for (std::uint32_t j = 0; j < order.size(); ++j)
        out_.perm[lanes * c + j] = static_cast<std::uint16_t>(piece_.runs[order[j]].row);
      if (order.size() < lanes) fill_empty_lanes(out_, piece_, c, static_cast<std::uint32_t>(order.size()));
      slot += lanes * steps;
    }
  }

 private:
  std::uint64_t fill_lanes(std::span<const std::uint32_t> order, std::uint64_t slot, std::uint64_t steps) const {
    clear(slot, steps);
    for (std::uint32_t j = 0; j < order.size(); ++j) {
      const SegmentRun& run = piece_.runs[order[j]];
      const std::uint64_t end = run.begin + run.count;
      std::uint64_t at = slot;
      for (std::uint64_t k = run.begin; k < end; at += lanes) {
        const RowBlock block = block_at(a_, piece_, k, end, out_.block);
        put(block, 0, at, j);
        k = block.last;
      }
    }
    return steps;
  }

  std::uint64_t fill_steps(std::span<const std::uint32_t> order, std::uint64_t slot) const {
    std::uint64_t begun = 0;
    return plan_steps(a_, piece_, order, out_.block,
                      [&](std::uint64_t step, std::uint64_t base, std::uint32_t lane, const RowBlock& block) {
                        const std::uint64_t at = slot + lanes * step;
                        if (step == begun) {
                          ++begun;
                          clear(at, 1);
                          out_.step_col[at / lanes] = static_cast<std::uint32_t>(base);
                        }
                        put(block, base, at, lane);
                      });
  }

  void clear(std::uint64_t slot, std::uint64_t steps) const {
    if (out_.wide_col.empty())
      std::fill_n(out_.block_col.data() + slot, lanes * steps, Format::no_block);
    else
      std::fill_n(out_.wide_col.data() + slot, lanes * steps, Format::no_wide_block);
    std::fill_n(out_.present.data() + slot / lanes * out_.block, steps * out_.block, 0u);
    if constexpr (!std::is_same_v<Code, NoBits>)
      std::fill_n(to_ + slot * out_.block, lanes * steps * out_.block, Code{});
  }

  /// slot: of the step's first lane. base: from the first column of the segment on.
  void put(const RowBlock& block, std::uint64_t base, std::uint64_t slot, std::uint32_t lane) const {
    const std::uint64_t first_col = piece_.first_col + block.start;
    if (out_.wide_col.empty())
      out_.block_col[slot + lane] = static_cast<std::uint16_t>(block.start - base);
    else
      out_.wide_col[slot + lane] = static_cast<std::uint32_t>(first_col);
    for (std::uint64_t k = block.first; k < block.last; ++k) {
      const std::uint64_t value = slot * out_.block + lanes * (a_.col_idx[k] - first_col) + lane;
      out_.present[value / lanes] |= 1u << lane;
      if constexpr (!std::is_same_v<Code, NoBits>) to_[value] = from_[k];
    }
  }

  Format& out_;
  const Csr<Viewed>& a_;
  const WindowPiece& piece_;
  Code* to_;
  const Code* from_;
};

template <class Code>
void fill_chunks(Format& out, const Csr<Viewed>& a, const Segments& segments, bool stepped, Code* to,
                 const Code* from) {
  const auto places = place_pieces(a, segments, out, stepped);
  fill_positions(out.chunk_start, [&]<class Position>(Position* chunk_start) {
    std::vector<std::size_t> next(places.size(), 0);  // by window: the place of its next piece
    for_each_piece(a, segments, out.sigma, [&](const WindowPiece& piece) {
      const Place& place = places[piece.window][next[piece.window]++];
      PieceFill<Code>(out, a, piece, to, from).fill(place, stepped, chunk_start);
    });
    chunk_start[out.chunks] = static_cast<Position>(out.slots());
  });
}

}  // namespace

void fill_all_chunks(Format& out, const Csr<Viewed>& a, const Segments& segments, bool stepped) {
  if (code_width(a.values) == 0) fill_chunks<NoBits>(out, a, segments, stepped, nullptr, nullptr);
  permute_codes(out.values, a.values,
                [&](auto* to, const auto* from) { fill_chunks(out, a, segments, stepped, to, from); });
}

}  // namespace spress::amb
