// A product on the device, judged.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "encode/shared/any.hpp"
#include "kernels/cuda/matrix.hpp"
#include "kernels/cuda/spmv.hpp"
#include "kernels/reference.hpp"

namespace spress::tests {

/// y of one run into poisoned memory, and the element behind its last.
template <class T>
Result<std::vector<T>> poisoned_run(const cuda::Product<T>& product, const cuda::DeviceMemory& x, std::uint64_t rows) {
  SPRESS_TRY(const auto y, cuda::allocate((rows + 1) * sizeof(T), "y"));
  SPRESS_CHECK(cuda::fill_bytes(y.data(), 0xFF, y.bytes()));
  SPRESS_CHECK(product.multiply(x.as<T>(), y.template as<T>(), nullptr));
  SPRESS_CHECK(cuda::synchronize());
  return cuda::download<T>(y, rows + 1);
}

template <class T>
bool is_poison(T value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof value);
  return std::all_of(bytes, bytes + sizeof(T), [](unsigned char byte) { return byte == 0xFF; });
}

/// What a product says of itself.
struct Judged {
  std::string kernel = "not applicable";
  bool repeatable = false;
};

/// Multiplies a format and judges the result; again for the same bits where the product promises them. Nothing behind y
/// may be written. make(host, device): the product, if not the format's own.
template <class T, template <class> class F, class Make>
Judged judged(const F<Owned>& f, const Reference& reference, const std::vector<T>& x, const Make& make) {
  Judged out;
  const auto check = [&] {
    const auto matrix = cuda::upload(view_of(f));
    ASSERT_TRUE(matrix.ok()) << matrix.error().text();
    const auto product = make(view_of(f), matrix->view);
    ASSERT_TRUE(product.ok()) << product.error().text();
    out = {product->kernel, product->repeatable};
    SCOPED_TRACE(product->kernel);
    const auto device_x = cuda::upload(std::span<const T>(x), "x");
    ASSERT_TRUE(device_x.ok()) << device_x.error().text();
    const auto y = poisoned_run(*product, *device_x, f.rows);
    ASSERT_TRUE(y.ok()) << y.error().text();
    const auto verdict = judge(reference, y->data());
    EXPECT_TRUE(verdict.ok) << verdict.reason;
    EXPECT_TRUE(is_poison(y->back())) << "writes behind y";
    if (!product->repeatable) return;
    const auto again = poisoned_run(*product, *device_x, f.rows);
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_EQ(std::memcmp(y->data(), again->data(), f.rows * sizeof(T)), 0) << "other bits in another run";
  };
  check();
  return out;
}

template <class T, template <class> class F>
Judged judged(const F<Owned>& f, const Reference& reference, const std::vector<T>& x) {
  return judged<T>(f, reference, x,
                   [](const F<Viewed>& host, const F<Viewed>& device) { return cuda::product<T>(host, device); });
}

/// The same for a matrix in the format of `spec`, unless that cannot hold it. x_on_device: x but for elements that no
/// entry may touch.
template <class T>
Judged judged(const Csr<Viewed>& a, const Spec& spec, const std::vector<T>& x, const std::vector<T>& x_on_device) {
  Judged out;
  const auto encoded = encode_any(a, spec);
  EXPECT_TRUE(encoded.ok() || encoded.error().code == ErrorCode::not_applicable) << spec.text();
  if (!encoded.ok()) return out;
  SCOPED_TRACE(spec.text() + " " + std::string(enum_name(a.values.kind)));
  const auto reference = reference_product<T>(a, x.data());
  with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
    const auto params = parse_params<ParamsOf<F>>(spec);
    out = judged<T>(f, reference, x_on_device, [&](const F<Viewed>& host, const F<Viewed>& device) {
      return cuda::product<T>(host, device, *params);
    });
  });
  return out;
}
template <class T>
Judged judged(const Csr<Viewed>& a, const Spec& spec) {
  const auto x = test_vector<T>(a.cols);
  return judged<T>(a, spec, x, x);
}

/// Calls use.operator()<T>(a), T double and float, with a in every value store that holds its values.
template <class Use>
void in_every_store(const Csr<Viewed>& a, const Use& use) {
  const auto narrowed = with_value_type(a, ValueType::f32);
  ASSERT_TRUE(narrowed.ok());
  for (StoreKind kind : all_stores) {
    if (const auto wide = with_values(a, kind); wide.ok()) use.template operator()<double>(view_of(*wide));
    if (const auto narrow = with_values(view_of(*narrowed), kind); narrow.ok())
      use.template operator()<float>(view_of(*narrow));
  }
}

/// Judges a format in every store, double and float, with x infinite in the columns without entries, where only filling
/// and padding are.
inline void judged_beside_infinite(const Csr<Viewed>& a, const Spec& spec) {
  in_every_store(a, [&]<class T>(const Csr<Viewed>& stored) {
    const auto x = test_vector<T>(stored.cols);
    std::vector<T> guarded(x.size(), std::numeric_limits<T>::infinity());
    for (const std::uint32_t column : stored.col_idx) guarded[column] = x[column];
    judged<T>(stored, spec, x, guarded);
  });
}

/// Judges a format in every store, double and float; returns its kernel for raw values.
inline std::string judged_in_every_store(const Csr<Viewed>& a, const Spec& spec) {
  in_every_store(a, [&]<class T>(const Csr<Viewed>& stored) { judged<T>(stored, spec); });
  return judged<double>(a, spec).kernel;
}

}  // namespace spress::tests
