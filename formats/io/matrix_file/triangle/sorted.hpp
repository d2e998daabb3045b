// The upper triangle sorted by range of rows before it is put to its places. Private to formats/io.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/io/matrix_file/triangle/whole.hpp"

namespace spress::io {

/// Sorts the entries above the diagonal by range of rows first, and each range, which fits a cache, by row then: for
/// matrices whose rows have entries anywhere. Threads read parts of the lower triangle. The entries that a part has for
/// a range are put to the range's own place in the result, behind room for those below the diagonal.
class SortedUnfolding {
 public:
  /// range: entries of a range, about. Requires: there are rows.
  SortedUnfolding(const LowerRows& rows, int threads, std::uint64_t range = 16384)
      : rows_(rows), threads_(threads), parts_(static_cast<std::uint64_t>(threads)), lengths_(rows.size()) {
    constexpr std::uint64_t most_ranges = 2048;
    const std::uint64_t wanted = std::clamp<std::uint64_t>(2 * rows.entries() / range, 1, most_ranges);
    shift_ = static_cast<unsigned>(std::bit_width((rows.size() - 1) / wanted));
    ranges_ = ((rows.size() - 1) >> shift_) + 1;
    counts_.resize(parts_ * ranges_);
    for_each_part([&](std::uint64_t t, std::uint64_t first, std::uint64_t last) {
      std::uint64_t* const counts = counts_.data() + t * ranges_;
      for_each_below(first, last,
                     [&](std::uint64_t, std::uint64_t, std::uint32_t column) { ++counts[column >> shift_]; });
    });
    above_.resize(ranges_ + 1);
    for (std::uint64_t b = 0; b < ranges_; ++b) {
      above_[b + 1] = above_[b];
      for (std::uint64_t t = 0; t < parts_; ++t)
        above_[b + 1] += std::exchange(counts_[t * ranges_ + b], above_[b + 1]);
    }
  }

  /// The entries of the whole matrix.
  [[nodiscard]] std::uint64_t entries() const { return rows_.entries() + above_[ranges_]; }
  /// The number of entries of each of its rows, once it is filled.
  [[nodiscard]] const HostArray<std::uint64_t>& lengths() const { return lengths_; }

  template <class V>
  void fill(const Whole<V>& out) {
    HostArray<std::uint32_t> columns(above_[ranges_]);
    for_each_part([&](std::uint64_t t, std::uint64_t first, std::uint64_t last) {
      struct Next {
        std::uint64_t above, below;  // entries before the next one: above the diagonal, and the others
      };
      std::vector<Next> next(ranges_);
      for (std::uint64_t b = 0; b < ranges_; ++b) next[b] = {counts_[t * ranges_ + b], rows_.begin(range_begin(b + 1))};
      for_each_below(first, last, [&](std::uint64_t row, std::uint64_t k, std::uint32_t column) {
        Next& n = next[column >> shift_];
        const std::uint64_t at = n.above + n.below;
        columns[n.above++] = column;
        out.col_idx[at] = static_cast<std::uint32_t>(row);
        if constexpr (has_values<V>) out.values[at] = rows_.mirrored<V>(k);
      });
    });
    std::vector<Room<V>> rooms(parts_);
    parallel_for_dynamic(ranges_, threads_,
                         [&](std::uint64_t b, std::size_t t) { sort_range(b, columns.data(), out, rooms[t]); });
  }

 private:
  template <class V>
  struct Room {
    std::vector<std::uint64_t> next;
    std::vector<std::uint32_t> rows;
    std::vector<V> values;
  };

  [[nodiscard]] std::uint64_t range_begin(std::uint64_t b) const { return std::min(b << shift_, rows_.size()); }

  template <class Use>
  void for_each_part(Use use) const {
    run_on_threads(threads_, [&](int thread) {
      const auto t = static_cast<std::uint64_t>(thread);
      use(t, row_block_begin(rows_.begins(), rows_.size(), t, parts_),
          row_block_begin(rows_.begins(), rows_.size(), t + 1, parts_));
    });
  }
  /// Calls use(row, k, column) for each entry k of rows [first, last) below the diagonal.
  template <class Use>
  void for_each_below(std::uint64_t first, std::uint64_t last, Use use) const {
    for (std::uint64_t r = first; r < last; ++r) {
      const std::uint64_t end = rows_.begin(r + 1) - (rows_.has_diagonal(r) ? 1 : 0);
      for (std::uint64_t k = rows_.begin(r); k < end; ++k) use(r, k, rows_.columns()[k]);
    }
  }

  /// Puts the entries of range b to their places. columns: of those above the diagonal, as fill has put them.
  template <class V>
  void sort_range(std::uint64_t b, const std::uint32_t* columns, const Whole<V>& out, Room<V>& room) {
    const std::uint64_t first = range_begin(b), last = range_begin(b + 1);
    const std::uint64_t from = above_[b], count = above_[b + 1] - from, place = from + rows_.begin(last);
    room.rows.assign(out.col_idx + place, out.col_idx + place + count);
    if constexpr (has_values<V>) room.values.assign(out.values + place, out.values + place + count);
    room.next.assign(last - first, 0);
    std::uint64_t* const next = room.next.data();
    for (std::uint64_t i = 0; i < count; ++i) ++next[columns[from + i] - first];
    std::uint64_t at = from + rows_.begin(first);
    for (std::uint64_t r = first; r < last; ++r) {
      out.put_row(rows_, r, at, from + count + rows_.begin(last));
      const std::uint64_t below = rows_.length(r), above = std::exchange(next[r - first], at + below);
      lengths_[r] = below + above;
      at += below + above;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t to = next[columns[from + i] - first]++;
      out.col_idx[to] = room.rows[i];
      if constexpr (has_values<V>) out.values[to] = room.values[i];
    }
  }

  const LowerRows& rows_;
  int threads_;
  std::uint64_t parts_, ranges_ = 0;
  unsigned shift_ = 0;                 // a range has 2^shift rows
  std::vector<std::uint64_t> counts_;  // of each part and range: entries above the diagonal in ranges and parts before
  std::vector<std::uint64_t> above_;   // of each range: those in ranges before
  HostArray<std::uint64_t> lengths_;
};

}  // namespace spress::io
