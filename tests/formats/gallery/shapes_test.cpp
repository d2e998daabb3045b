// Small shapes and matrices of optimisation.
#include <algorithm>
#include <cmath>

#include "tests/formats/gallery/support.hpp"

namespace spress::tests {
namespace {

using Counts = std::map<std::uint64_t, std::uint64_t>;

TEST(Shapes, ByHand) {
  EXPECT_EQ(dense(generated("tridiag:n=3,lower=1.5,diagonal=-4,upper=7")),
            (Grid2{{-4, 7, 0}, {1.5, -4, 7}, {0, 1.5, -4}}));
  EXPECT_EQ(dense(generated("tridiag:n=1")), (Grid2{{2}}));
  EXPECT_EQ(dense(generated("identity:n=2")), (Grid2{{1, 0}, {0, 1}}));
  EXPECT_EQ(dense(generated("arrow:n=4")), (Grid2{{4, 0, 0, -1}, {0, 4, 0, -1}, {0, 0, 4, -1}, {-1, -1, -1, 4}}));
  EXPECT_EQ(dense(generated("arrow:n=4,width=2,corner=first")),
            (Grid2{{4, -1, -1, -1}, {-1, 4, -1, -1}, {-1, -1, 4, 0}, {-1, -1, 0, 4}}));
  EXPECT_EQ(dense(generated("arrow:n=2,width=0")), (Grid2{{2, 0}, {0, 2}}));
  EXPECT_EQ(dense(generated("arrow:n=2,width=2")), (Grid2{{2, -1}, {-1, 2}}));
}

TEST(Shapes, SymmetryOfTridiagonalsIsThatOfTheirConstants) {
  EXPECT_EQ(generated("tridiag:n=3").info.symmetry, Symmetry::symmetric);
  EXPECT_EQ(generated("tridiag:n=3,lower=1,upper=2").info.symmetry, Symmetry::general);
  EXPECT_EQ(generated("tridiag:n=3,lower=0,upper=-0").info.symmetry, Symmetry::general);
}

TEST(Shapes, BlockDiagonal) {
  const auto m = generated("blockdiag:n=5,b=2,values=pattern");
  EXPECT_EQ(dense(m), (Grid2{{1, 1, 0, 0, 0}, {1, 1, 0, 0, 0}, {0, 0, 1, 1, 0}, {0, 0, 1, 1, 0}, {0, 0, 0, 0, 1}}));
  EXPECT_EQ(generated("blockdiag:n=3,b=2000").csr.nnz, 9u);
}

TEST(Shapes, Sides) {
  const auto m = generated("dense:n=2,m=3");
  EXPECT_EQ(m.csr.rows, 2u);
  EXPECT_EQ(m.csr.cols, 3u);
  EXPECT_EQ(m.csr.nnz, 6u);
  EXPECT_EQ(generated("diagonal:n=7").csr.nnz, 7u);
  for (const char* spec : {"empty:rows=0,cols=0", "empty:rows=0,cols=5", "empty:rows=5,cols=0,shuffle=2"}) {
    const auto none = generated(spec);
    EXPECT_EQ(none.csr.nnz, 0u);
    EXPECT_EQ(none.csr.row_ptr.size(), none.csr.rows + 1);
    EXPECT_TRUE(validate(view_of(none.csr)).ok()) << spec;
  }
}

TEST(Kkt, HasItsBlocks) {
  const auto m = generated("kkt:n=9,m=4,k=3");
  EXPECT_EQ(m.csr.rows, 13u);
  const auto a = dense(m);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j) EXPECT_EQ(a[i][j], i == j ? 4.0 : i + 1 == j || j + 1 == i ? -1.0 : 0.0);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(a[9 + i][9 + j], 0.0);
    const std::size_t first = i * 9 / 4;
    for (std::size_t j = 0; j < first; ++j) EXPECT_EQ(a[9 + i][j], 0.0);
    EXPECT_NE(a[9 + i][first], 0.0);
    EXPECT_EQ(row_length(m, 9 + i), 3u);
  }
  EXPECT_EQ(generated("kkt:n=5,m=0").csr.rows, 5u);
  EXPECT_EQ(lengths(generated("kkt:n=2,m=2,k=5"))[1], 1u);  // the last constraint has room for one entry
}

TEST(Lp, IsAStaircaseWithCouplingRows) {
  const auto m = generated("lp:periods=3,rows=4,cols=8,k=3,link=2,coupling=2");
  EXPECT_EQ(m.csr.rows, 14u);
  EXPECT_EQ(m.csr.cols, 36u);
  EXPECT_EQ(lengths(m), (Counts{{4, 4}, {6, 10}}));
  const auto a = dense(m);
  for (std::size_t row = 2; row < 14; ++row) {
    const std::size_t period = (row - 2) / 4, slack = period * 12 + 8 + (row - 2) % 4;
    EXPECT_EQ(a[row][slack], 1.0);
    for (std::size_t col = 0; col < 36; ++col) {
      const bool allowed = col / 12 == period || (col / 12 + 1 == period && col % 12 < 8);
      EXPECT_TRUE(allowed || a[row][col] == 0.0) << row << " " << col;
    }
  }
}

TEST(Lp, HasMostlyOnesAndElseShortDecimals) {
  const auto m = generated("lp");
  std::uint64_t ones = 0;
  for_each_entry(m, [&](std::uint64_t, std::uint64_t, double v) {
    ones += std::abs(v) == 1.0 ? 1 : 0;
    ASSERT_EQ(std::round(v * 100.0) / 100.0, v);
  });
  EXPECT_GT(ones * 10, m.csr.nnz * 7);
  EXPECT_LT(ones, m.csr.nnz);
}

}  // namespace
}  // namespace spress::tests
