#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

/// Blocks (0,0) with entries (0,0), (1,7); (0,1) with (1,8); (2,0) with (17,2), (17,3); block row 1 is empty.
Csr<Owned> example() { return tests::make_csr({"", 18, 9, {{0, 0}, {1, 7}, {1, 8}, {17, 2}, {17, 3}}, {}}); }

BmSparseCsr<Owned> encoded() { return std::move(encode<BmSparseCsr>(view_of(example()), {})).value(); }

TEST(BmSparseCsr, PointersColumnsAndBitmapsByHand) {
  const auto f = encoded();
  ASSERT_EQ(f.blocks, 3u);
  ASSERT_EQ(f.block_row_ptr.size(), 4u);
  const auto* ptr = f.block_row_ptr.as<std::uint32_t>();
  EXPECT_EQ(std::vector<std::uint32_t>(ptr, ptr + 4), (std::vector<std::uint32_t>{0, 2, 2, 3}));
  EXPECT_EQ(std::vector<std::uint32_t>(f.block_col.begin(), f.block_col.end()), (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_EQ(f.bitmaps[0], 1u | 1u << 15);
  EXPECT_EQ(f.bitmaps[1], 1u << 8);
  EXPECT_EQ(f.bitmaps[2], std::uint64_t{3} << 10);
  const auto* offsets = f.offsets.as<std::uint32_t>();
  EXPECT_EQ(std::vector<std::uint32_t>(offsets, offsets + 4), (std::vector<std::uint32_t>{0, 2, 3, 5}));
}

/// 12 bytes a block, 4 for each of 4 pointers; held besides: 4 for each of 4 offsets.
TEST(BmSparseCsr, BytesByHand) {
  const auto size = estimate<BmSparseCsr>(view_of(example()), {});
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->model_index_bytes, 36u + 16);
  EXPECT_EQ(size->index_bytes, 36u + 16 + 16);
  EXPECT_EQ(byte_totals(encoded()).index_bytes, 36u + 16 + 16);
}

TEST(BmSparseCsr, HoldsTheSameBitmapsAndValuesAsBmSparse) {
  for (const auto& scenario : tests::scenarios()) {
    const auto a = tests::make_csr(scenario);
    const auto by_pointers = std::move(encode<BmSparseCsr>(view_of(a), {})).value();
    const auto by_keys = std::move(encode<BmSparse>(view_of(a), {})).value();
    ASSERT_EQ(by_pointers.blocks, by_keys.blocks) << scenario.name;
    EXPECT_TRUE(std::equal(by_keys.bitmaps.begin(), by_keys.bitmaps.end(), by_pointers.bitmaps.begin()));
    EXPECT_TRUE(identical(by_pointers.values, by_keys.values)) << scenario.name;
  }
}

TEST(BmSparseCsr, ValidateRefusesWhatLeavesTheMatrixOrItsOrder) {
  const auto refused = [](auto change) {
    auto f = encoded();
    change(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& f) { f.block_col[1] = 2; }));
  EXPECT_TRUE(refused([](auto& f) { std::swap(f.block_col[0], f.block_col[1]); }));
  EXPECT_TRUE(refused([](auto& f) { f.bitmaps[1] = 1u << 9; }));                 // column 9 of 9
  EXPECT_TRUE(refused([](auto& f) { f.bitmaps[2] = std::uint64_t{3} << 18; }));  // row 18 of 18
  EXPECT_TRUE(refused([](auto& f) { f.bitmaps[1] = 3u << 8; }));                 // one entry more than the offsets say
  EXPECT_TRUE(refused([](auto& f) {
    f.block_row_ptr.template as<std::uint32_t>()[2] = 3;
    f.rows = 8;
  }));
}

}  // namespace
}  // namespace spress
