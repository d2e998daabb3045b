// Trilinear finite elements on the unit cube, cut into equal cubes of side h = 1 / (n + 1), n inner points per side;
// the points of the boundary, where the solution is fixed, are eliminated. The integrals over an element are products
// of integrals over its sides, all rational, so the two elements between neighbours add up exactly:
//   mass      of N_a  N_b  at distance -1, 0, 1: h/6 (1, 4, 1)
//   stiffness of N_a' N_b'                     : 1/h (-1, 2, -1)
//   mixed     of N_a' N_b                      : 1/2 (1, 0, -1)
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "formats/gallery/generators.hpp"
#include "formats/gallery/grid.hpp"

namespace spress::gallery {
namespace {

using Offset = std::array<int, 3>;  ///< -1, 0 or 1 along x, y, z

/// 6/h times the mass, and h times the stiffness.
constexpr int mass6(int d) { return d == 0 ? 4 : 1; }
constexpr int stiffness(int d) { return d == 0 ? 2 : -1; }

/// 36/h times the integral of d_axis N_a * d_axis N_b.
constexpr int straight36(const Offset& d, std::size_t axis) {
  int product = 1;
  for (std::size_t i = 0; i < 3; ++i) product *= i == axis ? stiffness(d[i]) : mass6(d[i]);
  return product;
}

/// 24/h times the integral of d_p N_a * d_q N_b, p and q different: the same for d_q N_a * d_p N_b.
constexpr int crossed24(const Offset& d, std::size_t p, std::size_t q) { return -d[p] * d[q] * mass6(d[3 - p - q]); }

/// Calls use(offset) in the order of BoxRows's table.
template <class Use>
void for_each_offset(Use use) {
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) use(Offset{x, y, z});
}

/// num / (den * (n + 1)): h * num / den, rounded once.
double scaled(int num, int den, std::uint64_t n) {
  return static_cast<double>(num) / (static_cast<double>(den) * static_cast<double>(n + 1));
}

struct Fem3d {
  static constexpr std::string_view name = "fem3d";
  static constexpr std::string_view summary =
      "-laplace on the unit cube, trilinear elements; rows of 8, 12, 18 or 27, the zeros between face neighbours "
      "stored";
  std::uint64_t n = 10;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "inner points per side");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}, {"n", n}, {"n", n}}));
    std::vector<double> table;
    for_each_offset([&](const Offset& d) {
      table.push_back(scaled(straight36(d, 0) + straight36(d, 1) + straight36(d, 2), 36, n));
    });
    return make_rows<BoxRows>(Grid{n, n, n}, 1u, std::move(table));
  }
  [[nodiscard]] Problem problem() const { return fem3d_problem(n); }
};

struct Elasticity3d {
  static constexpr std::string_view name = "elasticity3d";
  static constexpr std::string_view summary =
      "linear elasticity on the unit cube, trilinear elements: full 3x3 blocks, up to 27 per block row";
  std::uint64_t n = 10;
  double young = 1.0, poisson = 0.3;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "inner points per side, three rows each");
    visit.option("E", young, "Young's modulus");
    visit.option("nu", poisson, "Poisson's ratio, above -1 and below 0.5");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_CHECK(checked_side(name, {{"3", 3}, {"n", n}, {"n", n}, {"n", n}}));
    if (!std::isfinite(young) || young <= 0.0) return bad_parameter(name, "E: expected a number above 0");
    if (!(poisson > -1.0 && poisson < 0.5)) return bad_parameter(name, "nu: expected a number above -1 and below 0.5");
    std::vector<double> table;
    for_each_offset([&](const Offset& d) { add_block(d, table); });
    return make_rows<BoxRows>(Grid{n, n, n}, 3u, std::move(table));
  }

 private:
  /// The 3x3 coupling of two points at offset d, row by row: lambda d_p N_a d_q N_b + mu d_q N_a d_p N_b, and on the
  /// diagonal mu grad N_a . grad N_b.
  void add_block(const Offset& d, std::vector<double>& table) const {
    const double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    const double mu = young / (2.0 * (1.0 + poisson));
    const int laplace = straight36(d, 0) + straight36(d, 1) + straight36(d, 2);
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t q = 0; q < 3; ++q)
        table.push_back(p == q ? (lambda + mu) * scaled(straight36(d, p), 36, n) + mu * scaled(laplace, 36, n)
                               : (lambda + mu) * scaled(crossed24(d, p, q), 24, n));
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(fem3d, Fem3d)
SPRESS_GALLERY_DEFINE(elasticity3d, Elasticity3d)

}  // namespace spress::gallery
