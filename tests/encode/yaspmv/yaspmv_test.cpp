#include <gtest/gtest.h>
#include <omp.h>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/list_of.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::list;
using tests::row;
using tests::operator+;

using Format = Yaspmv<Owned>;

Format encode_as(const Csr<Owned>& a, const Format::Params& params) {
  return std::move(encode<Yaspmv>(view_of(a), params)).value();
}

/// Block rows 0, 2 and 3 of two rows have blocks; 70,000 columns.
Csr<Owned> example() {
  return tests::make_csr({"", 7, 70'000, row(0, {1, 6}) + row(1, {0, 69'999}) + row(4, {3}) + row(6, {2, 3}), {}});
}

TEST(Yaspmv, BlocksByHand) {
  const auto f = encode_as(example(), {.r = 2, .c = 1});
  EXPECT_EQ(f.blocks, 7u);
  EXPECT_EQ(list(f.first_col), std::vector<std::uint32_t>{0});
  EXPECT_EQ(list(f.first_row), std::vector<std::uint32_t>{0});
  EXPECT_EQ(list(f.col_diff), (std::vector<std::uint16_t>{0, 1, 5, 0x8000, 0x8000, 0xFFFF, 1}));
  EXPECT_EQ(list(f.far), (std::vector<std::uint32_t>{69'993, 3u - 69'999u}));
  EXPECT_EQ(list(f.row_end), std::vector<std::uint32_t>{0b1011000});
  EXPECT_EQ(list(f.block_row), (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(list(f.present), (std::vector<std::uint32_t>{0b1110110, 0b0001001}));
  const auto* v = f.values.codes.as<double>();
  EXPECT_EQ(std::vector<double>(v, v + 8), (std::vector<double>{0, 1, 2, 0, 5, 6, 7, 0}));
  EXPECT_EQ(std::vector<double>(v + 32, v + 40), (std::vector<double>{3, 0, 0, 4, 0, 0, 0, 0}));
}

/// A group 8, far_start 8, differences 14, far 8, ends 4, block rows 12, bits 8.
TEST(Yaspmv, BytesByHand) {
  const auto size = estimate<Yaspmv>(view_of(example()), {.r = 2, .c = 1});
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->index_bytes, 62u);
  EXPECT_EQ(size->value_slots, 64u);
}

/// 600 blocks: a group of 16 steps, and one of 3 with 8 slots of padding.
TEST(Yaspmv, DealsBlocksToLanesByHand) {
  const auto a = tests::make_csr({"", 300, 2, tests::dense(300, 2), {}});
  const auto f = encode_as(a, {.r = 1, .c = 1});
  EXPECT_EQ(f.groups(), 2u);
  EXPECT_EQ(f.values.count, 512u + 96u);
  EXPECT_TRUE(f.present.empty());
  EXPECT_TRUE(f.block_row.empty());
  EXPECT_EQ(f.first_row[1], 256u);
  EXPECT_EQ(f.first_slot(15), 15u * 32);
  EXPECT_EQ(f.first_slot(16), 1u);
  EXPECT_EQ(f.first_slot(512 + 2), 512u + 2 * 32);
  EXPECT_EQ(f.first_slot(512 + 3), 512u + 1);
  const auto* v = f.values.codes.as<double>();
  for (std::uint64_t b = 0; b < 600; ++b) EXPECT_EQ(v[f.first_slot(b)], static_cast<double>(b + 1)) << b;
}

TEST(Yaspmv, FindsTheBlocksOfAMatrixMadeOfBlocks) {
  for (const std::uint32_t b : {2u, 3u, 4u}) {
    const auto a = gallery::generate(*parse_spec("blockdiag:n=4000,b=" + std::to_string(b)));
    ASSERT_TRUE(a.ok());
    const auto f = encode_as(a->csr, {});
    EXPECT_EQ(f.r, b);
    EXPECT_EQ(f.c, b);
  }
  const auto scattered = gallery::generate(*parse_spec("uniform:n=4000"));
  ASSERT_TRUE(scattered.ok());
  EXPECT_EQ(encode_as(scattered->csr, {}).slots_of_block(), 1u);
}

TEST(Yaspmv, IsTheSameOnAnyNumberOfThreads) {
  const auto generated = gallery::generate(*parse_spec("circuit:n=80000"));
  ASSERT_TRUE(generated.ok());
  ASSERT_GT(generated->csr.nnz, 200000u);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto one = encode_as(generated->csr, {.r = 2, .c = 1});
  for (const int threads : {2, 5}) {
    omp_set_num_threads(threads);
    const auto other = encode_as(generated->csr, {.r = 2, .c = 1});
    EXPECT_TRUE(list(one.col_diff) == list(other.col_diff));
    EXPECT_TRUE(list(one.far) == list(other.far));
    EXPECT_TRUE(list(one.present) == list(other.present));
    EXPECT_EQ(std::memcmp(one.values.codes.raw(), other.values.codes.raw(), one.values.codes.bytes()), 0);
  }
  EXPECT_FALSE(one.far.empty());
  const auto size = estimate<Yaspmv>(view_of(generated->csr), {.r = 2, .c = 1});
  EXPECT_EQ(size->index_bytes, byte_totals(view_of(one)).index_bytes);
  omp_set_num_threads(before);
}

TEST(Yaspmv, RefusesOtherSides) {
  for (const Format::Params& params : {Format::Params{.r = 0}, Format::Params{.r = 2, .c = 5}}) {
    const auto refused = encode<Yaspmv>(view_of(example()), params);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::usage);
  }
}

TEST(Yaspmv, ValidateSeesEachDamage) {
  const auto damaged = [](const auto& damage) {
    auto f = encode_as(example(), {.r = 2, .c = 1});
    damage(f);
    return validate(view_of(f));
  };
  EXPECT_TRUE(damaged([](Format&) {}).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.r = 5; }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.first_col[0] = 1; }).ok());  // behind the last column, later
  EXPECT_FALSE(damaged([](Format& f) { f.first_row[0] = 1; }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.col_diff[0] = 1; }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.col_diff[1] = 0; }).ok());                 // two blocks in one place
  EXPECT_FALSE(damaged([](Format& f) { f.col_diff[1] = Format::far_mark; }).ok());  // one more than far has
  EXPECT_FALSE(damaged([](Format& f) { f.col_diff[3] = 1; }).ok());                 // far has one more
  EXPECT_FALSE(damaged([](Format& f) { f.far[0] += 1; }).ok());                     // outside the matrix
  EXPECT_FALSE(damaged([](Format& f) { f.row_end[0] ^= 1u << 6; }).ok());           // the last block ends no row
  EXPECT_FALSE(damaged([](Format& f) { f.row_end[0] ^= 1u << 7; }).ok());           // behind the last block
  EXPECT_FALSE(damaged([](Format& f) { f.row_end[0] ^= 1u << 1; }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.block_row[2] = 4; }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.block_row[1] = 0; }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.present[0] ^= 1u; }).ok());            // nnz
  EXPECT_FALSE(damaged([](Format& f) { f.present[0] ^= 3u; }).ok());            // a value without an entry
  EXPECT_FALSE(damaged([](Format& f) { f.present[0] ^= 2u | 1u << 9; }).ok());  // a lane without a block
  EXPECT_FALSE(damaged([](Format& f) { f.values.codes.as<double>()[9] = 1; }).ok());
  auto empty = encode_as(tests::make_csr({"", 10, 7, {}, {}}), {});
  EXPECT_TRUE(validate(view_of(empty)).ok());
  empty.nnz = 5;
  EXPECT_FALSE(validate(view_of(empty)).ok());
}

}  // namespace
}  // namespace spress
