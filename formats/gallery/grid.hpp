// Points of a box-shaped grid, numbered with x running fastest, then y, then z.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/gallery/build.hpp"
#include "formats/gallery/rows.hpp"

namespace spress::gallery {

/// nz = 1 in two dimensions.
struct Grid {
  std::uint64_t nx = 1, ny = 1, nz = 1;

  struct Point {
    std::uint64_t x, y, z;
  };
  [[nodiscard]] std::uint64_t size() const { return nx * ny * nz; }
  [[nodiscard]] Point point(std::uint64_t id) const { return {id % nx, id / nx % ny, id / nx / ny}; }
};

/// How many of i-1, i, i+1 lie in 0 .. n-1.
[[nodiscard]] constexpr std::uint64_t neighbours(std::uint64_t i, std::uint64_t n) {
  return 1u + (i > 0 ? 1u : 0u) + (i + 1 < n ? 1u : 0u);
}

/// A point and all its neighbours, across edges and corners too, with `unknowns` rows per point. The coupling of two
/// points depends on their offset alone: unknown p of a point to unknown q of the one at (dx, dy, dz) is
/// table[(((dz+1)*3 + dy+1)*3 + dx+1) * unknowns^2 + p * unknowns + q], and the table has to be symmetric in that
/// sense.
class BoxRows final : public Rows {
 public:
  BoxRows(const Grid& grid, std::uint64_t unknowns, std::vector<double> table)
      : Rows(grid.size() * unknowns, grid.size() * unknowns, Natural::real, Mirrored::values),
        grid_(grid),
        unknowns_(unknowns),
        table_(std::move(table)) {}
  [[nodiscard]] std::uint64_t length(std::uint64_t row) const override {
    const auto [x, y, z] = grid_.point(row / unknowns_);
    return neighbours(x, grid_.nx) * neighbours(y, grid_.ny) * neighbours(z, grid_.nz) * unknowns_;
  }
  void fill(std::uint64_t row, RowWriter& out) const override;

 private:
  Grid grid_;
  std::uint64_t unknowns_;
  std::vector<double> table_;
};

}  // namespace spress::gallery
