#include "encode/slice_delta/slice_fill.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace spress {

void fill_starts(SliceDelta<Owned>& out, const DeltaLayout& layout) {
  const std::uint64_t items = layout.items.size();
  out.first_word = HostArray<std::uint32_t>(items);
  for (std::uint64_t i = 0; i < items; ++i) out.first_word[i] = layout.items[i].first_word;
  const auto fill = [&](Positions<Owned>& starts, auto count) {
    fill_positions(starts, [&]<class Position>(Position* start) {
      start[0] = 0;
      for (std::uint64_t i = 0; i < items; ++i) start[i + 1] = static_cast<Position>(start[i] + count(layout.items[i]));
    });
  };
  out.value_start = make_positions(items + 1, out.nnz);
  out.residual_start = make_positions(items + 1, layout.residual_words);
  fill(out.value_start, [](const DeltaItem& item) { return item.entries; });
  fill(out.residual_start, [](const DeltaItem& item) { return item.residual_words; });
}

namespace {

/// Writes `width` bits into words where they are 0.
void put_bits(std::uint32_t* words, std::uint32_t bit, std::uint32_t width, std::uint32_t bits) {
  if (width == 0) return;
  const std::uint64_t shifted = std::uint64_t{bits} << (bit % 32);
  words[bit / 32] |= static_cast<std::uint32_t>(shifted);
  if (bit % 32 + width > 32) words[bit / 32 + 1] |= static_cast<std::uint32_t>(shifted >> 32);
}

/// Runs over the steps of item i: calls take(turn, u, lane, rank) for each entry of a step by ascending lane, then
/// step(turn, u), and end(turn) after each turn.
template <class Take, class Step, class End>
void for_each_step_entry(const SliceDelta<Owned>& out, std::uint64_t i, Take&& take, Step&& step, End&& end) {
  SliceReader reader(out.words.data() + out.first_word[i], out.lane_steps);
  for (SliceTurn turn; reader.next(turn);) {
    for (std::uint32_t u = 0; u < turn.count; ++u) {
      std::uint32_t rank = 0;
      for (std::uint32_t left = turn.mask[u]; left != 0; left &= left - 1)
        take(turn, u, static_cast<std::uint32_t>(std::countr_zero(left)), rank++);
      step(turn, u);
    }
    end(turn);
  }
}

/// Writes the residuals of item i. Calls residual(base, lane) for each entry, step by step and by ascending lane, and
/// step(base) after each step.
template <class Residual, class Step>
void fill_residuals(SliceDelta<Owned>& out, std::uint64_t i, Residual&& residual, Step&& step) {
  std::uint32_t* words = out.residuals.data() + out.residual_start.position(i);
  std::fill(words, out.residuals.data() + out.residual_start.position(i + 1), 0u);
  for_each_step_entry(
      out, i,
      [&](const SliceTurn& turn, std::uint32_t u, std::uint32_t lane, std::uint32_t rank) {
        put_bits(words, turn.residual_bit(u, lane, rank), turn.width[u], residual(turn.base[u], lane));
      },
      [&](const SliceTurn& turn, std::uint32_t u) { step(turn.base[u]); },
      [&](const SliceTurn& turn) { words += turn.residual_words(); });
}

void fill_slice_residuals(SliceDelta<Owned>& out, std::uint64_t i, Lanes lanes) {
  fill_residuals(
      out, i,
      [&](std::uint32_t base, std::uint32_t lane) {
        const auto before = static_cast<std::uint32_t>(lanes.column[lane]) + base;
        const std::uint32_t residual = *lanes.next[lane]++ - before;
        lanes.column[lane] += residual;
        return residual;
      },
      [&](std::uint32_t base) {
        for (std::int64_t& column : lanes.column) column += base;
      });
}

void fill_piece_residuals(SliceDelta<Owned>& out, std::uint64_t i, std::uint32_t column, const std::uint32_t* columns) {
  fill_residuals(
      out, i, [&](std::uint32_t base, std::uint32_t lane) { return *columns++ - (column + base + lane); },
      [&](std::uint32_t base) { column += base; });
}

/// Calls use(position in values, position in the matrix) for the entries of item i.
template <class Position, class Use>
void for_each_move(const SliceDelta<Owned>& out, const DeltaPlan& plan, const Csr<Viewed>& a, const Position* row_ptr,
                   std::uint64_t i, Use&& use) {
  std::array<std::uint64_t, slice_rows> next = {};
  const bool piece = i >= plan.slices();
  if (!piece) plan.rows.for_each_row(i, a.rows, [&](std::uint32_t j, std::uint64_t row) { next[j] = row_ptr[row]; });
  std::uint64_t in_piece = piece ? plan.first_entry[i - plan.slices()] : 0, at = out.value_start.position(i);
  std::uint32_t before = 0;
  for_each_step_entry(
      out, i,
      [&](const SliceTurn& turn, std::uint32_t u, std::uint32_t lane, std::uint32_t) {
        use(at + turn.value(u, lane, before), piece ? in_piece++ : next[lane]++);
      },
      [&](const SliceTurn& turn, std::uint32_t u) { before += turn.entries(u); },
      [&](const SliceTurn&) { at += std::exchange(before, 0); });
}

}  // namespace

void fill_items(SliceDelta<Owned>& out, const DeltaPlan& plan, const Csr<Viewed>& a) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < plan.items(); ++i) {
      if (i < plan.slices()) {
        fill_slice_residuals(out, i, lanes_of(a, row_ptr, plan.rows, plan.layout.block, i));
      } else {
        const std::uint64_t p = i - plan.slices();
        fill_piece_residuals(out, i, first_column(out, plan.long_row[p]), a.col_idx.data() + plan.first_entry[p]);
      }
    }
    permute_codes(out.values, a.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
      for (std::uint64_t i = 0; i < plan.items(); ++i)
        for_each_move(out, plan, a, row_ptr, i,
                      [&](std::uint64_t slot, std::uint64_t entry) { to[slot] = from[entry]; });
    });
  });
}

}  // namespace spress
