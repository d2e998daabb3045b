// Slice-delta seen by one lane, on the host and on the device: which entries of an item are its own, and where they
// stand in the matrix. Without CUDA's headers, so that tests follow it where there is no device.
#pragma once

#include <cstdint>

#include "formats/slice_delta/slice_delta.hpp"
#include "kernels/cuda/expand/cutter.hpp"

namespace spress::cuda {

/// Positions of either width, where they can be read.
struct PlainPositions {
  const void* data;
  bool wide;
  explicit PlainPositions(const Positions<Viewed>& positions)
      : data(positions.raw()), wide(positions.dtype() == DType::u64) {}
  SPRESS_HD std::uint64_t operator[](std::uint64_t i) const {
    return wide ? static_cast<const std::uint64_t*>(data)[i] : static_cast<const std::uint32_t*>(data)[i];
  }
};

/// The arrays of a slice-delta at one end of the way. Memory: where `f` lies; it may be the device's.
struct SliceLanes {
  std::uint64_t rows, slices, items, sigma, lane_steps;
  std::uint32_t block;
  const std::uint32_t *first_word, *words, *residuals, *long_row;
  const std::uint16_t* row_perm;  ///< null for the identity
  PlainPositions value_start, residual_start;

  /// host: the same matrix, of which it needs only what is no array.
  SliceLanes(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& f)
      : rows(host.rows),
        slices(slices_of(host)),
        items(items_of(host)),
        sigma(host.sigma),
        lane_steps(host.lane_steps),
        block(static_cast<std::uint32_t>(host.block)),
        first_word(f.first_word.data()),
        words(f.words.data()),
        residuals(f.residuals.data()),
        long_row(f.long_row.data()),
        row_perm(host.row_perm.empty() ? nullptr : f.row_perm.data()),
        value_start(f.value_start),
        residual_start(f.residual_start) {}

  SPRESS_HD std::uint64_t row(std::uint64_t stored) const {
    return row_perm == nullptr ? stored : stored - stored % sigma + row_perm[stored];
  }
  /// The first of the pieces that row long_row[p] is cut into, or behind them all that of the next row.
  SPRESS_HD std::uint64_t first_piece(std::uint64_t p, bool behind) const {
    std::uint64_t low = 0, high = items - slices;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (long_row[middle] < long_row[p] || (behind && long_row[middle] == long_row[p]))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  /// Entries of the pieces from p on up to, but for `end`.
  SPRESS_HD std::uint64_t entries(std::uint64_t p, std::uint64_t end) const {
    return value_start[slices + end] - value_start[slices + p];
  }
};

/// How many entries lane `lane` has in slice i.
SPRESS_HD inline std::uint32_t length_of_lane(const SliceLanes& a, std::uint64_t i, std::uint32_t lane) {
  const std::uint32_t* words = a.words + a.first_word[i];
  if ((words[-1] & slice_words::any_mask) == 0) return slice_words::steps(words[-1]);
  std::uint32_t length = 0;
  SliceReader reader(words, a.lane_steps);
  for (SliceTurn turn; reader.next(turn);) {
    SPRESS_UNROLL
    for (std::uint32_t u = 0; u < 4; ++u) length += turn.mask[u] >> lane & 1;
  }
  return length;
}

/// One entry, and where it belongs.
struct LaneEntry {
  std::uint64_t position;  ///< in the CSR
  std::uint32_t column;
  std::uint64_t value;  ///< in the value store
};

/// Calls use(LaneEntry) for the entries of lane `lane` in item i, in order. row_ptr: the CSR's, where row_ptr[r] can be
/// read. Requires: the descriptions, and what the item has of residuals.
template <class RowPtr, class Use>
SPRESS_HD void for_each_entry_of_lane(const SliceLanes& a, std::uint64_t i, std::uint32_t lane, const RowPtr& row_ptr,
                                      const Use& use) {
  const bool piece = i >= a.slices;
  const std::uint64_t stored = i * slice_rows + lane, p = i - a.slices;
  const std::uint64_t row = piece ? a.long_row[p] : stored < a.rows ? a.row(stored) : 0;
  std::uint64_t position = row_ptr[row] + (piece ? a.entries(a.first_piece(p, false), p) : 0);
  std::uint64_t value = a.value_start[i];
  std::uint32_t column = first_column(static_cast<std::uint32_t>(row), a.block) + (piece ? lane : 0);
  const std::uint32_t* residuals = a.residuals + a.residual_start[i];
  SliceReader reader(a.words + a.first_word[i], a.lane_steps);
  for (SliceTurn turn; reader.next(turn);) {
    std::uint32_t before = 0;
    SPRESS_UNROLL
    for (std::uint32_t u = 0; u < 4; ++u) {
      const std::uint32_t rank = turn.rank(u, lane);
      column += turn.base[u];
      if ((turn.mask[u] >> lane & 1) != 0) {
        std::uint32_t own = column;
        if (turn.width[u] != 0) own += residual_at(residuals, turn.residual_bit(u, lane, rank), turn.width[u]);
        if (!piece) column = own;
        use(LaneEntry{piece ? position + rank : position, own, value + turn.value(u, lane, before)});
        if (!piece) ++position;
      }
      if (piece) position += turn.entries(u);
      before += turn.entries(u);
    }
    residuals += turn.residual_words();
    value += before;
  }
}

/// Cuts a slice-delta between its items. What tells of rows and steps goes in front: a row begins where those before it
/// end, wherever they stand.
inline void cut_items(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& device, Cutter& cutter) {
  cutter.whole(host.first_word, device.first_word);
  cutter.whole(host.value_start, device.value_start);
  cutter.whole(host.residual_start, device.residual_start);
  cutter.whole(host.words, device.words);
  cutter.whole(host.long_row, device.long_row);
  cutter.whole(host.row_perm, device.row_perm);
  cutter.whole(host.values.table, device.values.table);
  cutter.part(host.residuals, device.residuals,
              [start = host.residual_start](std::uint64_t i) { return start.position(i); });
  cutter.part(host.values.codes, device.values.codes,
              [start = host.value_start](std::uint64_t i) { return start.position(i); });
}

}  // namespace spress::cuda
