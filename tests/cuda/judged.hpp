// A product on the device, judged.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "encode/any.hpp"
#include "kernels/cuda/matrix.hpp"
#include "kernels/cuda/spmv.hpp"
#include "kernels/reference.hpp"

namespace spress::tests {

/// y = A x in the format of `spec` into poisoned memory, twice, with the same bits where the product promises them.
/// x_on_device: x but for elements that no entry may touch. Returns which kernel it was; "not applicable" where the
/// format cannot hold the matrix.
template <class T>
std::string judged_kernel(const Csr<Viewed>& a, const Spec& spec, const std::vector<T>& x,
                          const std::vector<T>& x_on_device) {
  std::string kernel = "not applicable";
  const auto encoded = encode_any(a, spec);
  if (!encoded.ok()) return kernel;
  with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
    SCOPED_TRACE(spec.text() + " " + std::string(enum_name(a.values.kind)));
    const auto matrix = cuda::upload(view_of(f));
    const auto device_x = cuda::upload(std::span<const T>(x_on_device), "x");
    const auto y = cuda::allocate(f.rows * sizeof(T), "y");
    ASSERT_TRUE(matrix.ok() && device_x.ok() && y.ok());
    const auto product = cuda::product<T>(view_of(f), matrix->view);
    ASSERT_TRUE(product.ok()) << product.error().text();
    kernel = product->kernel;
    std::vector<T> results[2];
    for (auto& result : results) {
      ASSERT_TRUE(cuda::fill_bytes(y->data(), 0xFF, y->bytes()).ok());
      const Status launched = product->multiply(device_x->template as<T>(), y->template as<T>(), nullptr);
      ASSERT_TRUE(launched.ok()) << launched.error().text();
      auto host_y = cuda::download<T>(*y, f.rows);
      ASSERT_TRUE(host_y.ok()) << host_y.error().text();
      result = std::move(*host_y);
    }
    const auto verdict = judge(reference_product<T>(a, x.data()), results[0].data());
    EXPECT_TRUE(verdict.ok) << kernel << ": " << verdict.reason;
    if (product->repeatable) {
      EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), y->bytes()), 0) << kernel;
    }
  });
  return kernel;
}

}  // namespace spress::tests
