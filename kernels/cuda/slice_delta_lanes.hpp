// Slice-delta seen by one lane, on the host and on the device: which entries of an item are its own, and where they
// stand in the matrix. Without CUDA's headers, so that tests follow it where there is no device.
#pragma once

#include <cstdint>

#include "formats/slice_delta.hpp"
#include "kernels/cuda/cutter.hpp"

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

namespace slice_lanes {

SPRESS_HD inline std::uint32_t ones(std::uint32_t mask) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(__popc(mask));
#else
  return static_cast<std::uint32_t>(std::popcount(mask));
#endif
}

/// The `width` bits, 1 to 32, from bit `bit` of the words on.
SPRESS_HD inline std::uint32_t bits_at(const std::uint32_t* words, std::uint32_t bit, std::uint32_t width) {
  const std::uint32_t shift = bit % 32;
  std::uint64_t bits = words[bit / 32];
  if (shift + width > 32) bits |= std::uint64_t{words[bit / 32 + 1]} << 32;
  return static_cast<std::uint32_t>(bits >> shift & ((std::uint64_t{1} << width) - 1));
}

}  // namespace slice_lanes

/// The arrays of a slice-delta at one end of the way. Memory: where `f` lies; it may be the device's.
struct SliceLanes {
  std::uint64_t rows, slices, items, sigma;
  bool four_steps;  ///< lane_steps is 4
  const std::uint32_t *first_word, *words, *residuals, *long_row;
  const std::uint16_t* row_perm;  ///< null for the identity
  PlainPositions value_start, residual_start;

  /// host: the same matrix, of which it needs only what is no array.
  SliceLanes(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& f)
      : rows(host.rows),
        slices(slices_of(host)),
        items(items_of(host)),
        sigma(host.sigma),
        four_steps(host.lane_steps == 4),
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

/// Four steps of a description, or what is left of them.
struct LaneTurn {
  std::uint32_t count, word[4], base[4], mask[4];
  bool full;  ///< four steps without masks

  [[nodiscard]] SPRESS_HD std::uint32_t width(std::uint32_t u) const { return slice_words::width(word[u]); }
};

/// Calls use(turn) for the turns of an item, whose first step's word is *words.
template <class Use>
SPRESS_HD void for_each_turn(const std::uint32_t* words, const Use& use) {
  const std::uint32_t head = words[-1], steps = slice_words::steps(head);
  const std::uint32_t* masks = words + slice_words::words_to_masks(head);
  for (std::uint32_t at = 0; at < steps; at += 4) {
    LaneTurn turn;
    turn.count = steps - at < 4 ? steps - at : 4;
    bool masked = false;
    for (std::uint32_t u = 0; u < 4; ++u) {
      const bool there = u < turn.count;
      turn.word[u] = there ? words[at + u] : 0;
      turn.base[u] = slice_words::base(turn.word[u]);
      if (slice_words::is_wide(head) && there) turn.base[u] = words[slice_words::words_to_bases(head) + at + u];
      turn.mask[u] = there ? ~0u : 0;
      masked = masked || slice_words::is_masked(turn.word[u]);
    }
    if (masked) {
      for (std::uint32_t u = 0; u < turn.count; ++u) turn.mask[u] = masks[u];
      masks += 4;
    }
    turn.full = turn.count == 4 && !masked;
    use(turn);
  }
}

/// How many entries lane `lane` has in slice i.
SPRESS_HD inline std::uint32_t length_of_lane(const SliceLanes& a, std::uint64_t i, std::uint32_t lane) {
  const std::uint32_t* words = a.words + a.first_word[i];
  if ((words[-1] & slice_words::any_mask) == 0) return slice_words::steps(words[-1]);
  std::uint32_t length = 0;
  for_each_turn(words, [&](const LaneTurn& turn) {
    for (std::uint32_t u = 0; u < 4; ++u) length += turn.mask[u] >> lane & 1;
  });
  return length;
}

/// Calls use(position in the CSR, column, position in the values) for the entries of lane `lane` in item i, in order.
/// row_ptr: the CSR's, where row_ptr[r] can be read. Requires: the descriptions, and what the item has of residuals.
template <class RowPtr, class Use>
SPRESS_HD void for_each_entry_of_lane(const SliceLanes& a, std::uint64_t i, std::uint32_t lane, const RowPtr& row_ptr,
                                      const Use& use) {
  const bool piece = i >= a.slices;
  const std::uint64_t stored = i * slice_rows + lane, p = i - a.slices;
  const std::uint64_t row = piece ? a.long_row[p] : stored < a.rows ? a.row(stored) : 0;
  std::uint64_t position = row_ptr[row] + (piece ? a.entries(a.first_piece(p, false), p) : 0);
  std::uint64_t value = a.value_start[i];
  std::uint32_t column = static_cast<std::uint32_t>(row) + (piece ? lane : 0);
  const std::uint32_t* residuals = a.residuals + a.residual_start[i];
  const bool four_steps = a.four_steps;
  for_each_turn(a.words + a.first_word[i], [&](const LaneTurn& turn) {
    std::uint32_t bits = 0, before = 0, seen = 0;  // seen: bits of this lane, or words of all, in steps before
    for (std::uint32_t u = 0; u < 4; ++u) bits += turn.width(u);
    for (std::uint32_t u = 0; u < 4; ++u) {
      const std::uint32_t rank = slice_lanes::ones(turn.mask[u] & ((1u << lane) - 1)), width = turn.width(u);
      const std::uint32_t entries = slice_lanes::ones(turn.mask[u]);
      column += turn.base[u];
      if ((turn.mask[u] >> lane & 1) != 0) {
        std::uint32_t own = column;
        if (width != 0)
          own += slice_lanes::bits_at(residuals, turn.full ? lane * bits + seen : 32 * seen + rank * width, width);
        if (!piece) column = own;
        use(piece ? position + rank : position, own, value + (turn.full && four_steps ? 4 * lane + u : before + rank));
        if (!piece) ++position;
      }
      if (piece) position += entries;
      before += entries;
      seen += turn.full ? width : slice_words::residual_words(entries, width);
    }
    residuals += turn.full ? bits : seen;  // a word for each bit of 32 lanes
    value += before;
  });
}

/// Cuts a slice-delta between its items. What tells of rows and steps goes in front: a row begins where those before it
/// end, wherever they stand. Requires: values of a width, which lie in the order of the items.
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
