#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "tests/encode/padded/padded_support.hpp"

namespace spress {
namespace {

using tests::list;
using tests::pad;

Hyb<Owned> encode_hyb(const Csr<Owned>& a) { return std::move(encode<Hyb>(view_of(a), {})).value(); }

TEST(Hyb, SplitsRowsAtTheWidth) {
  const auto f = encode_hyb(tests::ragged_example());  // lengths 3 2 2 | 1 0: two of five are a third, so k = 2
  EXPECT_EQ(f.width, 2u);
  EXPECT_EQ(f.coo_nnz, 1u);
  EXPECT_EQ(list(f.col_idx), (std::vector<std::uint32_t>{1, pad, 0, 3, 4, 4, pad, 2, pad, 5, 5}));
  EXPECT_EQ(list(f.coo_row_idx), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(tests::values_in(f.values), (std::vector<double>{1, 0, 3, 6, 7, 2, 0, 4, 0, 8, 5}));
}

/// k by the rule: at least a third of the rows have k entries.
TEST(Hyb, WidthIsWhatAThirdOfTheRowsReach) {
  const auto width = [](const std::vector<std::uint32_t>& lengths) {
    return encode_hyb(tests::rows_of(lengths, 50)).width;
  };
  EXPECT_EQ(width({9, 1, 1}), 9u);     // one of three
  EXPECT_EQ(width({9, 1, 1, 1}), 1u);  // one of four is less than a third
  EXPECT_EQ(width({9, 7, 1, 1}), 7u);  // two of four
  EXPECT_EQ(width({9, 7, 5, 1, 1, 1}), 7u);
  EXPECT_EQ(width({50, 0, 0, 0}), 0u);  // most rows are empty: all is rest
  EXPECT_EQ(width({4}), 4u);
  EXPECT_EQ(width({}), 0u);
}

TEST(Hyb, AllInTheRestIsCoordinates) {
  const auto f = encode_hyb(tests::rows_of({0, 0, 3, 0}, 5));
  EXPECT_EQ(list(f.col_idx), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(list(f.coo_row_idx), (std::vector<std::uint32_t>{2, 2, 2}));
}

/// Columns 11, rows of the rest 1; 3 slots are padding.
TEST(Hyb, IndexBytesByHand) {
  const auto a = tests::ragged_example();
  const auto f = encode_hyb(a);
  EXPECT_EQ(byte_totals(f).index_bytes, 11u * 4 + 4);
  EXPECT_EQ(byte_totals(f).value_bytes, 11u * 8);
  EXPECT_EQ(byte_breakdown(f)[0].padding, 3u * 4);
}

/// The ELL part is at most three times the entries, whatever the matrix.
TEST(Hyb, NeverPadsOutOfProportion) {
  for (const auto& scenario : tests::scenarios()) {
    const auto a = tests::make_csr(scenario);
    const auto size = estimate<Hyb>(view_of(a), {});
    ASSERT_TRUE(size.ok()) << scenario.name;
    EXPECT_LE(size->value_slots, 3 * a.nnz) << scenario.name;
  }
}

TEST(Hyb, ValidateRefusesWhatAKernelCouldNotRead) {
  const auto good = encode_hyb(tests::ragged_example());
  ASSERT_TRUE(validate(view_of(good)).ok());
  const auto refused = [&](auto&& damage) {
    auto f = good;
    damage(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[10] = 6; }));     // column 6 of 6
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[10] = 2; }));     // does not go on where the ELL part ends
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[10] = pad; }));   // no padding in the rest
  EXPECT_TRUE(refused([](auto& f) { f.coo_row_idx[0] = 3; }));  // row 3 is not full
  EXPECT_TRUE(refused([](auto& f) { f.coo_row_idx[0] = 5; }));  // row 5 of 5
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[0] = pad; }));    // an entry behind padding
  EXPECT_TRUE(refused([](auto& f) { f.width = 1; }));
  EXPECT_TRUE(refused([](auto& f) { f.coo_nnz = 2; }));
  EXPECT_TRUE(refused([](auto& f) { f.nnz = 9; }));
}

TEST(Hyb, ValidateRefusesARestOutOfOrder) {
  auto f = encode_hyb(tests::rows_of({0, 2, 0, 2, 0, 0, 0}, 5));
  ASSERT_EQ(f.width, 0u);
  ASSERT_TRUE(validate(view_of(f)).ok());
  std::swap(f.col_idx[0], f.col_idx[1]);
  EXPECT_FALSE(validate(view_of(f)).ok());
  std::swap(f.col_idx[0], f.col_idx[1]);
  std::swap(f.coo_row_idx[1], f.coo_row_idx[2]);
  EXPECT_FALSE(validate(view_of(f)).ok());
}

}  // namespace
}  // namespace spress
