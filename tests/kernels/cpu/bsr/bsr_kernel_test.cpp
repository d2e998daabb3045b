// The paths of bsr's product: blocks of every shape, reaching over the last row and column, filled with zeros in every
// store.
#include <cmath>
#include <limits>

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
/// An infinite element of x, or one that is NaN, reaches the rows that have an entry there, and no filling.
TEST(BsrKernel, FillingMeetsWhatIsNotFinite) {
  const auto a =
      tests::make_csr({"", 4, 4, {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 3}, {3, 3}}, {1, 1, 1, 1, 1, 1, 1}});
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const StoreKind kind : {StoreKind::raw, StoreKind::narrow, StoreKind::iso}) {
    const auto stored = with_values(view_of(a), kind);
    ASSERT_TRUE(stored.ok());
    for (const std::uint32_t side : {2u, 3u, 4u}) {
      const auto encoded = encode_any(view_of(*stored), tests::blocks_of("bsr", side, side));
      ASSERT_TRUE(encoded.ok());
      for (const Isa wanted : available_isas()) {
        const tests::ExactIsa exact(wanted);
        const auto product = [&](const std::vector<double>& x) {
          std::vector<double> y(4, -77);
          with_any(*encoded, [&](const auto& f) { cpu::spmv<double>(view_of(f), x.data(), y.data(), 1); });
          return y;
        };
        EXPECT_EQ(product({1, 1, infinity, 1}), (std::vector<double>{2, infinity, infinity, 1})) << side;
        const auto y = product({std::nan(""), 1, 1, 1});
        EXPECT_TRUE(std::isnan(y[0])) << side;
        EXPECT_EQ((std::vector<double>(y.begin() + 1, y.end())), (std::vector<double>{2, 2, 1})) << side;
      }
    }
  }
}
TEST(BsrKernel, FullBlocks) { tests::check_full_blocks("bsr", {1, 2, 3, 4, 6, 8}); }

}  // namespace
}  // namespace spress
