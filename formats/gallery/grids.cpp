// Finite differences on grids: x runs fastest, then y, then z.
#include <algorithm>
#include <cmath>

#include "formats/gallery/generators.hpp"

namespace spress::gallery {
namespace {

/// A grid of points; nz = 1 in two dimensions.
struct Grid {
  std::uint64_t nx = 1, ny = 1, nz = 1;

  struct Point {
    std::uint64_t x, y, z;
  };
  [[nodiscard]] std::uint64_t size() const { return nx * ny * nz; }
  [[nodiscard]] Point point(std::uint64_t id) const { return {id % nx, id / nx % ny, id / nx / ny}; }
};

/// How many of i-1, i, i+1 lie in 0 .. n-1.
std::uint64_t neighbours(std::uint64_t i, std::uint64_t n) { return 1u + (i > 0 ? 1u : 0u) + (i + 1 < n ? 1u : 0u); }

/// A point and its neighbours along the axes, with values constant over the grid.
class StarRows final : public Rows {
 public:
  StarRows(const Grid& grid, double centre)
      : Rows(grid.size(), grid.size(), Natural::real), grid_(grid), centre_(centre) {
    symmetric();
  }
  std::uint64_t length(std::uint64_t row) const override {
    const auto [x, y, z] = grid_.point(row);
    return neighbours(x, grid_.nx) + neighbours(y, grid_.ny) + neighbours(z, grid_.nz) - 2;
  }
  void fill(std::uint64_t row, RowWriter& out) const override {
    const auto [x, y, z] = grid_.point(row);
    const std::uint64_t plane = grid_.nx * grid_.ny;
    if (z > 0) out.add(row - plane, -1.0);
    if (y > 0) out.add(row - grid_.nx, -1.0);
    if (x > 0) out.add(row - 1, -1.0);
    out.add(row, centre_);
    if (x + 1 < grid_.nx) out.add(row + 1, -1.0);
    if (y + 1 < grid_.ny) out.add(row + grid_.nx, -1.0);
    if (z + 1 < grid_.nz) out.add(row + plane, -1.0);
  }

 private:
  Grid grid_;
  double centre_;
};

/// A point and all its neighbours, across edges and corners too.
class BoxRows final : public Rows {
 public:
  explicit BoxRows(const Grid& grid) : Rows(grid.size(), grid.size(), Natural::real), grid_(grid) { symmetric(); }
  std::uint64_t length(std::uint64_t row) const override {
    const auto [x, y, z] = grid_.point(row);
    return neighbours(x, grid_.nx) * neighbours(y, grid_.ny) * neighbours(z, grid_.nz);
  }
  void fill(std::uint64_t row, RowWriter& out) const override {
    const auto [x, y, z] = grid_.point(row);
    for (std::uint64_t k = z - (z > 0); k <= z + (z + 1 < grid_.nz); ++k)
      for (std::uint64_t j = y - (y > 0); j <= y + (y + 1 < grid_.ny); ++j)
        for (std::uint64_t i = x - (x > 0); i <= x + (x + 1 < grid_.nx); ++i) {
          const std::uint64_t col = (k * grid_.ny + j) * grid_.nx + i;
          out.add(col, col == row ? 26.0 : -1.0);
        }
  }

 private:
  Grid grid_;
};

/// n, or nx, ny and nz where they are given.
struct Sides3 {
  std::uint64_t n = 10, nx = 0, ny = 0, nz = 0;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "points per side");
    visit.option("nx", nx, "points along x; 0: n");
    visit.option("ny", ny, "points along y; 0: n");
    visit.option("nz", nz, "points along z; 0: n");
  }
  [[nodiscard]] Result<Grid> grid(std::string_view name) const {
    const Grid g{nx != 0 ? nx : n, ny != 0 ? ny : n, nz != 0 ? nz : n};
    SPRESS_CHECK(checked_side(name, {{"nx", g.nx}, {"ny", g.ny}, {"nz", g.nz}}));
    return g;
  }
};

struct Stencil7 : Sides3 {
  static constexpr std::string_view name = "stencil7";
  static constexpr std::string_view summary = "7-point finite differences for -laplace in 3D: 6, -1";
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_TRY(const auto g, grid(name));
    return make_rows<StarRows>(g, 6.0);
  }
};

struct Stencil27 : Sides3 {
  static constexpr std::string_view name = "stencil27";
  static constexpr std::string_view summary = "27-point stencil in 3D: 26, -1";
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_TRY(const auto g, grid(name));
    return make_rows<BoxRows>(g);
  }
};

struct Poisson2d {
  static constexpr std::string_view name = "poisson2d";
  static constexpr std::string_view summary = "5-point finite differences for -laplace in 2D: 4, -1";
  std::uint64_t n = 32, nx = 0, ny = 0;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "points per side");
    visit.option("nx", nx, "points along x; 0: n");
    visit.option("ny", ny, "points along y; 0: n");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    const Grid g{nx != 0 ? nx : n, ny != 0 ? ny : n, 1};
    SPRESS_CHECK(checked_side(name, {{"nx", g.nx}, {"ny", g.ny}}));
    return make_rows<StarRows>(g, 4.0);
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(stencil7, Stencil7)
SPRESS_GALLERY_DEFINE(stencil27, Stencil27)
SPRESS_GALLERY_DEFINE(poisson2d, Poisson2d)

}  // namespace spress::gallery
