// The beginnings of the column segments of an amb.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/amb/amb.hpp"
#include "formats/csr/csr.hpp"

namespace spress::amb {

using Format = Amb<Owned>;
using Params = Format::Params;
inline constexpr std::uint32_t lanes = Format::lanes, largest_block = Format::largest_block;

/// The number of parts of `size` that cover `whole`.
[[nodiscard]] constexpr std::uint64_t parts_of(std::uint64_t whole, std::uint64_t size) {
  return (whole + size - 1) / size;
}

/// Segments that cover the columns of a matrix.
class Segments {
 public:
  /// Segments of `width` columns, the last one narrower. Requires: width > 0.
  [[nodiscard]] static Segments of_columns(std::uint64_t cols, std::uint32_t width) { return {cols, width, {}}; }
  /// At most as many segments of about equally many entries, each at least a largest block wide. Goes by a sample of
  /// the entries.
  [[nodiscard]] static Segments of_entries(const Csr<Viewed>& a, std::uint32_t width);

  [[nodiscard]] std::uint64_t count() const { return begins_.empty() ? parts_of(cols_, width_) : begins_.size() - 1; }
  /// The segment of a column.
  [[nodiscard]] std::uint32_t of(std::uint32_t col) const {
    if (begins_.empty()) return col / width_;
    return static_cast<std::uint32_t>(std::upper_bound(begins_.begin(), begins_.end(), col) - begins_.begin() - 1);
  }
  /// The first column of segment s, or, if s is count(), the number of columns.
  [[nodiscard]] std::uint64_t begin(std::uint64_t s) const {
    return begins_.empty() ? std::min(cols_, s * width_) : begins_[s];
  }
  /// The width that was asked for.
  [[nodiscard]] std::uint32_t width() const { return width_; }
  /// The columns that each segment has at least; 1 without segments.
  [[nodiscard]] std::uint64_t narrowest() const;

 private:
  Segments(std::uint64_t cols, std::uint32_t width, std::vector<std::uint64_t> begins)
      : cols_(cols), width_(width), begins_(std::move(begins)) {}

  std::uint64_t cols_;
  std::uint32_t width_;
  std::vector<std::uint64_t> begins_;  // count() + 1, or none where segments are equally wide
};

/// The base that the parameters ask for: segments of equally many entries may be too wide for 16 bits.
[[nodiscard]] constexpr ColumnBase base_of(const Params& params) {
  return params.equal == EqualSegments::entries ? ColumnBase::none : params.base;
}

/// The segments that the parameters ask for, at one width.
[[nodiscard]] Segments segments_of(const Csr<Viewed>& a, const Params& params, std::uint32_t width);

}  // namespace spress::amb
