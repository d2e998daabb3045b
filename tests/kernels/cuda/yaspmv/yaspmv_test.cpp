// yaspmv on the device: rows over many groups, groups of few steps, far differences, every shape of block.
#include "tests/kernels/cuda/judged.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

/// `rows` rows with an entry in every `gap`-th column, none in every seventh row.
Csr<Owned> every(std::uint32_t rows, std::uint32_t cols, std::uint32_t gap) {
  tests::Scenario s{"", rows, cols, {}, {}};
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = r % gap; c < cols && r % 7 != 5; c += gap) {
      s.entries.emplace_back(r, c);
      s.values.push_back(1.0 / static_cast<double>(s.entries.size() % 97 + 1) - 0.3);
    }
  return tests::make_csr(s);
}

TEST(YaspmvOnDevice, BlocksOfEveryShape) {
  NEEDS_DEVICE();
  const std::vector<Csr<Owned>> matrices = [] {
    std::vector<Csr<Owned>> all;
    all.push_back(every(100, 3001, 3));          // rows of more blocks than a group has
    all.push_back(every(5, 20'001, 1));          // rows over many groups
    all.push_back(every(5000, 41, 11));          // several rows in a lane
    all.push_back(every(50, 400'000, 150'000));  // differences that 16 bits do not hold
    all.push_back(every(13, 17, 5));             // a group of one step
    return all;
  }();
  for (const auto& a : matrices)
    for (const char* r : {"1", "2", "3", "4"})
      for (const char* c : {"1", "2", "3", "4"}) {
        SCOPED_TRACE(std::string(r) + " x " + c + ", " + std::to_string(a.cols) + " columns");
        tests::judged_in_every_store(view_of(a), {"yaspmv", {{"r", r}, {"c", c}}});
      }
}

}  // namespace
}  // namespace spress
