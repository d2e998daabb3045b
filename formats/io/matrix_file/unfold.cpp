#include "formats/io/matrix_file/unfold.hpp"

#include <algorithm>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/entries/symmetric_values.hpp"
#include "formats/io/matrix_file/positions_of.hpp"

namespace spress::io {
namespace {

/// A thread makes a range of rows. Their entries above the diagonal stand in later rows of the lower triangle, of each
/// of which it looks for those whose columns are in the range.
class Unfolding {
 public:
  Unfolding(const LowerTriangle& lower, Fold fold, int threads)
      : lower_(lower), fold_(fold), starts_(lower.rows + 1), begins_(static_cast<std::size_t>(threads) + 1) {
    std::uint64_t entries = 0;
    for (std::uint64_t r = 0; r < lower.rows; ++r) {
      starts_[r] = entries;
      entries += lower.lengths[r];
    }
    starts_[lower.rows] = entries;
    const auto parts = static_cast<std::uint64_t>(threads);
    for (std::uint64_t t = 0; t <= parts; ++t) begins_[t] = row_block_begin(starts_.data(), lower.rows, t, parts);
  }

  /// The number of entries of each row of the whole matrix.
  [[nodiscard]] HostArray<std::uint64_t> lengths() const {
    HostArray<std::uint64_t> lengths(lower_.rows);
    run_on_threads(threads(), [&](int t) {
      const auto [first, last] = rows_of(t);
      for (std::uint64_t r = first; r < last; ++r) lengths[r] = lower_.lengths[r];
      for_each_above(first, last, [&](std::uint64_t, std::uint64_t, std::uint32_t row) { ++lengths[row]; });
    });
    return lengths;
  }

  template <class V>
  void fill(std::uint32_t* col_idx, V* values, HostArray<std::uint64_t>& next) const {
    const auto* below = reinterpret_cast<const V*>(lower_.values.data());
    const auto* above = reinterpret_cast<const V*>(lower_.mirrored.data());
    constexpr bool bare = std::is_same_v<V, NoValue>;
    run_on_threads(threads(), [&](int t) {
      const auto [first, last] = rows_of(t);
      for (std::uint64_t r = first; r < last; ++r) {
        std::copy(lower_.columns.data() + starts_[r], lower_.columns.data() + starts_[r + 1], col_idx + next[r]);
        if constexpr (!bare) std::copy(below + starts_[r], below + starts_[r + 1], values + next[r]);
        next[r] += lower_.lengths[r];
      }
      for_each_above(first, last, [&](std::uint64_t row, std::uint64_t k, std::uint32_t column) {
        const std::uint64_t at = next[column]++;
        col_idx[at] = static_cast<std::uint32_t>(row);
        if constexpr (!bare) values[at] = fold_ == Fold::pattern ? above[k] : mirror_of(below[k], fold_);
      });
    });
  }

 private:
  [[nodiscard]] int threads() const { return static_cast<int>(begins_.size()) - 1; }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> rows_of(int t) const {
    return {begins_[static_cast<std::size_t>(t)], begins_[static_cast<std::size_t>(t) + 1]};
  }
  /// Calls use(r, k, c) for each entry k = (r, c) below the diagonal with first <= c < last, rows ascending.
  template <class Use>
  void for_each_above(std::uint64_t first, std::uint64_t last, Use use) const {
    const std::uint32_t* columns = lower_.columns.data();
    for (std::uint64_t r = first; r < lower_.rows; ++r) {
      const std::uint64_t end = starts_[r + 1], below = std::min(r, last);
      std::uint64_t k = starts_[r];
      if (k == end || columns[k] >= below) continue;
      if (columns[k] < first)
        k = static_cast<std::uint64_t>(std::lower_bound(columns + k, columns + end, static_cast<std::uint32_t>(first)) -
                                       columns);
      for (; k < end && columns[k] < below; ++k) use(r, k, columns[k]);
    }
  }

  const LowerTriangle& lower_;
  Fold fold_;
  HostArray<std::uint64_t> starts_;
  std::vector<std::uint64_t> begins_;
};

}  // namespace

Error other_entries() { return layout::damaged("the triangle makes another number of entries than the matrix has"); }

Result<Csr<Owned>> unfold(const LowerTriangle& lower, Fold fold, ValueType type, std::uint64_t nnz, int threads) {
  const Unfolding unfolding(lower, fold, threads_worth(threads, lower.columns.size()));
  HostArray<std::uint64_t> next = unfolding.lengths();  // then the place of each row's next entry
  std::uint64_t entries = 0;
  for (const std::uint64_t length : next) entries += length;
  if (entries != nnz) return other_entries();
  Csr<Owned> a;
  a.rows = a.cols = lower.rows;
  a.nnz = nnz;
  a.row_ptr = positions_of(next, nnz);
  for (std::uint64_t r = 0; r < lower.rows; ++r) next[r] = a.row_ptr.position(r);
  a.col_idx = HostArray<std::uint32_t>(nnz);
  a.values = type == ValueType::none ? pattern_store(nnz) : uninitialised_raw_store(type, nnz);
  with_value_type(type, [&]<class V>(V) {
    unfolding.fill(a.col_idx.data(), reinterpret_cast<V*>(a.values.codes.memory.data()), next);
  });
  return a;
}

}  // namespace spress::io
