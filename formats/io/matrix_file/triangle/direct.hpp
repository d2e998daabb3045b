// The upper triangle put to its places at once. Private to formats/io.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/io/entries/row_parts.hpp"
#include "formats/io/matrix_file/triangle/whole.hpp"

namespace spress::io {

/// Puts each entry above the diagonal to its place as it is met below: quick where rows that follow one another have
/// entries in about the same columns. Each thread has a part of the lower triangle, and counts for itself what the part
/// adds to each row of the whole matrix, from the least one on.
class DirectUnfolding {
 public:
  DirectUnfolding(const LowerRows& rows, int threads) : rows_(rows) {
    for (const RowPart& part : row_parts(rows.begins(), rows.size(), rows.columns(), threads))
      parts_.emplace_back().rows = part;
  }

  /// Counts the entries of the whole matrix.
  [[nodiscard]] std::uint64_t count() {
    for_each_part([&](Part& part) { count_part(part); });
    std::uint64_t entries = 2 * rows_.entries();
    for (const Part& part : parts_) entries -= part.on_diagonal;
    return entries;
  }

  /// Writes the row pointers of the whole matrix. Requires: count was called.
  template <class P>
  void place(P* row_ptr) {
    for_each_part([&](Part& part) {
      part.end = rows_.begin(part.rows.last) - rows_.begin(part.rows.first);
      for (Part* adding : parts_adding_to(part))
        for (std::uint64_t r = std::max(part.rows.first, adding->rows.least); r < part.rows.last; ++r)
          part.end += adding->next[r - adding->rows.least];
    });
    for (std::size_t t = 1; t < parts_.size(); ++t) parts_[t].end += parts_[t - 1].end;
    for_each_part([&](Part& part) {
      const auto adding = parts_adding_to(part);
      std::uint64_t at = &part == parts_.data() ? 0 : (&part)[-1].end;
      for (std::uint64_t r = part.rows.first; r < part.rows.last; ++r) {
        row_ptr[r] = static_cast<P>(at);
        at += rows_.length(r);
        for (Part* other : adding)
          if (r >= other->rows.least) at += std::exchange(other->next[r - other->rows.least], at);
      }
    });
    row_ptr[rows_.size()] = static_cast<P>(parts_.back().end);
  }

  /// Puts all entries. row_ptr: as `place` has written it.
  template <class P, class V>
  void fill(const P* row_ptr, const Whole<V>& out) {
    const std::uint64_t free = parts_.size() == 1 ? row_ptr[rows_.size()] : 0;  // others may have put entries there
    for_each_part([&](Part& part) {
      for (std::uint64_t r = part.rows.first; r < part.rows.last;) {
        const std::uint64_t end = chunk_end(r, part.rows.last);
        for (std::uint64_t i = r; i < end; ++i) out.put_row(rows_, i, row_ptr[i], free);
        put_above(part, r, end, out);
        r = end;
      }
    });
  }

 private:
  struct Part {
    RowPart rows;
    HostArray<std::uint64_t> next;  // of each row from the least on: the entries added, then the place of the next one
    std::uint64_t on_diagonal = 0;  // of its entries
    std::uint64_t end = 0;          // of its rows in the whole matrix
  };
  static constexpr std::uint64_t chunk = 2048, step = 8, long_row = 8;

  template <class Use>
  void for_each_part(Use use) {
    run_on_threads(static_cast<int>(parts_.size()), [&](int t) { use(parts_[static_cast<std::size_t>(t)]); });
  }

  /// The parts that may have entries above the diagonal in rows of `part`: those of the first part come first.
  std::vector<Part*> parts_adding_to(Part& part) {
    std::vector<Part*> adding;
    for (Part* other = &part; other != parts_.data() + parts_.size(); ++other)
      if (other->rows.least < part.rows.last) adding.push_back(other);
    return adding;
  }

  void count_part(Part& part) const {
    if (part.rows.first == part.rows.last) return;
    part.next = HostArray<std::uint64_t>(part.rows.last - part.rows.least);
    std::fill_n(part.next.data(), part.next.size(), 0);
    std::uint64_t* const next = part.next.data();
    const std::uint32_t* columns = rows_.columns();
    for (std::uint64_t k = rows_.begin(part.rows.first), end = rows_.begin(part.rows.last); k < end; ++k)
      ++next[columns[k] - part.rows.least];
    for (std::uint64_t r = part.rows.first; r < part.rows.last; ++r) {
      const std::uint64_t on_diagonal = rows_.has_diagonal(r) ? 1 : 0;
      next[r - part.rows.least] -= on_diagonal;
      part.on_diagonal += on_diagonal;
    }
  }

  /// The end of some rows from `row` on: one, or several with at most `chunk` entries.
  [[nodiscard]] std::uint64_t chunk_end(std::uint64_t row, std::uint64_t last) const {
    std::uint64_t end = row + 1;
    while (end < last && rows_.begin(end + 1) - rows_.begin(row) <= chunk) ++end;
    return end;
  }

  /// Puts the entries that rows [first, last) make above the diagonal.
  template <class V>
  void put_above(Part& part, std::uint64_t first, std::uint64_t last, const Whole<V>& out) const {
    std::uint64_t* const next = part.next.data();
    const std::uint64_t least = part.rows.least;
    const std::uint32_t* columns = rows_.columns();
    const auto put = [&](std::uint64_t k, std::uint32_t row) {
      const std::uint32_t column = columns[k];
      if (column == row) return;
      const std::uint64_t at = next[column - least]++;
      out.col_idx[at] = row;
      if constexpr (has_values<V>) out.values[at] = rows_.mirrored<V>(k);
    };
    const std::uint64_t begin = rows_.begin(first), end = rows_.begin(last);
    if (end - begin >= long_row * (last - first)) {
      for (std::uint64_t r = first; r < last; ++r)
        for (std::uint64_t k = rows_.begin(r); k < rows_.begin(r + 1); ++k) put(k, static_cast<std::uint32_t>(r));
      return;
    }
    // The ends of short rows are hard to predict. So the row of each entry is written down first.
    std::array<std::uint32_t, chunk + step> row_of;
    std::uint32_t* to = row_of.data();
    for (std::uint64_t r = first; r < last; to += rows_.length(r++)) {
      std::uint64_t done = 0;
      do {
        std::fill_n(to + done, step, static_cast<std::uint32_t>(r));
        done += step;
      } while (done < rows_.length(r));
    }
    for (std::uint64_t k = begin; k < end; ++k) put(k, row_of[k - begin]);
  }

  const LowerRows& rows_;
  std::vector<Part> parts_;
};

}  // namespace spress::io
