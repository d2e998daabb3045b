#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "tests/encode/padded/padded_support.hpp"

namespace spress {
namespace {

using tests::list;
using tests::pad;
using tests::positions_in;

Sell<Owned> encode_sell(const Csr<Owned>& a, std::uint32_t c, std::uint32_t sigma) {
  return std::move(encode<Sell>(view_of(a), {.c = c, .sigma = sigma})).value();
}

TEST(Sell, SlicedEllpackKeepsTheOrder) {
  const auto f = encode_sell(tests::ragged_example(), 2, 1);
  EXPECT_TRUE(f.row_perm.empty());
  EXPECT_EQ(positions_in(f.slice_start), (std::vector<std::uint64_t>{0, 4, 10, 14}));
  EXPECT_EQ(list(f.col_idx), (std::vector<std::uint32_t>{1, pad, 4, pad,        // rows 0 and 1
                                                         0, 3, 2, pad, 5, pad,  // rows 2 and 3
                                                         4, pad, 5, pad}));     // row 4 and none
  EXPECT_EQ(tests::values_in(f.values), (std::vector<double>{1, 0, 2, 0, 3, 6, 4, 0, 5, 0, 7, 0, 8, 0}));
}

TEST(Sell, SortsWithinWindowsAndKeepsTheOrderOfEqualRows) {
  const auto f = encode_sell(tests::ragged_example(), 2, 4);
  EXPECT_EQ(list(f.row_perm), (std::vector<std::uint32_t>{2, 0, 3, 1, 4}));  // 3 2 1 0 | 2
  EXPECT_EQ(positions_in(f.slice_start), (std::vector<std::uint64_t>{0, 6, 8, 12}));
  EXPECT_EQ(list(f.col_idx), (std::vector<std::uint32_t>{0, 1, 2, 4, 5, pad, 3, pad, 4, pad, 5, pad}));
  EXPECT_EQ(tests::values_in(f.values), (std::vector<double>{3, 1, 4, 2, 5, 0, 6, 0, 7, 0, 8, 0}));
  const auto all = encode_sell(tests::ragged_example(), 2, 5);
  EXPECT_EQ(list(all.row_perm), (std::vector<std::uint32_t>{2, 0, 4, 3, 1}));
}

TEST(Sell, StoresNoIdentity) {
  EXPECT_TRUE(encode_sell(tests::rows_of({3, 3, 2, 2, 0}, 4), 2, 4).row_perm.empty());
  EXPECT_FALSE(encode_sell(tests::rows_of({3, 2, 3}, 4), 2, 4).row_perm.empty());
  EXPECT_TRUE(encode_sell(tests::rows_of({2, 1, 3, 2}, 4), 2, 2).row_perm.empty());  // sorted in each window
}

/// Starts 16, columns 12 slots, permutation 20; 4 slots are padding.
TEST(Sell, IndexBytesByHand) {
  const auto a = tests::ragged_example();
  const auto f = encode_sell(a, 2, 4);
  EXPECT_EQ(byte_totals(f).index_bytes, 16u + 48 + 20);
  EXPECT_EQ(byte_totals(f).value_bytes, 12u * 8);
  EXPECT_EQ(byte_breakdown(f)[1].padding, 4u * 4);
  const auto size = estimate<Sell>(view_of(a), {.c = 2, .sigma = 4});
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->index_bytes, 84u);
  EXPECT_EQ(size->model_index_bytes, 84u);
  EXPECT_EQ(size->value_slots, 12u);
}

/// C = rows, sigma = 1 is ELLPACK.
TEST(Sell, OneSliceIsEllpack) {
  const auto a = tests::ragged_example();
  const auto ell = encode<Ell>(view_of(a), {});
  const auto f = encode_sell(a, 5, 1);
  EXPECT_EQ(list(f.col_idx), list(ell->col_idx));
  EXPECT_EQ(tests::values_in(f.values), tests::values_in(ell->values));
}

TEST(Sell, EveryShapeOfSliceReturnsEveryBitAndItsEstimate) {
  for (const auto& scenario : tests::scenarios()) {
    const auto a = tests::make_csr(scenario);
    for (std::uint32_t c : {1u, 2u, 8u, 33u, 1024u})
      for (std::uint32_t sigma : {1u, 2u, 7u, 64u, 0xFFFFFFFFu}) {
        SCOPED_TRACE(scenario.name + " c=" + std::to_string(c) + " sigma=" + std::to_string(sigma));
        const auto f = encode<Sell>(view_of(a), {.c = c, .sigma = sigma});
        const auto size = estimate<Sell>(view_of(a), {.c = c, .sigma = sigma});
        ASSERT_EQ(f.ok(), size.ok());
        if (!f.ok()) continue;
        const auto valid = validate(view_of(*f));
        EXPECT_TRUE(valid.ok()) << valid.error().text();
        EXPECT_TRUE(identical(decode<Sell>(view_of(*f)), a));
        EXPECT_EQ(byte_totals(*f).index_bytes, size->index_bytes);
        EXPECT_EQ(f->slots, size->value_slots);
      }
  }
}

TEST(Sell, RefusesParametersOutOfRange) {
  const auto a = tests::ragged_example();
  for (const auto& [key, value] : {std::pair{"c", "0"}, {"c", "1025"}, {"c", "-1"}, {"sigma", "0"}}) {
    const Spec spec{"sell", {{key, value}}};
    const auto encoded = encode_any(view_of(a), spec);
    const auto size = estimate_any(view_of(a), spec);
    ASSERT_FALSE(encoded.ok() || size.ok()) << spec.text();
    EXPECT_EQ(encoded.error().code, ErrorCode::usage);
    EXPECT_EQ(size.error().code, ErrorCode::usage);
  }
}

/// 1024 rows padded to 100000: 10^8 slots against 16 * 100000 + 2^20.
TEST(Sell, RefusesMatricesOfPadding) {
  const auto a = tests::rows_of({100000, 1}, 100000);
  EXPECT_TRUE(encode<Sell>(view_of(a), {.c = 16, .sigma = 1}).ok());
  const auto encoded = encode<Sell>(view_of(a), {.c = 1024, .sigma = 1});
  ASSERT_FALSE(encoded.ok());
  EXPECT_EQ(encoded.error().code, ErrorCode::not_applicable);
  EXPECT_FALSE((estimate<Sell>(view_of(a), {.c = 1024, .sigma = 1})).ok());
}

TEST(Sell, ValidateRefusesWhatAKernelCouldNotRead) {
  const auto good = encode_sell(tests::ragged_example(), 2, 4);
  ASSERT_TRUE(validate(view_of(good)).ok());
  const auto refused = [&](auto&& damage) {
    auto f = good;
    damage(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_TRUE(refused([](auto& f) { f.slice_start.template as<std::uint32_t>()[1] = 5; }));  // half a column
  EXPECT_TRUE(refused([](auto& f) { f.slice_start.template as<std::uint32_t>()[1] = 14; }));
  EXPECT_TRUE(refused([](auto& f) { f.row_perm[0] = 0; }));                        // twice
  EXPECT_TRUE(refused([](auto& f) { std::swap(f.row_perm[0], f.row_perm[4]); }));  // into another window
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[9] = 0; }));                         // where there is no row
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[10] = 6; }));
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[0] = pad; }));
  EXPECT_TRUE(refused([](auto& f) { f.c = 0; }));
  EXPECT_TRUE(refused([](auto& f) { f.c = 3; }));
  EXPECT_TRUE(refused([](auto& f) { f.sigma = 0; }));
  EXPECT_TRUE(refused([](auto& f) { f.slots = 14; }));
  EXPECT_TRUE(refused([](auto& f) { f.nnz = 9; }));
}

}  // namespace
}  // namespace spress
