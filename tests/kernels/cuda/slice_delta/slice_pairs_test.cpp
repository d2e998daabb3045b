// Slices that share their description, two by two: how they are found, which needs no device, and their product.
#include "kernels/cuda/slice_delta/slice_pairs.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "encode/shared/codec.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"

namespace spress {
namespace {

Csr<Owned> generated(const std::string& what, StoreKind kind) {
  const auto generated = gallery::generate(*parse_spec(what));
  return *with_values(view_of(generated->csr), kind);
}

SliceDelta<Owned> encoded(const Csr<Owned>& a, SliceDelta<Owned>::Params params = {}) {
  return *encode<SliceDelta>(view_of(a), params);
}

/// Every slice is in one pair, with its equal, not far from it.
void check_pairs(const SliceDelta<Viewed>& f, const std::vector<cuda::SlicePair>& pairs) {
  std::vector<int> seen(slices_of(f));
  for (const cuda::SlicePair& pair : pairs) {
    const auto [first, second] = pair.slice;
    ++seen.at(first);
    if (second != first) ++seen.at(second);
    ASSERT_LE(first, second);
    EXPECT_LE(second - first, cuda::pair_reach);
    for (const std::uint32_t slice : pair.slice) EXPECT_EQ(f.first_word[slice], pair.first_word);
    EXPECT_EQ(f.value_start.position(first), pair.value[0]);
    EXPECT_EQ(f.value_start.position(second), pair.value[1]);
  }
  for (const int times : seen) EXPECT_EQ(times, 1);
}

TEST(SlicePairs, HoldEverySliceOnce) {
  for (const char* what : {"stencil27:n=20,values=few", "stencil7:n=33,values=few", "poisson2d:n=100,values=few"}) {
    SCOPED_TRACE(what);
    const auto f = encoded(generated(what, StoreKind::lut8));
    const auto pairs = cuda::pair_slices(view_of(f));
    ASSERT_TRUE(pairs.has_value());
    EXPECT_LT(pairs->size(), slices_of(f) * 6 / 10);
    check_pairs(view_of(f), *pairs);
  }
}

TEST(SlicePairs, AreOfStoresThatStandNear) {
  const auto has_pairs = [](const Csr<Owned>& a) { return cuda::pair_slices(view_of(encoded(a))).has_value(); };
  EXPECT_FALSE(has_pairs(generated("stencil27:n=20,values=few", StoreKind::raw)));
  EXPECT_FALSE(has_pairs(generated("stencil27:n=20,values=few,distinct=3000", StoreKind::lut16)));
  EXPECT_TRUE(has_pairs(generated("stencil27:n=20,values=natural", StoreKind::narrow))) << "8-bit numbers";
  EXPECT_TRUE(has_pairs(generated("stencil27:n=20,values=pattern", StoreKind::raw)));
}

TEST(SlicePairs, NumberTheirValuesBy32Bits) {
  const auto f = encoded(generated("stencil27:n=20,values=few", StoreKind::lut8));
  SliceDelta<Viewed> large = view_of(f);
  EXPECT_TRUE(cuda::pair_slices(large).has_value());
  large.values.count = std::uint64_t{1} << 32;
  EXPECT_FALSE(cuda::pair_slices(large).has_value());
}

TEST(SlicePairs, AreFoundFarOffWhereFewAreNear) {
  const auto f = encoded(generated("stencil27:nx=109,ny=40,nz=8,values=few", StoreKind::lut8));
  const auto pairs = cuda::pair_slices(view_of(f));
  ASSERT_TRUE(pairs.has_value());
  EXPECT_LT(pairs->size(), slices_of(f) * 6 / 10);
  check_pairs(view_of(f), *pairs);
}

TEST(SlicePairs, AreLeftAloneWhereFewAreAlike) {
  const auto f = encoded(generated("band:n=3000,half=40,per_row=8,values=few", StoreKind::lut8));
  EXPECT_FALSE(cuda::pair_slices(view_of(f)).has_value());
}

TEST(SlicePairs, MultiplyNoneThatIsNotFinite) {
  Csr<Owned> a = generated("stencil7:n=20,values=few", StoreKind::raw);
  HostArray<double> values(a.nnz);
  for (std::uint64_t k = 0; k < a.nnz; ++k) values[k] = k % 7 == 0 ? std::numeric_limits<double>::infinity() : 2.0;
  a.values = raw_store(std::move(values));
  EXPECT_FALSE(cuda::pair_slices(view_of(encoded(*with_values(view_of(a), StoreKind::lut8)))).has_value());
}

TEST(SlicePairs, MultiplyInEveryStore) {
  NEEDS_DEVICE();
  for (const char* what : {"stencil27:n=33,values=few", "stencil7:n=50,values=natural",
                           "poisson2d:n=300,values=pattern", "elasticity3d:n=12,values=few"})
    for (const char* sigma : {"1", "64"}) {
      SCOPED_TRACE(what);
      const auto a = gallery::generate(*parse_spec(what));
      tests::judged_in_every_store(view_of(a->csr), {"slice-delta", {{"sigma", sigma}}});
    }
  for (const char* what : {"stencil27:n=33,values=few", "elasticity3d:n=20,values=few"}) {
    SCOPED_TRACE(what);
    const auto lut8 = generated(what, StoreKind::lut8);
    EXPECT_EQ(tests::judged<double>(view_of(lut8), {"slice-delta", {}}).kernel, "row per lane, two slices a warp");
  }
}

}  // namespace
}  // namespace spress
