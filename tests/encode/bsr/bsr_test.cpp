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

using Format = Bsr<Owned>;

Format encode_as(const Csr<Owned>& a, const Format::Params& params) {
  return std::move(encode<Bsr>(view_of(a), params)).value();
}

/// Two block rows of 2, the second with one row; block columns of 3, the last with one column.
Csr<Owned> example() { return tests::make_csr({"", 3, 7, row(0, {1, 6}) + row(1, {0, 1, 2}) + row(2, {3}), {}}); }

TEST(Bsr, BlocksByHand) {
  const auto f = encode_as(example(), {.r = 2, .c = 3});
  EXPECT_EQ(f.blocks, 3u);
  const auto* ptr = f.block_ptr.as<std::uint32_t>();
  EXPECT_EQ(std::vector<std::uint32_t>(ptr, ptr + 3), (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(list(f.block_col), (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(list(f.present), (std::vector<std::uint32_t>{0b000001'000001'101110}));
  const auto* v = f.values.codes.as<double>();
  EXPECT_EQ(std::vector<double>(v, v + 18),
            (std::vector<double>{0, 3, 1, 4, 0, 5, 2, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0}));
}

/// Block pointers 12, block columns 12, bits 4.
TEST(Bsr, BytesByHand) {
  const auto size = estimate<Bsr>(view_of(example()), {.r = 2, .c = 3});
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->index_bytes, 28u);
  EXPECT_EQ(size->value_slots, 18u);
}

TEST(Bsr, FullBlocksNeedNoBits) {
  const auto a = tests::make_csr({"", 12, 15, tests::dense(12, 15), {}});
  const auto f = encode_as(a, {.r = 4, .c = 3});
  EXPECT_TRUE(f.present.empty());
  EXPECT_EQ(f.blocks, 15u);
  EXPECT_FALSE(encode_as(a, {.r = 5, .c = 3}).present.empty());  // reaches over the last row
}

TEST(Bsr, FindsTheBlocksOfAMatrixMadeOfBlocks) {
  for (const std::uint32_t b : {2u, 3u, 5u, 8u}) {
    const auto a = gallery::generate(*parse_spec("blockdiag:n=4000,b=" + std::to_string(b)));
    ASSERT_TRUE(a.ok());
    const auto f = encode_as(a->csr, {});
    EXPECT_EQ(f.r, b);
    EXPECT_EQ(f.c, b);
  }
  const auto elasticity = gallery::generate(*parse_spec("elasticity3d:n=6"));
  const auto f = encode_as(elasticity->csr, {});
  EXPECT_EQ(f.r, 3u);
  EXPECT_EQ(f.c, 3u);
}

/// Expects the choice to have the fewest bytes of all 49 sizes, counted one by one; exactly where the sample holds all
/// entries.
void expect_fewest_bytes(const Csr<Viewed>& a) {
  const auto bytes = [&](const Format::Params& params) {
    const auto size = estimate<Bsr>(a, params);
    return size.ok() ? size->index_bytes + 8 * size->value_slots : ~std::uint64_t{0};
  };
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t r = 2; r <= 8; ++r)
    for (std::uint32_t c = 2; c <= 8; ++c) least = std::min(least, bytes({r, c}));
  EXPECT_LE(bytes({}), a.nnz <= 4096 ? least + 8 : least + least / 100);  // 8: pointers are not counted one by one
}

TEST(Bsr, ChoosesTheFewestBytes) {
  for (const char* text :
       {"circuit:n=900", "stencil7:n=8", "powerlaw:n=400", "fem3d:n=5", "band:n=900,half=9,per_row=4",
        "circuit:n=20000,dense=20,share=0.5", "arrow:n=9000,width=3,corner=first", "arrow:n=60000,width=5,corner=first",
        "elasticity3d:n=9", "uniform:n=5000,k=12", "density:n=2048,max=64", "stencil27:n=14", "poisson2d:n=60",
        "kkt:n=3000,m=1000,k=5"}) {
    SCOPED_TRACE(text);
    const auto generated = gallery::generate(*parse_spec(text));
    ASSERT_TRUE(generated.ok());
    expect_fewest_bytes(view_of(generated->csr));
  }
}

/// Blocks above, rows with one entry anywhere below. The last entries are looked at as well, however many there are:
/// numbers just below a multiple of 512 or 4096, and another.
TEST(Bsr, LooksAtTheEndOfTheMatrix) {
  for (const std::uint32_t nnz : {4607u, 8191u, 12200u}) {
    SCOPED_TRACE(nnz);
    const std::uint32_t in_blocks = nnz * 9 / 10 / 64 * 64;
    std::vector<tests::Entry> entries;
    for (std::uint32_t k = 0; k < in_blocks; ++k) entries.emplace_back(k / 8, k / 64 * 8 + k % 8);
    for (std::uint32_t k = in_blocks; k < nnz; ++k)
      entries.emplace_back(in_blocks / 8 + k - in_blocks, k * 7919 % 100003);
    const auto a = tests::make_csr({"", in_blocks / 8 + nnz - in_blocks, 100003, entries, {}});
    expect_fewest_bytes(view_of(a));
  }
}

TEST(Bsr, IsTheSameOnAnyNumberOfThreads) {
  const auto generated = gallery::generate(*parse_spec("fem3d:n=25"));
  ASSERT_TRUE(generated.ok());
  ASSERT_GT(generated->csr.nnz, 200000u);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto one = encode_as(generated->csr, {.r = 3, .c = 5});
  for (const int threads : {2, 5}) {
    omp_set_num_threads(threads);
    const auto other = encode_as(generated->csr, {.r = 3, .c = 5});
    EXPECT_TRUE(list(one.block_col) == list(other.block_col));
    EXPECT_TRUE(list(one.present) == list(other.present));
    EXPECT_EQ(std::memcmp(one.values.codes.raw(), other.values.codes.raw(), one.values.codes.bytes()), 0);
  }
  omp_set_num_threads(before);
}

TEST(Bsr, RefusesOtherSides) {
  for (const Format::Params& params : {Format::Params{.r = 0}, Format::Params{.r = 2, .c = 9}}) {
    const auto refused = encode<Bsr>(view_of(example()), params);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::usage);
  }
}

TEST(Bsr, ValidateSeesEachDamage) {
  const auto damaged = [](const auto& damage) {
    auto f = encode_as(example(), {.r = 2, .c = 3});
    damage(f);
    return validate(view_of(f));
  };
  EXPECT_TRUE(damaged([](Format&) {}).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.r = 9; }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.block_col[1] = 3; }).ok());  // behind the last column
  EXPECT_FALSE(damaged([](Format& f) { std::swap(f.block_col[0], f.block_col[1]); }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.present[0] ^= 1u << 1; }).ok());       // nnz
  EXPECT_FALSE(damaged([](Format& f) { f.present[0] ^= 1u << 1 | 1u; }).ok());  // a value without an entry
  EXPECT_FALSE(damaged([](Format& f) { f.present[0] ^= 1u << 1 | 1u << 31; }).ok());
  EXPECT_FALSE(damaged([](Format& f) { f.present[0] ^= 1u << 12 | 1u << 13; }).ok());  // row 3
  EXPECT_FALSE(damaged([](Format& f) { f.block_ptr.as<std::uint32_t>()[1] = 4; }).ok());
  auto empty = encode_as(tests::make_csr({"", 10, 7, {}, {}}), {});
  EXPECT_TRUE(validate(view_of(empty)).ok());
  empty.nnz = 5;
  EXPECT_FALSE(validate(view_of(empty)).ok());
}

}  // namespace
}  // namespace spress
