// Conjugate gradient on the device: systems small enough to work out, its ends, the same bits in every run, and the
// CPU's counts with every format.
#include "kernels/cuda/cg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "kernels/cg.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cuda/matrix.hpp"
#include "kernels/reference.hpp"
#include "tests/kernels/cuda/needs_device.hpp"

namespace spress {
namespace {

/// The entries of a square matrix that are not 0.
template <class T>
Csr<Owned> sparse(const std::vector<std::vector<T>>& dense) {
  std::vector<std::uint32_t> row_ptr = {0}, col_idx;
  std::vector<T> values;
  for (const auto& row : dense) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (row[c] == T(0)) continue;
      col_idx.push_back(static_cast<std::uint32_t>(c));
      values.push_back(row[c]);
    }
    row_ptr.push_back(static_cast<std::uint32_t>(col_idx.size()));
  }
  Csr<Owned> a;
  a.rows = a.cols = dense.size();
  a.nnz = col_idx.size();
  a.row_ptr = Positions<Owned>(HostArray<std::uint32_t>(std::span<const std::uint32_t>(row_ptr)));
  a.col_idx = HostArray<std::uint32_t>(std::span<const std::uint32_t>(col_idx));
  a.values = raw_store(HostArray<T>(std::span<const T>(values)));
  return a;
}

/// (-1, 2 + shift, -1), of any size.
template <class T>
Csr<Owned> chain(std::uint64_t n, T shift) {
  Csr<Owned> a;
  a.rows = a.cols = n;
  a.nnz = 3 * n - 2;
  HostArray<std::uint32_t> row_ptr(n + 1), col_idx(a.nnz);
  HostArray<T> values(a.nnz);
  std::uint64_t k = 0;
  for (std::uint64_t r = 0; r < n; ++r) {
    row_ptr[r] = static_cast<std::uint32_t>(k);
    for (std::uint64_t c = r == 0 ? 0 : r - 1; c < std::min(n, r + 2); ++c, ++k) {
      col_idx[k] = static_cast<std::uint32_t>(c);
      values[k] = c == r ? 2 + shift : T(-1);
    }
  }
  row_ptr[n] = static_cast<std::uint32_t>(k);
  a.row_ptr = Positions<Owned>(std::move(row_ptr));
  a.col_idx = std::move(col_idx);
  a.values = raw_store(std::move(values));
  return a;
}

/// A matrix on the device, and its product.
template <class T, template <class> class F>
struct OnDevice {
  cuda::DeviceMatrix<F> matrix;
  cuda::Product<T> product;

  explicit OnDevice(const F<Viewed>& host)
      : matrix(cuda::upload(host).value()), product(cuda::product<T>(host, matrix.view).value()) {}
};

template <class T>
struct Solved {
  std::vector<T> x;
  CgStop stop = CgStop::running;
  std::uint64_t iterations = 0;
  double residual = 0, curvature = 0;
};

template <class T>
Solved<T> finish(cuda::ConjugateGradient<T>& solver, const cuda::Product<T>& product) {
  const auto stop = solver.run(product);
  EXPECT_TRUE(stop.ok()) << stop.error().text();
  const auto x = solver.solution();
  EXPECT_TRUE(x.ok()) << x.error().text();
  return {x.value(), stop.value(), solver.iterations(), solver.residual(), solver.curvature()};
}

template <class T>
cuda::ConjugateGradient<T> begin(const std::vector<T>& b, CgOptions options = {}, const std::vector<T>& inverse = {},
                                 std::vector<T> x = {}) {
  x.resize(b.size());
  return cuda::ConjugateGradient<T>::make(b, inverse, x, options).value();
}

template <class T>
Solved<T> solve(const Csr<Owned>& a, const std::vector<T>& b, CgOptions options = {},
                const std::vector<T>& inverse = {}, const std::vector<T>& x = {}) {
  const OnDevice<T, Csr> device(view_of(a));
  auto solver = begin(b, options, inverse, x);
  return finish(solver, device.product);
}

