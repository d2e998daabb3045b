// The finite-element problem: its load, its error norm, and what shuffling does to both.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/formats/gallery/support.hpp"

namespace spress {
namespace {

using std::numbers::pi;

gallery::Problem problem(std::string_view text) {
  const auto spec = parse_spec(text);
  EXPECT_TRUE(spec.ok());
  auto found = gallery::problem_of(*spec);
  EXPECT_TRUE(found.ok() && found->has_value()) << text;
  return std::move(**found);
}

bool has_problem(std::string_view text) {
  const auto found = gallery::problem_of(*parse_spec(text));
  EXPECT_TRUE(found.ok()) << text;
  return found.ok() && found->has_value();
}

TEST(Problem, OnePointByHand) {
  // h = 1/2: the integral of sin(pi x) times the hat is (2 / pi^2) (1 - cos(pi / 2)) / h = 4 / pi^2 on each side.
  const auto p = problem("fem3d:n=1");
  ASSERT_EQ(p.rhs.size(), 1u);
  EXPECT_NEAR(p.rhs[0], 3 * pi * pi * std::pow(4 / (pi * pi), 3), 1e-14);
}

TEST(Problem, ErrorOfNothingIsTheNormOfTheSolution) {
  // The integral of sin^2(pi x) over a side is 1/2; three Gauss points on each of 13 elements leave 1e-7.
  const auto p = problem("fem3d:n=12");
  EXPECT_NEAR(p.l2_error(std::vector<double>(12 * 12 * 12, 0.0).data()), std::sqrt(0.125), 1e-6);
}

TEST(Problem, InterpolationIsOfOrderTwo) {
  const auto error = [](std::uint64_t n) {
    const auto p = problem("fem3d:n=" + std::to_string(n));
    std::vector<double> u;
    const auto sine = [&](std::uint64_t i) {
      return std::sin(pi * static_cast<double>(i + 1) / static_cast<double>(n + 1));
    };
    for (std::uint64_t z = 0; z < n; ++z)
      for (std::uint64_t y = 0; y < n; ++y)
        for (std::uint64_t x = 0; x < n; ++x) u.push_back(sine(x) * sine(y) * sine(z));
    return p.l2_error(u.data());
  };
  EXPECT_NEAR(std::log2(error(7) / error(15)), 2, 0.05);
}

TEST(Problem, ShufflesWithTheMatrix) {
  const auto plain = problem("fem3d:n=4"), shuffled = problem("fem3d:n=4,shuffle=9");
  EXPECT_NE(plain.rhs, shuffled.rhs);
  const auto a = tests::generated("fem3d:n=4"), b = tests::generated("fem3d:n=4,shuffle=9");
  // The product with the right-hand side takes both through the same permutation.
  std::vector<double> y(64), z(64), sorted_y, sorted_z;
  tests::for_each_entry(a, [&](std::uint64_t row, std::uint64_t col, double v) { y[row] += v * plain.start[col]; });
  tests::for_each_entry(b, [&](std::uint64_t row, std::uint64_t col, double v) { z[row] += v * shuffled.start[col]; });
  std::sort(y.begin(), y.end());
  std::sort(z.begin(), z.end());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], z[i], 1e-14);
  EXPECT_NEAR(plain.l2_error(plain.start.data()), shuffled.l2_error(shuffled.start.data()), 1e-14);
}

TEST(Problem, OnlyWhereTheValuesAreTheGeneratorsOwn) {
  EXPECT_FALSE(has_problem("fem3d:n=4,values=noise"));
  EXPECT_FALSE(has_problem("stencil7:n=4"));
  EXPECT_FALSE(gallery::problem_of(*parse_spec("nosuch")).ok());
  EXPECT_FALSE(gallery::problem_of(*parse_spec("fem3d:n=0")).ok());
  EXPECT_FALSE(gallery::problem_of(*parse_spec("fem3d:m=4")).ok());
}

}  // namespace
}  // namespace spress
