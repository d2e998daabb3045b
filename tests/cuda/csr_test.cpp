// Rows of chosen lengths for the kernels of csr, coo, bcoo and bccoo: each kernel of csr, rows cut into pieces, rows
// that many shares hold, lanes that begin somewhere in their rows.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <span>

#include "encode/any.hpp"
#include "kernels/cuda/matrix.hpp"
#include "kernels/cuda/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using LengthOf = std::function<std::uint32_t(std::uint32_t)>;

/// Row r holds length(r) columns: step(r) apart, from r on.
tests::Scenario rows_of(std::uint32_t rows, std::uint32_t cols, const LengthOf& length, const LengthOf& step) {
  tests::Scenario s;
  s.rows = rows, s.cols = cols;
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t k = 0; k < length(r) && r + k * step(r) < cols; ++k) s.entries.emplace_back(r, r + k * step(r));
  for (std::size_t k = 0; k < s.entries.size(); ++k) s.values.push_back(1.0 / static_cast<double>(k % 97 + 1) - 0.3);
  return s;
}

/// Judges the product of a format, twice with the same bits, and returns which kernel it was.
template <class T>
std::string kernel_of(const Csr<Viewed>& a, const Spec& spec) {
  std::string kernel;
  const auto encoded = encode_any(a, spec);
  if (!encoded.ok()) return "not applicable";
  with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
    SCOPED_TRACE(spec.text());
    const auto x = test_vector<T>(a.cols);
    const auto matrix = cuda::upload(view_of(f));
    const auto device_x = cuda::upload(std::span<const T>(x), "x");
    const auto y = cuda::allocate(f.rows * sizeof(T), "y");
    ASSERT_TRUE(matrix.ok() && device_x.ok() && y.ok());
    const auto product = cuda::product<T>(view_of(f), matrix->view);
    ASSERT_TRUE(product.ok()) << product.error().text();
    EXPECT_TRUE(product->repeatable);
    kernel = product->kernel;
    std::vector<T> results[2];
    for (auto& result : results) {
      ASSERT_TRUE(cuda::fill_bytes(y->data(), 0xFF, y->bytes()).ok());
      ASSERT_TRUE(product->multiply(device_x->template as<T>(), y->template as<T>(), nullptr).ok());
      auto host_y = cuda::download<T>(*y, f.rows);
      ASSERT_TRUE(host_y.ok()) << host_y.error().text();
      result = std::move(*host_y);
    }
    const auto verdict = judge(reference_product<T>(a, x.data()), results[0].data());
    EXPECT_TRUE(verdict.ok) << kernel << ": " << verdict.reason;
    EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), y->bytes()), 0) << kernel;
  });
  return kernel;
}

/// Checks the four formats in every store, double and float; returns csr's kernel.
std::string check(const tests::Scenario& scenario) {
  const auto a = tests::make_csr(scenario);
  const auto narrowed = with_value_type(view_of(a), ValueType::f32);
  EXPECT_TRUE(narrowed.ok());
  std::string kernel;
  for (StoreKind kind : all_stores) {
    const auto wide = with_values(view_of(a), kind), narrow = with_values(view_of(*narrowed), kind);
    for (const Spec& spec :
         {Spec{"csr", {}}, Spec{"coo", {}}, Spec{"bcoo", {{"b", "50"}}}, Spec{"bccoo", {{"b", "9"}}}}) {
      if (wide.ok()) kernel_of<double>(view_of(*wide), spec);
      if (narrow.ok()) kernel_of<float>(view_of(*narrow), spec);
    }
    if (wide.ok()) kernel = kernel_of<double>(view_of(*wide), {"csr", {}});
  }
  return kernel;
}

const LengthOf one = [](std::uint32_t) { return 1; };
/// Columns as far apart as no neighbour's are.
const LengthOf scattered = [](std::uint32_t r) { return 20 + r * 7 % 50; };

TEST(CsrOnDevice, RowsThatFollowOneAnotherAreTakenByLanes) {
  NEEDS_DEVICE();
  for (std::uint32_t length : {1u, 7u, 16u, 27u, 81u, 900u})
    EXPECT_NE(check(rows_of(
                        40000 / length, 80000, [&](auto r) { return length - (r % 90 == 5 ? 1 : 0); }, one))
                  .find("lanes per row"),
              std::string::npos)
        << length;
}

/// One row of 64 lies on a side of the grid and is unlike the next: a sample of every 64th row would see nothing else.
TEST(CsrOnDevice, SidesOfGridsDoNotDecide) {
  NEEDS_DEVICE();
  const auto side = [](std::uint32_t r) { return r % 64 == 0; };
  const auto a = tests::make_csr(rows_of(
      1 << 18, 1 << 19, [&](auto r) { return side(r) ? 2u : 3u; }, [&](auto r) { return side(r) ? 90u : 2u; }));
  EXPECT_NE(kernel_of<double>(view_of(a), {"csr", {}}).find("lanes per row"), std::string::npos);
}

TEST(CsrOnDevice, RowsOfAnyLengthsAreTakenByEntries) {
  NEEDS_DEVICE();
  for (const LengthOf& length :
       {LengthOf([](auto) { return 8; }), LengthOf([](auto r) { return r % 7; }),
        LengthOf([](auto r) { return r % 100 == 3 ? 1000 : r % 9; }), LengthOf([](auto r) { return 30 + r % 5; })})
    EXPECT_NE(check(rows_of(3000, 90000, length, scattered)).find("sums by row"), std::string::npos);
}

TEST(CsrOnDevice, RowsLongerThanATileAreCut) {
  NEEDS_DEVICE();
  const auto stepped = [](std::uint32_t step) { return [=](std::uint32_t) { return step; }; };
  check(rows_of(
      9, 30000, [](auto r) { return 5000 + r; }, stepped(5)));
  check(rows_of(
      500, 200000, [](auto r) { return r == 300 ? 100000 : r % 20; }, stepped(2)));
  check(rows_of(
      500, 100000, [](auto r) { return r == 0 || r == 499 ? 40000 : 0; }, stepped(1)));
  check(rows_of(
      1, 70000, [](auto) { return 70000; }, stepped(1)));
  for (std::uint32_t length : {1019u, 1020u, 1021u, 1024u, 1535u, 1536u, 1537u, 3073u})
    check(rows_of(
        3, 90000, [&](auto) { return length; }, stepped(20)));
}

TEST(CsrOnDevice, ManyEmptyRows) {
  NEEDS_DEVICE();
  check(rows_of(
      100000, 100000, [](auto r) { return r % 7001 == 7000 ? 3 : 0; }, one));
}

}  // namespace
}  // namespace spress