TEST(CgOnDevice, ByHand) {
  NEEDS_DEVICE();
  // A = [4 1; 1 3], b = (1, 2): first step b^T b / b^T A b = 5/20, then the exact solution (1/11, 7/11).
  const auto a = sparse<double>({{4, 1}, {1, 3}});
  const auto one = solve<double>(a, {1, 2}, {.tolerance = 0, .max_iterations = 1});
  EXPECT_EQ(one.stop, CgStop::max_iterations);
  EXPECT_EQ(one.iterations, 1u);
  EXPECT_EQ(one.x, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(one.curvature, 20);
  EXPECT_DOUBLE_EQ(one.residual, std::sqrt(0.3125) / std::sqrt(5.0));  // r = (-0.5, 0.25)
  const auto two = solve<double>(a, {1, 2});
  EXPECT_EQ(two.stop, CgStop::converged);
  EXPECT_EQ(two.iterations, 2u);
  EXPECT_NEAR(two.x[0], 1.0 / 11, 1e-15);
  EXPECT_NEAR(two.x[1], 7.0 / 11, 1e-15);
}

TEST(CgOnDevice, JacobiByHand) {
  NEEDS_DEVICE();
  // A = [4 1; 1 1], b = (1, 2), M = diag(4, 1): z = (1/4, 2), r^T z = 4.25, z^T A z = 0.25 + 1 + 4 = 5.25.
  const auto one =
      solve<double>(sparse<double>({{4, 1}, {1, 1}}), {1, 2}, {.tolerance = 0, .max_iterations = 1}, {0.25, 1});
  EXPECT_DOUBLE_EQ(one.x[0], 4.25 / 5.25 / 4);
  EXPECT_DOUBLE_EQ(one.x[1], 4.25 / 5.25 * 2);
  const auto diagonal = solve<double>(sparse<double>({{3, 0}, {0, 50}}), {1, 1}, {}, {1.0 / 3, 1.0 / 50});
  EXPECT_EQ(diagonal.iterations, 1u);
  EXPECT_EQ(diagonal.stop, CgStop::converged);
}

TEST(CgOnDevice, BeginsWhereItIsTold) {
  NEEDS_DEVICE();
  const auto a = sparse<double>({{4, 1}, {1, 3}});
  const auto there = solve<double>(a, {6, 7}, {}, {}, {1, 2});  // already the solution
  EXPECT_EQ(there.stop, CgStop::converged);
  EXPECT_EQ(there.iterations, 0u);
  EXPECT_EQ(there.x, (std::vector<double>{1, 2}));
  const auto elsewhere = solve<double>(a, {6, 7}, {}, {}, {-30, 100});
  EXPECT_NEAR(elsewhere.x[0], 1, 1e-6);
  EXPECT_NEAR(elsewhere.x[1], 2, 1e-6);
}

TEST(CgOnDevice, NothingToDo) {
  NEEDS_DEVICE();
  EXPECT_EQ(solve<double>(sparse<double>({}), {}).stop, CgStop::converged);
  const auto zero = solve<double>(sparse<double>({{4, 1}, {1, 3}}), {0, 0}, {}, {}, {5, 6});
  EXPECT_EQ(zero.stop, CgStop::converged);
  EXPECT_EQ(zero.x, (std::vector<double>{0, 0}));
  EXPECT_EQ(zero.residual, 0);
  const auto none = solve<double>(sparse<double>({{4}}), {1}, {.max_iterations = 0});
  EXPECT_EQ(none.stop, CgStop::max_iterations);
  EXPECT_EQ(none.residual, 1);
}

TEST(CgOnDevice, TellsWhyItStopped) {
  NEEDS_DEVICE();
  const auto negative = solve<double>(sparse<double>({{1, 0}, {0, -1}}), {1, 2});
  EXPECT_EQ(negative.stop, CgStop::not_positive_definite);
  EXPECT_EQ(negative.curvature, -3);
  EXPECT_EQ(negative.x, (std::vector<double>{0, 0}));
  EXPECT_EQ(solve<double>(sparse<double>({{0}}), {1}).stop, CgStop::not_positive_definite);
  EXPECT_EQ(solve<double>(sparse<double>({{1}}), {1}, {}, {-1}).stop, CgStop::not_positive_definite);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solve<double>(sparse<double>({{nan}}), {1}).stop, CgStop::not_finite);
  EXPECT_EQ(solve<double>(sparse<double>({{1}}), {nan}).stop, CgStop::not_finite);
  EXPECT_EQ(solve<double>(sparse<double>({{1}}), {infinity}).stop, CgStop::not_finite);
  EXPECT_EQ(solve<float>(sparse<float>({{1e38f, 0}, {0, 1e38f}}), {1e10f, 1}).stop, CgStop::not_finite);
  EXPECT_EQ(solve<double>(sparse<double>({{1e-320}}), {1}).stop, CgStop::not_finite);
}

