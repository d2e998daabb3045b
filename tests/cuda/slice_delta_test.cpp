// slice-delta on the device, where the scenarios that all formats meet are too small: residuals of all widths, whole
// slices of each width of framed values.
#include "tests/cuda/judged.hpp"
#include "tests/cuda/needs_device.hpp"
#include "tests/far_columns.hpp"
#include "tests/framed_matrix.hpp"

namespace spress {
namespace {

void check(const Csr<Owned>& a, const char* values) {
  for (const char* sigma : {"1", "64"})
    tests::judged<double>(view_of(a), {"slice-delta", {{"values", values}, {"sigma", sigma}}});
}

TEST(SliceDeltaOnDevice, ColumnsFarApart) {
  NEEDS_DEVICE();
  for (const std::uint32_t cols : {1000u, 100000u, 4000000u})
    for (const char* values : {"stored", "shared", "decimal"}) check(tests::far_columns(cols), values);
}

TEST(SliceDeltaOnDevice, FramesOfEveryWidth) {
  NEEDS_DEVICE();
  for (std::uint32_t width = 0; width <= 8; ++width) check(tests::framed_matrix(width, false), "shared");
  for (std::uint32_t width = 1; width <= tests::most_decimal_width; ++width)
    check(tests::framed_matrix(width, true), "decimal");
}

}  // namespace
}  // namespace spress
