// Conjugate gradient on systems small enough to work out, its ends, and its independence of threads.
#include "kernels/cg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "encode/shared/codec.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/formats/gallery/support.hpp"

namespace spress {
namespace {

/// The product with a dense matrix, row by row.
template <class T>
Product<T> dense(std::vector<std::vector<T>> a) {
  return [a = std::move(a)](const T* x, T* y) {
    for (std::size_t r = 0; r < a.size(); ++r) {
      y[r] = 0;
      for (std::size_t c = 0; c < a.size(); ++c) y[r] += a[r][c] * x[c];
    }
  };
}

/// A tridiagonal matrix (-1, 2 + shift, -1) of any size.
template <class T>
Product<T> chain(std::uint64_t n, T shift) {
  return [n, shift](const T* x, T* y) {
    for (std::uint64_t i = 0; i < n; ++i)
      y[i] = (2 + shift) * x[i] - (i > 0 ? x[i - 1] : T(0)) - (i + 1 < n ? x[i + 1] : T(0));
  };
}

template <class T>
struct Solved {
  std::vector<T> x;
  CgStop stop;
  std::uint64_t iterations;
  double residual, curvature;
};

template <class T>
Solved<T> solve(const Product<T>& product, const std::vector<T>& b, CgOptions options = {}, int threads = 1,
                const std::vector<T>& inverse_diagonal = {}, std::vector<T> x = {}) {
  x.resize(b.size());
  ConjugateGradient<T> solver(b.size(), b.data(), inverse_diagonal.empty() ? nullptr : inverse_diagonal.data(),
                              x.data(), options);
  const CgStop stop = solver.run(product, threads);
  return {std::move(x), stop, solver.iterations(), solver.residual(), solver.curvature()};
}

TEST(Cg, ByHand) {
  // A = [4 1; 1 3], b = (1, 2): first step b^T b / b^T A b = 5/20, then the exact solution (1/11, 7/11).
  const auto a = dense<double>({{4, 1}, {1, 3}});
  const auto one = solve<double>(a, {1, 2}, {.tolerance = 0, .max_iterations = 1});
  EXPECT_EQ(one.stop, CgStop::max_iterations);
  EXPECT_EQ(one.x, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(one.curvature, 20);
  EXPECT_DOUBLE_EQ(one.residual, std::sqrt(0.3125) / std::sqrt(5.0));  // r = (-0.5, 0.25)
  const auto two = solve<double>(a, {1, 2});
  EXPECT_EQ(two.stop, CgStop::converged);
  EXPECT_EQ(two.iterations, 2u);
  EXPECT_NEAR(two.x[0], 1.0 / 11, 1e-15);
  EXPECT_NEAR(two.x[1], 7.0 / 11, 1e-15);
}

TEST(Cg, JacobiByHand) {
  // A = [4 1; 1 1], b = (1, 2), M = diag(4, 1): z = (1/4, 2), r^T z = 4.25, z^T A z = 0.25 + 1 + 4 = 5.25.
  const auto a = dense<double>({{4, 1}, {1, 1}});
  const auto one = solve<double>(a, {1, 2}, {.tolerance = 0, .max_iterations = 1}, 1, {0.25, 1});
  EXPECT_DOUBLE_EQ(one.x[0], 4.25 / 5.25 / 4);
  EXPECT_DOUBLE_EQ(one.x[1], 4.25 / 5.25 * 2);
  const auto diagonal = solve<double>(dense<double>({{3, 0}, {0, 50}}), {1, 1}, {}, 1, {1.0 / 3, 1.0 / 50});
  EXPECT_EQ(diagonal.iterations, 1u);
  EXPECT_EQ(diagonal.stop, CgStop::converged);
}

TEST(Cg, BeginsWhereItIsTold) {
  const auto a = dense<double>({{4, 1}, {1, 3}});
  const auto there = solve<double>(a, {6, 7}, {}, 1, {}, {1, 2});  // already the solution
  EXPECT_EQ(there.stop, CgStop::converged);
  EXPECT_EQ(there.iterations, 0u);
  EXPECT_EQ(there.x, (std::vector<double>{1, 2}));
  const auto elsewhere = solve<double>(a, {6, 7}, {}, 1, {}, {-30, 100});
  EXPECT_NEAR(elsewhere.x[0], 1, 1e-6);
  EXPECT_NEAR(elsewhere.x[1], 2, 1e-6);
}

TEST(Cg, NothingToDo) {
  EXPECT_EQ(solve<double>(dense<double>({}), {}).stop, CgStop::converged);
  const auto zero = solve<double>(dense<double>({{4, 1}, {1, 3}}), {0, 0}, {}, 1, {}, {5, 6});
  EXPECT_EQ(zero.stop, CgStop::converged);
  EXPECT_EQ(zero.x, (std::vector<double>{0, 0}));
  EXPECT_EQ(zero.residual, 0);
  const auto none = solve<double>(dense<double>({{4}}), {1}, {.max_iterations = 0});
  EXPECT_EQ(none.stop, CgStop::max_iterations);
  EXPECT_EQ(none.residual, 1);
}

TEST(Cg, TellsWhyItStopped) {
  const auto negative = solve<double>(dense<double>({{1, 0}, {0, -1}}), {1, 2});
  EXPECT_EQ(negative.stop, CgStop::not_positive_definite);
  EXPECT_EQ(negative.curvature, -3);
  EXPECT_EQ(solve<double>(dense<double>({{0}}), {1}).stop, CgStop::not_positive_definite);
  EXPECT_EQ(solve<double>(dense<double>({{1}}), {1}, {}, 1, {-1}).stop, CgStop::not_positive_definite);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solve<double>(dense<double>({{nan}}), {1}).stop, CgStop::not_finite);
  EXPECT_EQ(solve<double>(dense<double>({{1}}), {nan}).stop, CgStop::not_finite);
  EXPECT_EQ(solve<double>(dense<double>({{1}}), {infinity}).stop, CgStop::not_finite);
  EXPECT_EQ(solve<float>(dense<float>({{1e38f, 0}, {0, 1e38f}}), {1e10f, 1}).stop,
            CgStop::not_finite);  // A p overflows
}

TEST(Cg, SmallAndLargeSystemsAreSolvedLikeThoseNearOne) {
  const auto near_one = solve<double>(dense<double>({{4, 1}, {1, 3}}), {1, 2});
  for (int exponent : {-530, -500, 300}) {  // squares of these are beyond double
    const double s = std::ldexp(1.0, exponent);
    const auto out = solve<double>(dense<double>({{4 * s, s}, {s, 3 * s}}), {s, 2 * s});
    EXPECT_EQ(out.stop, CgStop::converged) << exponent;
    EXPECT_EQ(out.iterations, near_one.iterations) << exponent;
    EXPECT_NEAR(out.x[0], 1.0 / 11, 1e-15) << exponent;
    EXPECT_NEAR(out.x[1], 7.0 / 11, 1e-15) << exponent;
  }
  const auto lost = solve<double>(dense<double>({{1e-200, 0}, {0, 1e-200}}), {1e-200, 1e-200});  // A p is 0 in double
  EXPECT_EQ(lost.stop, CgStop::not_finite);
  EXPECT_EQ(lost.residual, 1);
  const auto large_b = solve<double>(dense<double>({{4, 1}, {1, 3}}), {1e300, 2e300});
  EXPECT_EQ(large_b.stop, CgStop::converged);
  EXPECT_NEAR(large_b.x[0] / 1e300, 1.0 / 11, 1e-15);
  const auto jacobi = solve<double>(dense<double>({{1e-200, 0}, {0, 3e-200}}), {1e-200, 1e-200}, {}, 1, {1e200, 3e199});
  EXPECT_EQ(jacobi.stop, CgStop::converged);
  EXPECT_NEAR(jacobi.x[1], 1.0 / 3, 1e-9);
}

template <class T>
void expect_exhausted(const std::vector<T>& inverse_diagonal) {
  const std::uint64_t n = 30;
  const auto out =
      solve<T>(chain<T>(n, T(1)), test_vector<T>(n), {.tolerance = 0, .max_iterations = 100000}, 1, inverse_diagonal);
  EXPECT_TRUE(out.stop == CgStop::exhausted || (out.stop == CgStop::converged && out.residual == 0))
      << enum_name(out.stop) << " " << out.residual;
  EXPECT_LT(out.residual, 1e-25);
}

TEST(Cg, NothingLeftToReduceIsNoFaultOfTheMatrix) {
  expect_exhausted<double>({});
  expect_exhausted<double>(std::vector<double>(30, 1.0 / 3));
  expect_exhausted<float>({});
  expect_exhausted<float>(std::vector<float>(30, 1.0f / 3));
}

TEST(Cg, AMatrixBelowTheRangeIsNotCalledIndefinite) {
  EXPECT_EQ(solve<double>(dense<double>({{1e-320}}), {1}).stop, CgStop::not_finite);
}

TEST(Cg, AStopThatIsNotFiniteLeavesTheLastGoodSolution) {
  int products = 0;
  const auto inner = chain<double>(40, 0);
  const Product<double> spoiled = [&](const double* x, double* y) {
    inner(x, y);
    if (++products == 5) y[7] = std::numeric_limits<double>::quiet_NaN();
  };
  const auto out = solve<double>(spoiled, std::vector<double>(40, 1));
  EXPECT_EQ(out.stop, CgStop::not_finite);
  EXPECT_EQ(out.iterations, 3u);  // the first product is that of the start
  for (double value : out.x) EXPECT_TRUE(std::isfinite(value));
}

/// Long enough for several threads and many blocks, with a last block that is not full.
constexpr std::uint64_t long_size = 3 * 32768 + 77;

template <class T>
void expect_same_bits_with_any_threads(const std::vector<T>& inverse_diagonal) {
  const auto b = test_vector<T>(long_size);
  const CgOptions options{.tolerance = 1e-6, .max_iterations = 40};
  const auto alone = solve<T>(chain<T>(long_size, T(0.3)), b, options, 1, inverse_diagonal);
  EXPECT_GT(alone.iterations, 10u);
  for (int threads : {2, 3, 5}) {
    const auto together = solve<T>(chain<T>(long_size, T(0.3)), b, options, threads, inverse_diagonal);
    EXPECT_EQ(together.iterations, alone.iterations);
    EXPECT_EQ(together.residual, alone.residual);
    EXPECT_TRUE(together.x == alone.x) << threads;
  }
}

TEST(Cg, TheSameBitsWithAnyNumberOfThreads) {
  expect_same_bits_with_any_threads<double>({});
  expect_same_bits_with_any_threads<float>({});
  expect_same_bits_with_any_threads<double>(std::vector<double>(long_size, 1 / 2.3));
}

TEST(Cg, SumsOfFloatsKeepTheirDigits) {
  // Summed one by one in float, 10^5 squares lose about three digits more than b^T b in double does.
  const std::vector<float> b(100003, 0.1f);
  const auto out = solve<float>([](const float* x, float* y) { std::copy(x, x + 100003, y); }, b);
  EXPECT_EQ(out.iterations, 1u);
  EXPECT_EQ(out.residual, 0);
  const double square = static_cast<double>(0.1f) * static_cast<double>(0.1f);
  EXPECT_NEAR(out.curvature / (100003 * square), 1, 1e-13);
}

TEST(Cg, PausesAndGoesOnWithAnotherProduct) {
  const std::uint64_t n = 200;
  const auto b = test_vector<double>(n);
  const auto straight = solve<double>(chain<double>(n, 0.01), b);
  std::vector<double> x(n);
  ConjugateGradient<double> solver(n, b.data(), nullptr, x.data(), {});
  int asked = 0;
  EXPECT_EQ(solver.run(chain<double>(n, 0.01), 1, [&] { return ++asked == 8; }), CgStop::running);
  EXPECT_EQ(solver.iterations(), 7u);
  const auto other = chain<double>(n, 0.01);
  EXPECT_EQ(solver.run(other), CgStop::converged);
  EXPECT_EQ(solver.iterations(), straight.iterations);
  EXPECT_EQ(x, straight.x);
  EXPECT_EQ(solver.run(other), CgStop::converged);  // nothing more to do
  EXPECT_EQ(solver.iterations(), straight.iterations);
}

TEST(Cg, EveryFormatSolvesPoissonsEquation) {
  const auto matrix = tests::generated("poisson2d:n=12");
  const auto a = view_of(matrix.csr);
  const auto expected = test_vector<double>(a.rows);
  const auto exact = reference_product<double>(a, expected.data());
  const std::vector<double> b(exact.y.begin(), exact.y.end());
  for_each_format([&]<template <class> class F>(Tag<F>) {
    const auto f = encode<F>(a, {});
    ASSERT_TRUE(f.ok()) << F<Owned>::name;
    const auto out = solve<double>([&](const double* x, double* y) { cpu::spmv<double>(view_of(*f), x, y, 2); }, b,
                                   {.tolerance = 1e-12});
    EXPECT_EQ(out.stop, CgStop::converged) << F<Owned>::name;
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(out.x[i], expected[i], 1e-9) << F<Owned>::name;
  });
}

}  // namespace
}  // namespace spress
