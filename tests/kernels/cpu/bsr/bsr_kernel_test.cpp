// The paths of bsr's product: blocks of every shape, reaching over the last row and column, filled with zeros in every
// store.
#include "tests/kernels/cpu/shared/block_products.hpp"

namespace spress {
namespace {

/// 61 rows and 59 columns are no multiples of any side but 1.
TEST(BsrKernel, BlocksOfEveryShapeInDouble) {
  tests::check_all_shapes<double>(tests::scattered_rows(59), "bsr", Bsr<>::largest_side);
}
TEST(BsrKernel, BlocksOfEveryShapeInFloat) {
  tests::check_all_shapes<float>(tests::scattered_rows(59), "bsr", Bsr<>::largest_side);
}
TEST(BsrKernel, FillingMeetsWhatIsNotFinite) {
  for (const std::uint32_t side : {2u, 3u, 4u}) tests::check_filling(tests::blocks_of("bsr", side, side));
}
TEST(BsrKernel, FullBlocks) { tests::check_full_blocks("bsr", {1, 2, 3, 4, 6, 8}); }

}  // namespace
}  // namespace spress
