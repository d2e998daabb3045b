// Stencils and elements against small cases by hand, against counts, and against numerical integration.
#include <array>
#include <cmath>

#include "tests/formats/gallery/support.hpp"

namespace spress::tests {
namespace {

using Counts = std::map<std::uint64_t, std::uint64_t>;

TEST(Grids, Poisson2dByHand) {
  EXPECT_EQ(dense(generated("poisson2d:nx=3,ny=2")), (Grid2{{4, -1, 0, -1, 0, 0},
                                                            {-1, 4, -1, 0, -1, 0},
                                                            {0, -1, 4, 0, 0, -1},
                                                            {-1, 0, 0, 4, -1, 0},
                                                            {0, -1, 0, -1, 4, -1},
                                                            {0, 0, -1, 0, -1, 4}}));
}

TEST(Grids, Stencil7ByHand) {
  const auto m = generated("stencil7:n=2");
  EXPECT_EQ(m.csr.nnz, 32u);
  EXPECT_EQ(dense(m)[5], (std::vector<double>{0, -1, 0, 0, -1, 6, 0, -1}));  // the point (1, 0, 1)
  EXPECT_EQ(lengths(generated("stencil7:n=4")), (Counts{{4, 8}, {5, 24}, {6, 24}, {7, 8}}));
  EXPECT_EQ(dense(generated("stencil7:nx=1,ny=1,nz=3")), (Grid2{{6, -1, 0}, {-1, 6, -1}, {0, -1, 6}}));
}

TEST(Grids, Stencil27ByHand) {
  const auto two = dense(generated("stencil27:n=2"), 0.0);
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(two[i][j], i == j ? 26.0 : -1.0);
  EXPECT_EQ(lengths(generated("stencil27:n=4")), (Counts{{8, 8}, {12, 24}, {18, 24}, {27, 8}}));
  // 3 x 1 x 2 points: (x, z) and (x', z') are neighbours unless x and x' are the ends.
  const auto flat = dense(generated("stencil27:nx=3,ny=1,nz=2"));
  EXPECT_EQ(flat[0], (std::vector<double>{26, -1, 0, -1, -1, 0}));
  EXPECT_EQ(flat[4], (std::vector<double>{-1, -1, -1, -1, 26, -1}));
}

TEST(Grids, SidesCountIn64Bits) { EXPECT_EQ(generated("stencil27:n=40").csr.nnz, 118u * 118u * 118u); }

TEST(Grids, ConvectionIsMonotoneAndFollowsTheWind) {
  for (const char* spec : {"convdiff:n=9", "convdiff:n=5,dim=3"}) {
    const auto m = generated(spec);
    std::vector<double> sums(m.csr.rows);
    for_each_entry(m, [&](std::uint64_t row, std::uint64_t col, double v) {
      sums[row] += v;
      EXPECT_TRUE(row == col ? v > 0 : v < 0);
    });
    for (const double sum : sums) EXPECT_GE(sum, -1e-14);
  }
  // Two points a side: h = 2/3, at (-1/3, -1/3) the wind is (-16, 16) / 27 and blows from the right and from below.
  const auto two = dense(generated("convdiff:n=2,diffusion=0.5"));
  const double pull = 2.0 / 3.0 * 16.0 / 27.0;
  EXPECT_NEAR(two[0][0], 2.0 + 2 * pull, 1e-15);
  EXPECT_NEAR(two[0][1], -0.5 - pull, 1e-15);
  EXPECT_EQ(two[0][2], -0.5);
  EXPECT_EQ(two[0][3], 0.0);
  EXPECT_EQ(dense(generated("convdiff:n=1,diffusion=0.25")), (Grid2{{1.0}}));
  EXPECT_EQ(lengths(generated("convdiff:n=3,dim=3")), (Counts{{4, 8}, {5, 12}, {6, 6}, {7, 1}}));
}

TEST(Elements, LaplaceByHand) {
  EXPECT_EQ(dense(generated("fem3d:n=1")), (Grid2{{8.0 / 3.0 / 2.0}}));
  const auto two = generated("fem3d:n=2");  // h = 1/3: a point, its 3 face, 3 edge and 1 corner neighbours
  EXPECT_EQ(dense(two, 9.0)[0], (std::vector<double>{8.0 / 9, 0, 0, -1.0 / 18, 0, -1.0 / 18, -1.0 / 18, -1.0 / 36}));
}

TEST(Elements, LaplaceHasThePapersRows) {
  const auto m = generated("fem3d:n=5");
  EXPECT_EQ(lengths(m), (Counts{{8, 8}, {12, 36}, {18, 54}, {27, 27}}));
  std::uint64_t zeros = 0;
  double inner = 0, corner = 0;
  for_each_entry(m, [&](std::uint64_t row, std::uint64_t, double v) {
    zeros += std::bit_cast<std::uint64_t>(v) == 0 ? 1 : 0;
    if (row == 62) inner += v;
    if (row == 0) corner += v;
  });
  EXPECT_EQ(zeros, 2u * 3 * 4 * 25);  // both ways over every face between neighbours
  EXPECT_NEAR(inner, 0.0, 1e-15);
  EXPECT_GT(corner, 0.1);
}

// --- The element stiffness by 2 x 2 x 2 Gauss points, which integrate it exactly, independent of the generator. ---

using Vec3 = std::array<double, 3>;
using Block = std::array<std::array<double, 3>, 3>;

Vec3 gradient(int corner, const Vec3& at) {
  Vec3 out;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out[axis] = 1.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool upper = (corner >> i & 1) != 0;
      out[axis] *= i == axis ? (upper ? 1.0 : -1.0) : (upper ? at[i] : 1.0 - at[i]);
    }
  }
  return out;
}

