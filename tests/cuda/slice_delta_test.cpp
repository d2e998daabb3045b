// slice-delta on the device, where the scenarios that all formats meet are too small: residuals of all widths, whole
// slices of each width of framed values.
#include <bit>
#include <random>

#include "tests/cuda/judged.hpp"
#include "tests/cuda/needs_device.hpp"
#include "tests/cuda/rows.hpp"
#include "tests/far_columns.hpp"

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

/// A diagonal band of seven, the values of which differ in their last `bits` bits, but for one in a hundred.
TEST(SliceDeltaOnDevice, FramesOfEveryWidth) {
  NEEDS_DEVICE();
  const auto band = tests::rows_of(300, 307, tests::always(7));
  std::mt19937_64 random(11);
  for (int bits = 0; bits <= 60; bits += 4) {
    auto a = tests::make_csr(band);
    for (std::uint64_t k = 0; k < a.nnz; ++k) {
      const std::uint64_t drawn = bits == 0 ? 0 : random() >> (64 - bits);
      a.values.codes.as<double>()[k] =
          random() % 100 == 0 ? -1.0 / 3 : std::bit_cast<double>(0x3FE5555555555555 + (drawn & 0x000FFFFFFFFFFFFF));
    }
    SCOPED_TRACE(bits);
    for (const char* values : {"shared", "decimal"}) check(a, values);
  }
}

}  // namespace
}  // namespace spress
