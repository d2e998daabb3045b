#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

BmSparse<Owned> encode_bm(const Csr<Owned>& a) { return std::move(encode<BmSparse>(view_of(a), {})).value(); }

TEST(BmSparse, KeysAndBitmapsByHand) {
  // Blocks (0,0) with entries (0,0), (1,7); (0,1) with (1,8); (1,0) with (9,2), (9,3).
  const auto f = encode_bm(tests::make_csr({"", 10, 9, {{0, 0}, {1, 7}, {1, 8}, {9, 2}, {9, 3}}, {}}));
  ASSERT_EQ(f.blocks, 3u);
  EXPECT_EQ(f.keys[0], 0u);
  EXPECT_EQ(f.keys[1], 1u);
  EXPECT_EQ(f.keys[2], std::uint64_t{1} << 32);
  EXPECT_EQ(f.bitmaps[0], 1u | 1u << 15);
  EXPECT_EQ(f.bitmaps[1], 1u << 8);
  EXPECT_EQ(f.bitmaps[2], std::uint64_t{3} << 10);
  EXPECT_EQ(f.offsets.position(0), 0u);
  EXPECT_EQ(f.offsets.position(1), 2u);
  EXPECT_EQ(f.offsets.position(2), 3u);
  EXPECT_EQ(f.offsets.position(3), 5u);
}

TEST(BmSparse, ValuesAreRowMajorWithinABlock) {
  const auto f = encode_bm(tests::make_csr({"", 2, 16, {{0, 0}, {0, 9}, {1, 0}, {1, 8}}, {}}));
  const auto* v = f.values.codes.as<double>();
  EXPECT_EQ(std::vector<double>(v, v + 4), (std::vector<double>{1, 3, 2, 4}));
}

TEST(BmSparse, ModelIsSixteenBytesABlock) {
  const auto a = tests::make_csr({"", 10, 9, {{0, 0}, {1, 7}, {1, 8}, {9, 2}, {9, 3}}, {}});
  const auto size = estimate<BmSparse>(view_of(a), {});
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->model_index_bytes, 48u);
  EXPECT_EQ(size->index_bytes, 48u + 16);
}

TEST(BmSparse, ValidateRefusesBlocksThatLeaveTheMatrix) {
  auto f = encode_bm(tests::make_csr({"", 10, 9, {{0, 0}, {1, 7}, {1, 8}, {9, 2}, {9, 3}}, {}}));
  ASSERT_TRUE(validate(view_of(f)).ok());
  f.bitmaps[1] = 1u << 9;  // column 9 of 9
  EXPECT_FALSE(validate(view_of(f)).ok());
  f.bitmaps[1] = 3u << 8;  // one entry more than the offsets say
  EXPECT_FALSE(validate(view_of(f)).ok());
  f.bitmaps[1] = 1u << 8;
  std::swap(f.keys[0], f.keys[1]);
  EXPECT_FALSE(validate(view_of(f)).ok());
}

}  // namespace
}  // namespace spress
