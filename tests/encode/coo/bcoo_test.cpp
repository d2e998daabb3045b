#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

Csr<Owned> example() { return tests::make_csr({"", 4, 5, {{0, 1}, {0, 4}, {2, 0}, {2, 2}, {2, 3}}, {}}); }

TEST(Bcoo, HoldsTheArraysOfCooAndTheChunk) {
  const auto f = std::move(encode<Bcoo>(view_of(example()), {.b = 2})).value();
  EXPECT_EQ(f.chunk, 2u);
  EXPECT_EQ(std::vector<std::uint32_t>(f.row_idx.begin(), f.row_idx.end()),
            (std::vector<std::uint32_t>{0, 0, 2, 2, 2}));
  EXPECT_EQ(std::vector<std::uint32_t>(f.col_idx.begin(), f.col_idx.end()),
            (std::vector<std::uint32_t>{1, 4, 0, 2, 3}));
  EXPECT_EQ(byte_totals(f).index_bytes, 5u * 8);
  EXPECT_EQ(byte_totals(f).value_bytes, 5u * 8);
}

TEST(Bcoo, ChunksOfNoEntriesAreRefused) {
  EXPECT_EQ(encode<Bcoo>(view_of(example()), {.b = 0}).error().code, ErrorCode::usage);
  EXPECT_EQ(estimate<Bcoo>(view_of(example()), {.b = 0}).error().code, ErrorCode::usage);
  auto f = std::move(encode<Bcoo>(view_of(example()), {})).value();
  ASSERT_TRUE(validate(view_of(f)).ok());
  f.chunk = 0;
  EXPECT_FALSE(validate(view_of(f)).ok());
  f.chunk = 2;
  f.col_idx[4] = 5;
  EXPECT_FALSE(validate(view_of(f)).ok());
}

TEST(Bcoo, ChunkCountsRoundUp) {
  EXPECT_EQ(chunk_count(0, 1024), 0u);
  EXPECT_EQ(chunk_count(1024, 1024), 1u);
  EXPECT_EQ(chunk_count(1025, 1024), 2u);
  EXPECT_EQ(chunk_count(~std::uint64_t{0}, 0xFFFFFFFFu), 0x100000001u);
}

}  // namespace
}  // namespace spress
