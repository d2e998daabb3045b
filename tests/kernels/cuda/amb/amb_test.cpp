// amb on the device where filling meets what is not finite: chunks, pieces of long ones, stretches of short ones, sums
// that are stored and sums that are added.
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

/// Rows of `length` entries, the last one of `longest`, in columns that are multiples of 5.
Csr<Owned> apart(std::uint32_t rows, std::uint32_t length, std::uint32_t longest) {
  tests::Scenario s{"", rows, 20'000, {}, {}};
  for (std::uint32_t r = 0; r < rows; ++r) {
    const std::uint32_t entries = r + 1 == rows ? longest : length, gap = 4000 / entries * 5;
    for (std::uint32_t i = 0; i < entries; ++i) {
      s.entries.emplace_back(r, i * gap + (gap > 5 ? r % 3 * 5 : 0));
      s.values.push_back(static_cast<double>((r + 3 * i) % 7) + 1);
    }
  }
  return tests::make_csr(s);
}

TEST(AmbOnDevice, FillingMeetsWhatIsNotFinite) {
  NEEDS_DEVICE();
  for (const auto& a : {apart(200, 2, 3), apart(200, 2, 3000), apart(70, 80, 90), apart(40, 80, 3000)})
    for (const char* block : {"2", "3", "4", "10"}) {
      SCOPED_TRACE(std::to_string(a.nnz) + " entries");
      for (const char* base : {"step", "none"})
        tests::judged_beside_infinite(view_of(a), {"amb", {{"block", block}, {"base", base}}});
      tests::judged_beside_infinite(view_of(a), {"amb", {{"block", block}, {"segment", "4096"}}});
    }
}

}  // namespace
}  // namespace spress
