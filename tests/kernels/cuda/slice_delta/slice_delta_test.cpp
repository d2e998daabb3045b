// slice-delta on the device, where the scenarios that all formats meet are too small: residuals of all widths.
#include "tests/far_columns.hpp"
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"

namespace spress {
namespace {

TEST(SliceDeltaOnDevice, ColumnsFarApart) {
  NEEDS_DEVICE();
  for (const std::uint32_t cols : {1000u, 100000u, 4000000u})
    for (const char* sigma : {"1", "64"})
      tests::judged<double>(view_of(tests::far_columns(cols)), {"slice-delta", {{"sigma", sigma}}});
}

}  // namespace
}  // namespace spress
