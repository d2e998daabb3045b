// Finite differences on grids.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "formats/gallery/generators.hpp"
#include "formats/gallery/grid.hpp"

namespace spress::gallery {
namespace {

/// The row of a point in a scheme that couples it to its neighbours along the axes.
struct Star {
  double centre;
  std::array<double, 3> before, after;  ///< along x, y, z
};

/// A point and its neighbours along the axes. Scheme: Star operator()(Grid::Point).
template <class Scheme>
class StarRows final : public Rows {
 public:
  StarRows(const Grid& grid, Mirrored mirrored, const Scheme& scheme)
      : Rows(grid.size(), grid.size(), Natural::real, mirrored), grid_(grid), scheme_(scheme) {}
  [[nodiscard]] std::uint64_t length(std::uint64_t row) const override {
    const auto [x, y, z] = grid_.point(row);
    return neighbours(x, grid_.nx) + neighbours(y, grid_.ny) + neighbours(z, grid_.nz) - 2;
  }
  void fill(std::uint64_t row, RowWriter& out) const override {
    const auto point = grid_.point(row);
    const Star star = scheme_(point);
    const std::uint64_t plane = grid_.nx * grid_.ny;
    if (point.z > 0) out.add(row - plane, star.before[2]);
    if (point.y > 0) out.add(row - grid_.nx, star.before[1]);
    if (point.x > 0) out.add(row - 1, star.before[0]);
    out.add(row, star.centre);
    if (point.x + 1 < grid_.nx) out.add(row + 1, star.after[0]);
    if (point.y + 1 < grid_.ny) out.add(row + grid_.nx, star.after[1]);
    if (point.z + 1 < grid_.nz) out.add(row + plane, star.after[2]);
  }

 private:
  Grid grid_;
  Scheme scheme_;
};

/// -laplace: the same everywhere.
struct Laplace {
  double centre;
  Star operator()(const Grid::Point&) const { return {centre, {-1.0, -1.0, -1.0}, {-1.0, -1.0, -1.0}}; }
};

/// n, or nx, ny and nz where they are given.
struct Sides {
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
    if (g.nx == 0 || g.ny == 0 || g.nz == 0) return bad_parameter(name, "n=0: expected at least 1");
    SPRESS_CHECK(checked_side(name, {{"nx", g.nx}, {"ny", g.ny}, {"nz", g.nz}}));
    return g;
  }
};

struct Stencil7 : Sides {
  static constexpr std::string_view name = "stencil7";
  static constexpr std::string_view summary = "7-point finite differences for -laplace in 3D: 6, -1";
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_TRY(const auto g, grid(name));
    return make_rows<StarRows<Laplace>>(g, Mirrored::values, Laplace{6.0});
  }
};

struct Stencil27 : Sides {
  static constexpr std::string_view name = "stencil27";
  static constexpr std::string_view summary = "a point and its 26 neighbours in 3D: 26, -1";
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_TRY(const auto g, grid(name));
    std::vector<double> table(27, -1.0);
    table[13] = 26.0;
    return make_rows<BoxRows>(g, 1u, std::move(table));
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
    const Sides sides{n, nx, ny, 1};
    SPRESS_TRY(const auto g, sides.grid(name));
    return make_rows<StarRows<Laplace>>(g, Mirrored::values, Laplace{4.0});
  }
};

/// -diffusion * laplace u + b . grad u on [-1, 1]^2 or ^3 by upwind differences, times h^2, boundary points left out.
/// The wind turns in the plane, b = (2 y (1 - x^2), -2 x (1 - y^2)), and rises in the middle, b_z = (1 - x^2) (1 -
/// y^2).
struct Wind {
  double n, diffusion;
  bool three;

  Star operator()(const Grid::Point& point) const {
    const double h = 2.0 / (n + 1.0);
    const double x = static_cast<double>(point.x + 1) * h - 1.0, y = static_cast<double>(point.y + 1) * h - 1.0;
    const double round_x = 1.0 - x * x, round_y = 1.0 - y * y;
    const std::array<double, 3> b = {2.0 * y * round_x, -2.0 * x * round_y, round_x * round_y};
    Star star{0.0, {}, {}};
    for (std::size_t axis = 0; axis < (three ? 3u : 2u); ++axis) {
      star.before[axis] = -diffusion - h * (b[axis] > 0.0 ? b[axis] : 0.0);
      star.after[axis] = -diffusion - h * (b[axis] < 0.0 ? -b[axis] : 0.0);
      star.centre -= star.before[axis] + star.after[axis];
    }
    return star;
  }
};

struct ConvDiff {
  static constexpr std::string_view name = "convdiff";
  static constexpr std::string_view summary =
      "convection and diffusion in a turning wind, upwind differences; unsymmetric";
  std::uint64_t n = 32, dim = 2;
  double diffusion = 0.01;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "points per side");
    visit.option("dim", dim, "2 or 3 dimensions");
    visit.option("diffusion", diffusion, "against a wind of speed about 1");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    if (dim != 2 && dim != 3) return bad_parameter(name, "dim=" + std::to_string(dim) + ": expected 2 or 3");
    if (!std::isfinite(diffusion) || diffusion <= 0.0)
      return bad_parameter(name, "diffusion: expected a number above 0");
    const Sides sides{n, 0, 0, dim == 2 ? 1 : n};
    SPRESS_TRY(const auto g, sides.grid(name));
    return make_rows<StarRows<Wind>>(g, Mirrored::pattern, Wind{static_cast<double>(n), diffusion, dim == 3});
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(stencil7, Stencil7)
SPRESS_GALLERY_DEFINE(stencil27, Stencil27)
SPRESS_GALLERY_DEFINE(poisson2d, Poisson2d)
SPRESS_GALLERY_DEFINE(convdiff, ConvDiff)

}  // namespace spress::gallery
