// More than 2^31 entries: positions must be 64 bits wide in every kernel. Wants tens of gigabytes on host and device,
// and skips where they are not there.
#include <gtest/gtest.h>
#include <omp.h>

#include "formats/core/memory.hpp"
#include "kernels/cuda/csr/csr_ways.hpp"
#include "kernels/cuda/device/device.hpp"
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"

namespace spress {
namespace {

/// A pattern of 2^22 + 1 rows of 520 entries each: 2.18e9 in all. A row is a run of 512 columns near the diagonal and
/// eight far from it.
Csr<Owned> large_matrix() {
  constexpr std::uint64_t rows = (std::uint64_t{1} << 22) + 1, run = 512, far = 8, length = run + far;
  Csr<Owned> a;
  a.rows = a.cols = rows;
  a.nnz = rows * length;
  a.row_ptr = Positions<Owned>(position_type(a.nnz), rows + 1);
  a.col_idx = HostArray<std::uint32_t>(a.nnz);
  a.values = pattern_store(a.nnz);
  fill_positions(a.row_ptr, [&](auto* row_ptr) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r <= rows; ++r)
      row_ptr[r] = static_cast<std::remove_reference_t<decltype(*row_ptr)>>(r * length);
  });
#pragma omp parallel for schedule(static)
  for (std::uint64_t r = 0; r < rows; ++r) {
    const bool upper = r < rows / 2;  // where the far ones stand: behind the run, or before it
    const std::uint64_t first = upper ? r : r - run, base = upper ? rows - 8000 : 1000;
    auto* col = a.col_idx.data() + r * length;
    for (std::uint64_t k = 0; k < run; ++k) col[(upper ? 0 : far) + k] = static_cast<std::uint32_t>(first + k);
    for (std::uint64_t k = 0; k < far; ++k) col[(upper ? run : 0) + k] = static_cast<std::uint32_t>(base + 700 * k);
  }
  return a;
}

TEST(LargeOnDevice, MoreThanTwoToThe31Entries) {
  NEEDS_DEVICE();
  const auto device = cuda::device_info();
  ASSERT_TRUE(device.ok());
  constexpr std::uint64_t gigabyte = 1'000'000'000;
  if (device->memory_free < 60 * gigabyte) GTEST_SKIP() << "needs 60 GB of free device memory";
  if (!fits_memory(80 * gigabyte, "the test").ok()) GTEST_SKIP() << "needs 80 GB of free host memory";
  const auto a = large_matrix();
  ASSERT_GT(a.nnz, std::uint64_t{1} << 31);
  ASSERT_TRUE(validate(view_of(a)).ok());
  const auto x = test_vector<float>(a.cols);
  const auto reference = reference_product<float>(view_of(a), x.data());
  for (const auto& spec : all_formats()) {
    const auto encoded = encode_any(view_of(a), spec);
    if (!encoded.ok() && encoded.error().code == ErrorCode::not_applicable) continue;
    ASSERT_TRUE(encoded.ok()) << encoded.error().text();
    SCOPED_TRACE(spec.text());
    with_any(*encoded, [&](const auto& f) { tests::judged<float>(f, reference, x); });
  }
  for (const CsrWay way : {CsrWay::thread, CsrWay::warp, CsrWay::lanes, CsrWay::entries})
    tests::judged<float>(a, reference, x, [way](const Csr<Viewed>& host, const Csr<Viewed>& there) {
      return cuda::product<float>(host, there, {way});
    });
  tests::judged<float>(a, reference, x, cuda::csr_direct_product<float>);
}

}  // namespace
}  // namespace spress
