// A lower triangle, and the whole matrix that is made of it. Private to formats/io.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "formats/core/threads.hpp"
#include "formats/io/entries/symmetric_values.hpp"
#include "formats/io/matrix_file/positions_of.hpp"
#include "formats/io/matrix_file/triangle/unfold.hpp"

namespace spress::io {

template <class V>
inline constexpr bool has_values = !std::is_same_v<V, NoValue>;

/// The rows of a lower triangle.
class LowerRows {
 public:
  LowerRows(const LowerTriangle& lower, Fold fold, int threads) : lower_(lower), fold_(fold), begins_(lower.rows + 1) {
    running_sums(lower.lengths, begins_.data(), threads);
  }

  [[nodiscard]] std::uint64_t size() const { return lower_.rows; }
  [[nodiscard]] std::uint64_t entries() const { return begins_[lower_.rows]; }
  [[nodiscard]] const std::uint32_t* columns() const { return lower_.columns.data(); }
  [[nodiscard]] std::uint64_t begin(std::uint64_t row) const { return begins_[row]; }
  [[nodiscard]] std::uint64_t length(std::uint64_t row) const { return lower_.lengths[row]; }
  /// Whether the row has an entry on the diagonal, which is its last one then.
  [[nodiscard]] bool has_diagonal(std::uint64_t row) const {
    return length(row) != 0 && columns()[begins_[row + 1] - 1] == row;
  }
  /// The place of the first entry of each row, and one behind the last entry of all.
  [[nodiscard]] const std::uint64_t* begins() const { return begins_.data(); }

  template <class V>
  [[nodiscard]] const V* values() const {
    return reinterpret_cast<const V*>(lower_.values.data());
  }
  /// The value above the diagonal that entry k, below it, makes.
  template <class V>
  [[nodiscard]] V mirrored(std::uint64_t k) const {
    if (fold_ == Fold::pattern) return reinterpret_cast<const V*>(lower_.mirrored.data())[k];
    return mirror_of(values<V>()[k], fold_);
  }

 private:
  const LowerTriangle& lower_;
  Fold fold_;
  HostArray<std::uint64_t> begins_;
};

/// The arrays of a whole matrix.
template <class V>
struct Whole {
  std::uint32_t* col_idx;
  V* values;

  /// Puts the entries of a row of the lower triangle, from place `at` on. free: a place up to which others may be
  /// overwritten, which makes short rows quick.
  void put_row(const LowerRows& rows, std::uint64_t row, std::uint64_t at, std::uint64_t free) const {
    const std::uint64_t begin = rows.begin(row), count = rows.length(row);
    const bool is_short = count <= short_row && at + short_row <= free && begin + short_row <= rows.entries();
    put(rows.columns() + begin, count, is_short, col_idx + at);
    if constexpr (has_values<V>) put(rows.template values<V>() + begin, count, is_short, values + at);
  }

 private:
  static constexpr std::uint64_t short_row = 8;
  template <class E>
  static void put(const E* from, std::uint64_t count, bool is_short, E* to) {
    if (is_short)
      std::copy_n(from, short_row, to);
    else
      std::copy_n(from, count, to);
  }
};

}  // namespace spress::io
