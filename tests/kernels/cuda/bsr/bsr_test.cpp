// bsr on the device: groups of 8, 16 and 32 lanes, block rows of many steps and of none, every shape of block.
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

/// 100 rows with an entry in every `gap`-th column, none in rows 40 to 59.
Csr<Owned> every(std::uint32_t gap) {
  tests::Scenario s{"", 100, 3001, {}, {}};
  for (std::uint32_t r = 0; r < 100; ++r)
    for (std::uint32_t c = r % gap; c < s.cols && (r < 40 || r >= 60); c += gap) {
      s.entries.emplace_back(r, c);
      s.values.push_back(1.0 / static_cast<double>(s.entries.size() % 97 + 1) - 0.3);
    }
  return tests::make_csr(s);
}

TEST(BsrOnDevice, GroupsOfEverySize) {
  NEEDS_DEVICE();
  const std::vector<std::pair<std::uint32_t, std::string>> groups = {{3, "32"}, {200, "16"}, {1500, "8"}};
  for (const auto& [gap, lanes] : groups) {
    const auto a = every(gap);
    for (const char* r : {"1", "2", "3", "4", "5", "7", "8"})
      for (const char* c : {"1", "2", "3", "4", "7"}) {
        SCOPED_TRACE(std::string(r) + " x " + c);
        const auto kernel = tests::judged_in_every_store(view_of(a), {"bsr", {{"r", r}, {"c", c}}});
        if (std::string(r) == "2" && std::string(c) == "2") {
          EXPECT_EQ(kernel, lanes + " lanes per block row");
        }
      }
  }
}

/// Columns without entries lie in blocks, beside those with entries.
TEST(BsrOnDevice, FillingMeetsWhatIsNotFinite) {
  NEEDS_DEVICE();
  const auto a = every(200);
  for (const char* side : {"2", "3", "7"})
    tests::judged_beside_infinite(view_of(a), {"bsr", {{"r", side}, {"c", side}}});
}

}  // namespace
}  // namespace spress