TEST(CgOnDevice, SmallAndLargeSystemsAreSolvedLikeThoseNearOne) {
  NEEDS_DEVICE();
  for (int exponent : {-530, -500, 0, 300}) {  // squares of these are beyond double
    const double s = std::ldexp(1.0, exponent);
    const auto out = solve<double>(sparse<double>({{4 * s, s}, {s, 3 * s}}), {s, 2 * s});
    EXPECT_EQ(out.stop, CgStop::converged) << exponent;
    EXPECT_EQ(out.iterations, 2u) << exponent;
    EXPECT_NEAR(out.x[0], 1.0 / 11, 1e-15) << exponent;
    EXPECT_NEAR(out.x[1], 7.0 / 11, 1e-15) << exponent;
  }
  const auto lost = solve<double>(sparse<double>({{1e-200, 0}, {0, 1e-200}}), {1e-200, 1e-200});  // A p is 0 in double
  EXPECT_EQ(lost.stop, CgStop::not_finite);
  EXPECT_EQ(lost.residual, 1);
}

template <class T>
void expect_exhausted(const std::vector<T>& inverse) {
  const auto out =
      solve<T>(chain<T>(30, T(1)), test_vector<T>(30), {.tolerance = 0, .max_iterations = 100000}, inverse);
  EXPECT_TRUE(out.stop == CgStop::exhausted || (out.stop == CgStop::converged && out.residual == 0))
      << enum_name(out.stop) << " " << out.residual;
  EXPECT_LT(out.residual, 1e-25);
}

TEST(CgOnDevice, NothingLeftToReduceIsNoFaultOfTheMatrix) {
  NEEDS_DEVICE();
  expect_exhausted<double>({});
  expect_exhausted<double>(std::vector<double>(30, 1.0 / 3));
  expect_exhausted<float>({});
  expect_exhausted<float>(std::vector<float>(30, 1.0f / 3));
}

/// More elements than one round of all blocks takes, the last round not full.
constexpr std::uint64_t long_size = 5 * 512 * 512 + 77;

template <class T>
void expect_same_bits(const std::vector<T>& inverse) {
  const auto a = chain<T>(long_size, T(0.3));
  const auto b = test_vector<T>(long_size);
  const CgOptions options{.tolerance = 1e-6, .max_iterations = 60};
  const auto first = solve<T>(a, b, options, inverse);
  EXPECT_EQ(first.stop, CgStop::converged);
  for (int run = 0; run < 3; ++run) {
    const auto again = solve<T>(a, b, options, inverse);
    EXPECT_EQ(again.iterations, first.iterations);
    EXPECT_EQ(again.residual, first.residual);
    EXPECT_TRUE(again.x == first.x);
  }
  std::vector<T> x(long_size);
  ConjugateGradient<T> on_cpu(long_size, b.data(), inverse.empty() ? nullptr : inverse.data(), x.data(), options);
  on_cpu.run([&](const T* from, T* to) { cpu::spmv<T>(view_of(a), from, to); });
  EXPECT_EQ(on_cpu.iterations(), first.iterations);
  EXPECT_NEAR(on_cpu.residual() / first.residual, 1, 1e-3);
}

