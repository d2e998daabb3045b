// The paths of yaspmv's product: blocks of every shape, reaching over the last row and column, filled with zeros in
// every store; rows over several groups, groups of few steps, rows without blocks.
#include "tests/kernels/cpu/shared/block_products.hpp"

namespace spress {
namespace {

constexpr std::uint32_t largest = Yaspmv<>::largest_side;
/// No multiple of any side but 1. Differences of columns do not fit 16 bits in blocks of any width.
constexpr std::uint32_t wide = 600'011;

/// Rows of all lengths up to three groups.
Csr<Owned> long_rows() {
  tests::Scenario s{"", 9, 1601, {}, {}};
  for (std::uint32_t r = 0; r < 9; ++r)
    for (std::uint32_t c = 0; c < (r == 4 ? s.cols : 300 * (r % 3)); ++c) {
      s.entries.emplace_back(r, c);
      s.values.push_back(static_cast<double>((r + c) % 5) - 1.5);
    }
  return tests::make_csr(s);
}

TEST(YaspmvKernel, BlocksOfEveryShapeInDouble) {
  tests::check_all_shapes<double>(tests::scattered_rows(wide), "yaspmv", largest);
}
TEST(YaspmvKernel, BlocksOfEveryShapeInFloat) {
  tests::check_all_shapes<float>(tests::scattered_rows(wide), "yaspmv", largest);
}
TEST(YaspmvKernel, RowsOverSeveralGroups) { tests::check_all_shapes<double>(long_rows(), "yaspmv", largest); }
TEST(YaspmvKernel, FillingMeetsWhatIsNotFinite) {
  for (const std::uint32_t side : {2u, 3u, 4u}) tests::check_filling(tests::blocks_of("yaspmv", side, side));
}
TEST(YaspmvKernel, FullBlocks) { tests::check_full_blocks("yaspmv", {1, 2, 3, 4}); }

}  // namespace
}  // namespace spress
