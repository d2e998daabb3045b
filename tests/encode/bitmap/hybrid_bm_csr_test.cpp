#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::dense;
using tests::operator+;

using Format = HybridBmCsr<Owned>;

Format encode_at(const Csr<Owned>& a, AutoNumber threshold) {
  return std::move(encode<HybridBmCsr>(view_of(a), {threshold})).value();
}

/// Rows 0 and 1 are full in columns 0..7; one entry each in blocks (0,2) and (1,0).
Csr<Owned> example() {
  auto entries = tests::row(0, {0, 1, 2, 3, 4, 5, 6, 7, 20}) + tests::row(1, {0, 1, 2, 3, 4, 5, 6, 7});
  return tests::make_csr({"", 10, 30, entries + tests::row(9, {3}), {}});
}

TEST(HybridBmCsr, SplitsByHand) {
  const auto f = encode_at(example(), 2);
  EXPECT_EQ(f.bm.blocks, 1u);
  EXPECT_EQ(f.bm.bitmaps[0], 0xFFFFu);
  EXPECT_EQ(f.bm.nnz, 16u);
  EXPECT_EQ(f.csr.nnz, 2u);
  EXPECT_EQ(f.csr.rows, 10u);
  EXPECT_EQ(f.bm.values.count, 0u);  // all values stand in one store, those of the blocks first
  const auto* v = f.values.codes.as<double>();
  EXPECT_EQ(std::vector<double>(v, v + 18),
            (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 9, 18}));
}

/// Blocks: 12 for one, 3 pointers, 2 offsets. Rest, by distances to the diagonal, all of 8 bits: 4 section starts,
/// 11 row pointers, 2 codes.
TEST(HybridBmCsr, BytesByHand) {
  const auto size = estimate<HybridBmCsr>(view_of(example()), {2});
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->index_bytes, (12u + 12 + 8) + (16 + 44 + 2));
  EXPECT_EQ(size->model_index_bytes, (12u + 12) + (2 + 44 + 4));
  EXPECT_EQ(byte_totals(encode_at(example(), 2)).index_bytes, size->index_bytes);
}

TEST(HybridBmCsr, APartWithoutEntriesHasNoRows) {
  const auto all = encode_at(example(), 1);
  EXPECT_EQ(all.csr.rows, 0u);
  EXPECT_EQ(all.bm.blocks, 3u);
  const auto none = encode_at(example(), Format::none_dense);
  EXPECT_EQ(none.bm.rows, 0u);
  EXPECT_EQ(none.csr.nnz, 18u);
}

/// A checked search: the choice is the smallest of all 65 splits, each of which is what its estimate says and decodes.
TEST(HybridBmCsr, AutoTakesTheSmallestSplit) {
  for (const auto& scenario : tests::scenarios()) {
    if (scenario.rows > 400) continue;
    SCOPED_TRACE(scenario.name);
    const auto a = tests::make_csr(scenario);
    std::uint64_t smallest = ~std::uint64_t{0};
    for (std::uint32_t t = 1; t <= Format::none_dense; ++t) {
      const auto f = encode_at(a, t);
      const auto bytes = byte_totals(f).index_bytes;
      smallest = std::min(smallest, bytes);
      EXPECT_EQ(estimate<HybridBmCsr>(view_of(a), {t})->index_bytes, bytes) << t;
      EXPECT_TRUE(validate(view_of(f)).ok()) << t;
      EXPECT_TRUE(identical(decode<HybridBmCsr>(view_of(f)), a)) << t;
    }
    EXPECT_EQ(byte_totals(encode_at(a, std::nullopt)).index_bytes, smallest);
  }
}

TEST(HybridBmCsr, NamesOfPartsArePrefixed) {
  std::vector<std::string> names;
  for (const auto& row : byte_breakdown(encode_at(example(), 2))) names.push_back(row.name);
  EXPECT_EQ(names, (std::vector<std::string>{"bm_block_row_ptr", "bm_block_col", "bm_bitmaps", "bm_offsets",
                                             "csr_section_start", "csr_row_ptr", "csr_first_col", "csr_col8",
                                             "csr_col16", "csr_col32", "csr_row_perm", "values", "value_table"}));
}

TEST(HybridBmCsr, ThresholdsThatMeanNothingAreRefused) {
  for (std::uint32_t t : {0u, 66u}) {
    EXPECT_EQ(encode<HybridBmCsr>(view_of(example()), {t}).error().code, ErrorCode::usage);
    EXPECT_EQ(estimate<HybridBmCsr>(view_of(example()), {t}).error().code, ErrorCode::usage);
  }
  EXPECT_TRUE(check_format({"hybrid-bm-csr", {{"threshold", "auto"}}}).ok());
  EXPECT_TRUE(check_format({"hybrid-bm-csr", {{"threshold", "7"}}}).ok());
  EXPECT_FALSE(check_format({"hybrid-bm-csr", {{"threshold", "many"}}}).ok());
}

TEST(HybridBmCsr, ValidateRefusesPartsThatDoNotFit) {
  const auto refused = [](auto change) {
    auto f = encode_at(example(), 2);
    change(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& f) { f.threshold = 0; }));
  EXPECT_TRUE(refused([](auto& f) { f.threshold = 17; }));  // the block holds 16
  EXPECT_TRUE(refused([](auto& f) { f.bm.nnz = 17; }));
  EXPECT_TRUE(refused([](auto& f) { f.bm.nnz = f.nnz + 1; }));
  EXPECT_TRUE(refused([](auto& f) { f.bm.rows = 8; }));
  EXPECT_TRUE(refused([](auto& f) { f.csr.cols = 29; }));
  EXPECT_TRUE(refused([](auto& f) { f.csr.col8[0] = 5; }));   // inside the dense block
  EXPECT_TRUE(refused([](auto& f) { f.csr.col8[0] = 30; }));  // outside the matrix
  EXPECT_TRUE(refused([](auto& f) { f.bm.block_col[0] = 4; }));
}

}  // namespace
}  // namespace spress
