#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "encode/shared/footprint.hpp"
#include "tests/list_of.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::list;
using tests::row;
using tests::operator+;

OptCsr<Owned> encode_as(const Csr<Owned>& a, IndexMode mode) {
  return std::move(encode<OptCsr>(view_of(a), {.index = mode})).value();
}

/// Rows of class 16, 8, 8 (empty), 32, 8 under delta; by hand.
Csr<Owned> example() {
  return tests::make_csr(
      {"", 5, 100000, row(0, {3, 1003}) + row(1, {50000, 50001, 50256}) + row(3, {0, 70000}) + row(4, {4, 5}), {}});
}

TEST(OptCsr, GroupsRowsByWidthAndKeepsTheirOrder) {
  const auto f = encode_as(example(), IndexMode::delta);
  EXPECT_EQ(list(f.row_perm), (std::vector<std::uint32_t>{1, 2, 4, 0, 3}));
  EXPECT_EQ(f.section_start.position(0), 0u);
  EXPECT_EQ(f.section_start.position(1), 3u);
  EXPECT_EQ(f.section_start.position(2), 4u);
  EXPECT_EQ(f.section_start.position(3), 5u);
  EXPECT_EQ(list(f.first_col), (std::vector<std::uint32_t>{50000, 0, 4, 3, 0}));
  EXPECT_EQ(list(f.col8), (std::vector<std::uint8_t>{0, 1, 255, 0, 1}));
  EXPECT_EQ(list(f.col16), (std::vector<std::uint16_t>{0, 1000}));
  EXPECT_EQ(list(f.col32), (std::vector<std::uint32_t>{0, 70000}));
  EXPECT_EQ(std::vector<double>(f.values.codes.as<double>(), f.values.codes.as<double>() + 9),
            (std::vector<double>{3, 4, 5, 8, 9, 1, 2, 6, 7}));
}

TEST(OptCsr, AnchorsTheFirstEntryToTheDiagonal) {
  const auto f = encode_as(tests::make_csr({"", 3, 300, row(0, {0, 200}) + row(1, {0, 2}) + row(2, {1, 200}), {}}),
                           IndexMode::anchored);
  EXPECT_TRUE(f.row_perm.empty());
  EXPECT_TRUE(f.first_col.empty());
  EXPECT_EQ(list(f.col8), (std::vector<std::uint8_t>{0, 200, 0xFF, 2, 0xFF, 199}));
}

TEST(OptCsr, StoresDistancesInTwosComplement) {
  const auto f = encode_as(tests::make_csr({"", 3, 300, row(0, {0, 200}) + row(1, {0, 2}) + row(2, {0, 129}), {}}),
                           IndexMode::diagonal);
  EXPECT_EQ(list(f.row_perm), (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(list(f.col8), (std::vector<std::uint8_t>{0xFF, 1, 0xFE, 127}));
  EXPECT_EQ(list(f.col16), (std::vector<std::uint16_t>{0, 200}));
}

TEST(OptCsr, AutoTakesTheSmallest) {
  for (const auto& scenario : tests::scenarios()) {
    const auto a = tests::make_csr(scenario);
    const auto bytes = [&](IndexMode mode) { return byte_totals(encode_as(a, mode)).index_bytes; };
    EXPECT_EQ(bytes(IndexMode::automatic),
              std::min({bytes(IndexMode::diagonal), bytes(IndexMode::anchored), bytes(IndexMode::delta)}))
        << scenario.name;
  }
}

/// The paper's model by its equation (2): 4*2 + 2*2 + 5 + 4*6 + 4.
TEST(OptCsr, ModelBytesFollowThePaper) {
  const auto a = example();
  for (const char* mode : {"delta", "anchored", "diagonal", "auto"}) {
    const auto size = estimate_any(view_of(a), {"opt-csr", {{"index", mode}}});
    ASSERT_TRUE(size.ok());
    EXPECT_EQ(size->model_index_bytes, 4u * 2 + 2 * 2 + 5 + 4 * 6 + 4) << mode;
  }
}

/// Held bytes by hand: section starts 16, row pointers 24, first columns 20, codes 5 + 4 + 8, permutation 20.
TEST(OptCsr, IndexBytesCountEverythingThatIsNoValue) {
  const auto f = encode_as(example(), IndexMode::delta);
  EXPECT_EQ(byte_totals(f).index_bytes, 16u + 24 + 20 + 17 + 20);
  EXPECT_EQ(byte_totals(f).value_bytes, 9u * 8);
}

TEST(OptCsr, ValidateRefusesCodesThatLeaveTheMatrix) {
  auto f = encode_as(example(), IndexMode::delta);
  ASSERT_TRUE(validate(view_of(f)).ok());
  f.col8[1] = 0;  // a gap of 0: the columns no longer ascend
  EXPECT_FALSE(validate(view_of(f)).ok());
  f.col8[1] = 1;
  f.col32[1] = 99999 + 1;
  EXPECT_FALSE(validate(view_of(f)).ok());
  f.col32[1] = 70000;
  f.row_perm[0] = 2;
  EXPECT_FALSE(validate(view_of(f)).ok());
}

/// Decoding takes the column of a first entry from first_col, kernels add the code of that entry to it.
TEST(OptCsr, ValidateRefusesAFirstCodeBesideFirstCol) {
  auto f = encode_as(example(), IndexMode::delta);
  ASSERT_EQ(f.col8[0], 0);
  f.col8[0] = 1;
  EXPECT_FALSE(validate(view_of(f)).ok());
}

TEST(Footprint, CountsStoresAndRatios) {
  const auto a = tests::make_csr({"", 4, 4, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}, {1.5, 1.5, 2.5, 1.5}});
  const auto statistics = analyze::value_statistics(view_of(a.values));
  const auto sizes = footprints(view_of(a), all_formats(), statistics);
  ASSERT_TRUE(sizes.ok());
  const Footprint& csr = sizes->at(0);
  EXPECT_EQ(csr.format, "csr");
  EXPECT_EQ(csr.size.index_bytes, 4u * 4 + 4 * 5);
  EXPECT_EQ(csr.total_bytes, 36u + 32);
  EXPECT_EQ(csr.ratio_to_csr, 1.0);
  EXPECT_EQ(csr.store_bytes[0], 32u);           // raw
  EXPECT_EQ(csr.store_bytes[1], 16u);           // narrow: exact as float
  EXPECT_EQ(csr.store_bytes[2], 4u + 16);       // lut8: codes and two values
  EXPECT_EQ(csr.store_bytes[3], 8u + 16);       // lut16
  EXPECT_EQ(csr.store_bytes[4], std::nullopt);  // not all equal
  EXPECT_DOUBLE_EQ(csr.index_bytes_per_nnz, 9.0);
}

}  // namespace
}  // namespace spress
