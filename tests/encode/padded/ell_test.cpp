#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "encode/shared/rows.hpp"
#include "tests/encode/padded/padded_support.hpp"

namespace spress {
namespace {

using tests::list;
using tests::pad;

Ell<Owned> encode_ell(const Csr<Owned>& a) { return std::move(encode<Ell>(view_of(a), {})).value(); }

TEST(Ell, StoresColumnByColumn) {
  const auto f = encode_ell(tests::ragged_example());
  EXPECT_EQ(f.width, 3u);
  EXPECT_EQ(list(f.col_idx), (std::vector<std::uint32_t>{1, pad, 0, 3, 4, 4, pad, 2, pad, 5, pad, pad, 5, pad, pad}));
  EXPECT_EQ(tests::values_in(f.values), (std::vector<double>{1, 0, 3, 6, 7, 2, 0, 4, 0, 8, 0, 0, 5, 0, 0}));
}

/// 15 slots of 4 and of 8 bytes; 7 of them padding.
TEST(Ell, CountsItsPadding) {
  const auto f = encode_ell(tests::ragged_example());
  EXPECT_EQ(byte_totals(f).index_bytes, 60u);
  EXPECT_EQ(byte_totals(f).value_bytes, 120u);
  EXPECT_EQ(byte_breakdown(f)[0].padding, 7u * 4);
}

/// The limit by hand: 16 * nnz + 2^20 slots.
TEST(Ell, RefusesMatricesOfPadding) {
  // One row of 400 entries over n rows, all others empty: 400 * n slots against 6400 + 1048576.
  std::vector<std::uint32_t> lengths(2637, 0);
  lengths[7] = 400;
  const auto fits = tests::rows_of(lengths, 400);
  EXPECT_TRUE(encode<Ell>(view_of(fits), {}).ok());  // 1054800 of 1054976
  lengths.push_back(0);
  const auto too_many = tests::rows_of(lengths, 400);
  const auto encoded = encode<Ell>(view_of(too_many), {});
  const auto size = estimate<Ell>(view_of(too_many), {});
  ASSERT_FALSE(encoded.ok() || size.ok());
  EXPECT_EQ(encoded.error().code, ErrorCode::not_applicable);
  EXPECT_EQ(size.error().message, encoded.error().message);
  EXPECT_NE(size.error().message.find("1055200"), std::string::npos) << size.error().message;
}

TEST(Ell, ValidateRefusesWhatAKernelCouldNotRead) {
  const auto good = encode_ell(tests::ragged_example());
  ASSERT_TRUE(validate(view_of(good)).ok());
  const auto refused = [&](auto&& damage) {
    auto f = good;
    damage(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[0] = 6; }));    // column 6 of 6
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[5] = 1; }));    // 1 again
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[0] = pad; }));  // an entry behind padding
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[1] = 0; }));    // one entry more than nnz
  EXPECT_TRUE(refused([](auto& f) { f.nnz = 7; }));
  EXPECT_TRUE(refused([](auto& f) { f.width = 4; }));
  EXPECT_TRUE(refused([](auto& f) { f.width = std::uint64_t{1} << 62; }));
  EXPECT_TRUE(refused([](auto& f) { f.values.count = 8; }));
}

}  // namespace
}  // namespace spress
