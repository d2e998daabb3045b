// Every format of the list, every value store, every scenario, float and double, on the device: judged by the rigorous
// bound, run again for the same bits where the product promises them.
#include "kernels/cuda/spmv.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <span>

#include "encode/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "kernels/cuda/matrix.hpp"
#include "kernels/reference.hpp"
#include "tests/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Fill;

std::vector<Spec> specs() {
  auto all = all_formats();
  for (const char* mode : {"delta", "anchored", "diagonal"}) all.push_back({"opt-csr", {{"index", mode}}});
  for (const char* c : {"1", "7", "64", "1024"}) all.push_back({"sell", {{"c", c}}});
  for (const char* block : {"1", "2", "3", "7", "10"}) all.push_back({"amb", {{"block", block}}});
  all.push_back({"amb", {{"segment", "3"}, {"sigma", "32"}}});
  for (const char* threshold : {"1", "5", "65"}) all.push_back({"hybrid-bm-csr", {{"threshold", threshold}}});
  for (const char* format : {"bcoo", "bccoo", "bccoo-gpu"})
    for (const char* b : {"1", "3", "100000"}) all.push_back({format, {{"b", b}}});
  return all;
}

/// y of one run into poisoned memory, and what stood behind its last element.
template <class T>
Result<std::vector<T>> run(const cuda::Product<T>& product, const cuda::DeviceMemory& x, std::uint64_t rows) {
  SPRESS_TRY(const auto y, cuda::allocate((rows + 1) * sizeof(T), "y"));
  SPRESS_CHECK(cuda::fill_bytes(y.data(), 0xFF, (rows + 1) * sizeof(T)));
  SPRESS_CHECK(product.multiply(x.as<T>(), y.as<T>(), nullptr));
  SPRESS_CHECK(cuda::synchronize());
  return cuda::download<T>(y, rows + 1);
}

template <class T>
bool poisoned(T value) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof value);
  return std::all_of(bytes, bytes + sizeof(T), [](unsigned char byte) { return byte == 0xFF; });
}

template <class T, template <class> class F>
void check(const F<Owned>& f, const std::vector<T>& x, const Reference& reference, const std::string& what) {
  const auto matrix = cuda::upload(view_of(f));
  ASSERT_TRUE(matrix.ok()) << matrix.error().text();
  const auto product = cuda::product<T>(view_of(f), matrix->view);
  ASSERT_TRUE(product.ok()) << what << ": " << product.error().text();
  const auto device_x = cuda::upload(std::span<const T>(x), "x");
  ASSERT_TRUE(device_x.ok());
  const auto y = run(*product, *device_x, f.rows);
  ASSERT_TRUE(y.ok()) << what << ": " << y.error().text();
  const auto verdict = judge(reference, y->data());
  EXPECT_TRUE(verdict.ok) << what << " (" << product->kernel << "): " << verdict.reason;
  EXPECT_TRUE(poisoned(y->back())) << what << " (" << product->kernel << ") writes behind y";
  if (!product->repeatable) return;
  const auto again = run(*product, *device_x, f.rows);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(std::memcmp(y->data(), again->data(), f.rows * sizeof(T)), 0)
      << what << " (" << product->kernel << ") gives other bits in another run";
}

template <class T>
void check_every_format(const Csr<Viewed>& a, const std::string& name) {
  const auto x = test_vector<T>(a.cols);
  const auto reference = reference_product<T>(a, x.data());
  for (const auto& spec : specs()) {
    const auto encoded = encode_any(a, spec);
    if (!encoded.ok() && encoded.error().code == ErrorCode::not_applicable) continue;
    ASSERT_TRUE(encoded.ok()) << spec.text();
    with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
      check<T>(f, x, reference, spec.text() + " " + std::string(enum_name(a.values.kind)) + " on " + name);
    });
  }
}

template <class T>
void check_scenario(const tests::Scenario& scenario, Fill fill) {
  if (scenario.cols > 1000000) return;  // the vector alone would be gigabytes
  const auto typed = with_value_type(view_of(tests::make_csr(scenario, fill)), value_type_of<T>);
  ASSERT_TRUE(typed.ok());
  for (StoreKind kind : all_stores)
    if (const auto a = with_values(view_of(*typed), kind); a.ok()) check_every_format<T>(view_of(*a), scenario.name);
}

TEST(SpmvOnDevice, EveryFormatStoreAndScenarioInDouble) {
  NEEDS_DEVICE();
  for (const auto& scenario : tests::scenarios()) {
    check_scenario<double>(scenario, Fill::real);
    check_scenario<double>(scenario, Fill::pattern);
  }
}

TEST(SpmvOnDevice, EveryFormatStoreAndScenarioInFloat) {
  NEEDS_DEVICE();
  for (const auto& scenario : tests::scenarios()) {
    check_scenario<float>(scenario, Fill::real);
    check_scenario<float>(scenario, Fill::pattern);
  }
}

/// Large enough for many blocks, chunks and slices, with rows long and short: what tiny scenarios cannot reach.
TEST(SpmvOnDevice, GalleryMatrices) {
  NEEDS_DEVICE();
  for (const char* text : {"stencil27:n=24,values=noise", "elasticity3d:n=12,values=few,distinct=256",
                           "powerlaw:n=20000,values=noise", "circuit:n=20000,values=noise",
                           "band:n=5000,half=400,per_row=60,values=noise", "uniform:n=30000,k=8,values=noise"}) {
    const auto spec = parse_spec(text);
    ASSERT_TRUE(spec.ok()) << text;
    const auto matrix = gallery::generate(*spec);
    ASSERT_TRUE(matrix.ok()) << matrix.error().text();
    for (StoreKind kind : {StoreKind::raw, StoreKind::lut8})
      if (const auto a = with_values(view_of(matrix->csr), kind); a.ok()) check_every_format<double>(view_of(*a), text);
  }
}

}  // namespace
}  // namespace spress