TEST(CgOnDevice, TheSameBitsInEveryRunAndTheCountOfTheCpu) {
  NEEDS_DEVICE();
  expect_same_bits<double>({});
  expect_same_bits<float>({});
  expect_same_bits<double>(std::vector<double>(long_size, 1 / 2.3));
}

TEST(CgOnDevice, PausesAndGoesOnWithAnotherProduct) {
  NEEDS_DEVICE();
  const auto a = chain<double>(200, 0.01);
  const auto b = test_vector<double>(200);
  const auto straight = solve<double>(a, b);
  const OnDevice<double, Csr> device(view_of(a)), other(view_of(a));
  auto solver = begin(b);
  int asked = 0;
  const auto paused = solver.run(device.product, [&] { return ++asked == 8; });
  ASSERT_TRUE(paused.ok());
  EXPECT_EQ(*paused, CgStop::running);
  EXPECT_GT(solver.iterations(), 0u);
  EXPECT_LT(solver.iterations(), 8u);
  EXPECT_EQ(solver.run(device.product, [] { return true; }).value(), CgStop::running);  // at once
  const auto seconds = solver.seconds_of_product(device.product);
  ASSERT_TRUE(seconds.ok()) << seconds.error().text();
  EXPECT_GT(*seconds, 0);
  EXPECT_LT(*seconds, 1);
  const auto out = finish(solver, other.product);
  EXPECT_EQ(out.stop, CgStop::converged);
  EXPECT_EQ(out.iterations, straight.iterations);
  EXPECT_EQ(out.x, straight.x);
  EXPECT_EQ(finish(solver, other.product).iterations, straight.iterations);  // nothing more to do
}

TEST(CgOnDevice, EveryFormatTakesTheCountOfTheCpu) {
  NEEDS_DEVICE();
  const auto generated = gallery::generate(parse_spec("poisson2d:n=60").value());
  ASSERT_TRUE(generated.ok());
  const auto a = view_of(generated->csr);
  const auto exact = reference_product<double>(a, test_vector<double>(a.rows).data());
  const std::vector<double> b(exact.y.begin(), exact.y.end());
  std::vector<double> x(b.size());
  ConjugateGradient<double> on_cpu(b.size(), b.data(), nullptr, x.data(), {});
  on_cpu.run([&](const double* from, double* to) { cpu::spmv<double>(a, from, to); });
  for (const Spec& spec : all_formats()) {
    const auto encoded = encode_any(a, spec);
    ASSERT_TRUE(encoded.ok()) << spec.name;
    with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
      const OnDevice<double, F> device(view_of(f));
      auto solver = begin(b);
      const auto out = finish(solver, device.product);
      EXPECT_EQ(out.stop, CgStop::converged) << spec.name;
      EXPECT_NEAR(static_cast<double>(out.iterations), static_cast<double>(on_cpu.iterations()), 3) << spec.name;
      for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(out.x[i], x[i], 1e-6) << spec.name;
    });
  }
}

TEST(CgOnDevice, VectorsThatDoNotFitAreRefused) {
  NEEDS_DEVICE();
  const auto info = cuda::device_info();
  ASSERT_TRUE(info.ok());
  // The spans are never read: the first allocation fails.
  static const double one = 1;
  const std::span<const double> endless(&one, info->memory_total / sizeof(double) + 1);
  const auto solver = cuda::ConjugateGradient<double>::make(endless, {}, endless, {});
  ASSERT_FALSE(solver.ok());
  EXPECT_EQ(solver.error().code, ErrorCode::too_large);
  EXPECT_NE(solver.error().message.find("right-hand side"), std::string::npos) << solver.error().message;
}

}  // namespace
}  // namespace spress
