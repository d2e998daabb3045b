// The rows of a block before the one in work. Private to formats/io; see container_v2.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/io/matrix_file/pattern/pattern.hpp"

namespace spress::io {

/// The rows of a block as far as they are known. Rows are numbered within the block.
class KnownRows {
 public:
  KnownRows(const BlockShape& shape, const std::uint32_t* columns) : shape_(&shape), columns_(columns) {
    starts_.reserve(shape.rows + 1);
    starts_.push_back(0);
  }
  void add(std::uint64_t length) { starts_.push_back(starts_.back() + length); }

  [[nodiscard]] std::uint64_t count() const { return starts_.size() - 1; }
  [[nodiscard]] std::uint64_t entries() const { return starts_.back(); }
  [[nodiscard]] std::span<const std::uint32_t> row(std::uint64_t r) const {
    return {columns_ + starts_[r], starts_[r + 1] - starts_[r]};
  }
  /// The number, in the matrix, of the row in work.
  [[nodiscard]] std::uint64_t number() const { return shape_->first_row + count(); }

  /// The columns of the row whose number a column is; none if that row is not known.
  [[nodiscard]] std::span<const std::uint32_t> row_named(std::uint32_t column) const {
    const std::uint64_t r = column - shape_->first_row;
    return column >= shape_->first_row && r < count() ? row(r) : std::span<const std::uint32_t>();
  }

  /// The distance to the row, at most `window` before, that is most like the one in work; 0 if none is alike.
  [[nodiscard]] std::uint64_t likest(std::span<const std::uint32_t> row, std::uint64_t window) const {
    std::uint64_t best = 0;
    std::int64_t most = 0;
    const std::uint64_t reach = std::min(window, count());
    for (std::uint64_t back = 1; back <= reach; ++back) {
      const auto other = this->row(count() - back);
      std::int64_t both = 0;
      for (std::size_t i = 0, k = 0; i < row.size() && k < other.size();) {
        both += row[i] == other[k] ? 1 : 0;
        const bool on = row[i] <= other[k], other_on = other[k] <= row[i];
        i += on ? 1 : 0;
        k += other_on ? 1 : 0;
      }
      const std::int64_t worth = 6 * both - static_cast<std::int64_t>(other.size());
      if (worth <= most) continue;
      most = worth;
      best = back;
    }
    return best;
  }

 private:
  const BlockShape* shape_;
  const std::uint32_t* columns_;
  std::vector<std::uint64_t> starts_;
};

}  // namespace spress::io