Block element_block(int a, int b, double lambda, double mu) {
  Block out{};
  for (int point = 0; point < 8; ++point) {
    Vec3 at;
    for (std::size_t i = 0; i < 3; ++i) at[i] = 0.5 + ((point >> i & 1) != 0 ? 0.5 : -0.5) / std::sqrt(3.0);
    const auto ga = gradient(a, at), gb = gradient(b, at);
    const double dot = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t q = 0; q < 3; ++q)
        out[p][q] += (lambda * ga[p] * gb[q] + mu * ga[q] * gb[p] + (p == q ? mu * dot : 0.0)) / 8.0;
  }
  return out;
}

/// The matrix of n^3 inner points by adding up elements of side 1/(n+1).
Grid2 assembled(int n, double lambda, double mu) {
  const auto side = static_cast<std::size_t>(n), size = 3 * side * side * side;
  Grid2 out(size, std::vector<double>(size));
  const auto inner = [n](int element, int corner) {  // the inner point at a corner of an element, or -1
    int id = 0;
    for (int axis = 2, elements = (n + 1) * (n + 1); axis >= 0; --axis, elements /= n + 1) {
      const int i = element / elements % (n + 1) + (corner >> axis & 1) - 1;
      if (i < 0 || i >= n) return -1;
      id = id * n + i;
    }
    return id;
  };
  for (int element = 0; element < (n + 1) * (n + 1) * (n + 1); ++element)
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b) {
        const int row = inner(element, a), col = inner(element, b);
        if (row < 0 || col < 0) continue;
        const auto block = element_block(a, b, lambda, mu);
        for (std::size_t p = 0; p < 3; ++p)
          for (std::size_t q = 0; q < 3; ++q)
            out[static_cast<std::size_t>(row) * 3 + p][static_cast<std::size_t>(col) * 3 + q] += block[p][q] / (n + 1);
      }
  return out;
}

TEST(Elements, ElasticityEqualsAssembledGaussIntegrals) {
  const double young = 2.5, nu = 0.2;
  const auto expected = assembled(3, young * nu / ((1 + nu) * (1 - 2 * nu)), young / (2 * (1 + nu)));
  const auto m = generated("elasticity3d:n=3,E=2.5,nu=0.2");
  const auto actual = dense(m);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    for (std::size_t j = 0; j < actual.size(); ++j) ASSERT_NEAR(actual[i][j], expected[i][j], 1e-14) << i << " " << j;
}

TEST(Elements, LaplaceEqualsAssembledGaussIntegrals) {
  // lambda = -mu leaves mu grad . grad on the diagonal of a block, up to what is antisymmetric in the corners.
  const auto expected = assembled(3, -1.0, 1.0);
  const auto actual = dense(generated("fem3d:n=3"));
  for (std::size_t i = 0; i < actual.size(); ++i)
    for (std::size_t j = 0; j < actual.size(); ++j) ASSERT_NEAR(actual[i][j], expected[3 * i][3 * j], 1e-15);
}

TEST(Elements, ElasticityStoresFullBlocks) {
  const auto m = generated("elasticity3d:n=3");
  EXPECT_EQ(m.csr.nnz, 9u * 7 * 7 * 7);
  EXPECT_EQ(lengths(m), (Counts{{24, 24}, {36, 36}, {54, 18}, {81, 3}}));
  for_each_entry(m, [](std::uint64_t, std::uint64_t, double v) { ASSERT_FALSE(v == 0.0 && std::signbit(v)); });
}

/// Cholesky's factorisation goes through.
bool positive_definite(Grid2 a) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!(a[k][k] > 0)) return false;
    for (std::size_t i = k + 1; i < a.size(); ++i)
      for (std::size_t j = k + 1; j <= i; ++j) a[i][j] -= a[i][k] * a[j][k] / a[k][k];
  }
  return true;
}

TEST(Elements, WhatSolversNeedIsPositiveDefinite) {
  for (const char* spec : {"fem3d:n=4", "elasticity3d:n=3", "elasticity3d:n=3,nu=0.49", "stencil7:n=4", "stencil27:n=4",
                           "poisson2d:n=7", "tridiag:n=30", "arrow:n=20,width=3", "circuit:n=60,structure=symmetric"})
    EXPECT_TRUE(positive_definite(dense(generated(spec)))) << spec;
  EXPECT_FALSE(positive_definite(dense(generated("kkt:n=8,m=4"))));
}

}  // namespace
}  // namespace spress::tests
