// Exact members of the SuiteSparse collection: sizes and bandwidths as its index has them, small ones by hand.
#include <algorithm>

#include "tests/formats/gallery/support.hpp"

namespace spress::tests {
namespace {

struct Member {
  std::string spec;
  std::uint64_t rows, nnz, bandwidth;
};

void expect_member(const Member& member) {
  const auto m = generated(member.spec);
  std::uint64_t lower = 0, upper = 0;
  for_each_entry(m, [&](std::uint64_t row, std::uint64_t col, double) {
    lower = std::max(lower, row - std::min(row, col));
    upper = std::max(upper, col - std::min(row, col));
  });
  EXPECT_EQ(m.csr.rows, member.rows) << member.spec;
  EXPECT_EQ(m.csr.cols, member.rows) << member.spec;
  EXPECT_EQ(m.csr.nnz, member.nnz) << member.spec;
  EXPECT_EQ(lower, member.bandwidth) << member.spec;
  EXPECT_EQ(upper, member.bandwidth) << member.spec;
}

TEST(Trefethen, SizesOfTheCollection) {
  for (const Member& member : {Member{"trefethen:n=20,b=1", 19, 147, 16},
                               {"trefethen:n=20", 20, 158, 16},
                               {"trefethen:n=150", 150, 2040, 128},
                               {"trefethen:n=200,b=1", 199, 2873, 128},
                               {"trefethen:n=200", 200, 2890, 128},
                               {"trefethen:n=300", 300, 4678, 256},
                               {"trefethen:n=500", 500, 8478, 256},
                               {"trefethen:n=700", 700, 12654, 512},
                               {"trefethen:n=2000", 2000, 41906, 1024},
                               {"trefethen:n=20000,b=1", 19999, 554435, 16384},
                               {"trefethen:n=20000", 20000, 554466, 16384}})
    expect_member(member);
}

TEST(Trefethen, ByHand) {
  EXPECT_EQ(dense(generated("trefethen:n=1")), (Grid2{{2}}));
  EXPECT_EQ(dense(generated("trefethen:n=5")),
            (Grid2{{2, 1, 1, 0, 1}, {1, 3, 1, 1, 0}, {1, 1, 5, 1, 1}, {0, 1, 1, 7, 1}, {1, 0, 1, 1, 11}}));
  EXPECT_EQ(dense(generated("trefethen:n=3,b=1")), (Grid2{{3, 1}, {1, 5}}));
}

TEST(Trefethen, LastPrimesOfTheProblem) {
  const auto m = generated("trefethen:n=20000");
  std::vector<double> diagonal;
  for_each_entry(m, [&](std::uint64_t row, std::uint64_t col, double v) {
    if (row == col)
      diagonal.push_back(v);
    else
      ASSERT_EQ(v, 1.0);
  });
  EXPECT_EQ(diagonal[19], 71.0);
  EXPECT_EQ(diagonal[9999], 104729.0);
  EXPECT_EQ(diagonal[19999], 224737.0);
}

TEST(Mycielskian, SizesOfTheCollection) {
  for (const Member& member : {Member{"mycielskian:k=2", 2, 2, 1},
                               {"mycielskian:k=3", 5, 10, 3},
                               {"mycielskian:k=4", 11, 40, 8},
                               {"mycielskian:k=5", 23, 142, 19},
                               {"mycielskian:k=6", 47, 472, 42},
                               {"mycielskian:k=7", 95, 1510, 89},
                               {"mycielskian:k=8", 191, 4720, 184},
                               {"mycielskian:k=9", 383, 14542, 375},
                               {"mycielskian:k=10", 767, 44392, 758},
                               {"mycielskian:k=11", 1535, 134710, 1525},
                               {"mycielskian:k=12", 3071, 407200, 3060},
                               {"mycielskian:k=13", 6143, 1227742, 6131}})
    expect_member(member);
}

TEST(Mycielskian, TheThirdIsTheRingOfFiveInTheCollectionsOrder) {
  EXPECT_EQ(dense(generated("mycielskian:k=2")), (Grid2{{0, 1}, {1, 0}}));
  EXPECT_EQ(dense(generated("mycielskian:k=3")),
            (Grid2{{0, 1, 0, 1, 0}, {1, 0, 1, 0, 0}, {0, 1, 0, 0, 1}, {1, 0, 0, 0, 1}, {0, 0, 1, 1, 0}}));
}

TEST(Mycielskian, HasNoTriangles) {
  const auto a = dense(generated("mycielskian:k=6"));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < j && a[i][j] != 0; ++k) ASSERT_EQ(a[i][k] * a[j][k], 0.0);
}

}  // namespace
}  // namespace spress::tests
