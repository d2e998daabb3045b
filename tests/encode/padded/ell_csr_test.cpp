#include <gtest/gtest.h>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/encode/padded/padded_support.hpp"

namespace spress {
namespace {

using tests::list;
using tests::pad;
using tests::positions_in;
using Lengths = std::vector<std::uint32_t>;
using Numbers = std::vector<std::uint64_t>;

EllCsr<Owned> encode_rows(const Lengths& lengths, std::uint32_t sigma = 1024) {
  return std::move(encode<EllCsr>(view_of(tests::rows_of(lengths, 1000)), {sigma})).value();
}

/// T and M for rows of these lengths.
std::pair<std::uint64_t, std::uint64_t> tuning(const Lengths& lengths) {
  const auto f = encode_rows(lengths);
  return {f.threshold, f.per_thread};
}

TEST(EllCsr, TuningFollowsThePaper) {
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(tuning({1, 2, 3}), Pair(32, 6));
  EXPECT_EQ(tuning({7, 7, 7}), Pair(32, 7));
  EXPECT_EQ(tuning({7, 8}), Pair(32, 8));         // 7.5
  EXPECT_EQ(tuning({31, 31, 32}), Pair(32, 32));  // 31.3
  EXPECT_EQ(tuning({32}), Pair(64, 32));          // above the average, not equal to it
  EXPECT_EQ(tuning({63, 64, 64}), Pair(64, 32));  // 63.7
  EXPECT_EQ(tuning({255}), Pair(256, 32));
  EXPECT_EQ(tuning({0, 10, 256, 900}), Pair(32, 6));  // rows of 256 and more do not count, empty ones do
  EXPECT_EQ(tuning({256, 900}), Pair(256, 32));       // all in CSR, L = 32 * 32
  EXPECT_EQ(tuning({}), Pair(256, 32));
}

/// Where most rows are longer than the average, one thread takes a row of the median length.
TEST(EllCsr, OneThreadTakesAMedianRow) {
  EXPECT_EQ(encode_rows({27, 27, 27, 18, 12}).per_thread, 27u);  // 22.2
  EXPECT_EQ(encode_rows({1, 1, 1, 27}).per_thread, 8u);          // 7.5, median 1
  EXPECT_EQ(encode_rows({0, 0, 40, 40, 40}).per_thread, 32u);    // median 40, 32 at most
  EXPECT_EQ(encode_rows({9, 12}).per_thread, 11u);               // 10.5, half of the rows have no more than 9
}

/// Rows of 300, 1, 8, 0 and 7 entries: avg = 4, so T = 32, M = 6, L = 192. By hand. The long row goes to the end.
TEST(EllCsr, InterleavesTheThreadsOfAWarp) {
  const auto f = encode_rows({300, 1, 8, 0, 7});
  EXPECT_EQ(list(f.row_perm), (Lengths{2, 4, 1, 3, 0}));
  EXPECT_EQ(f.ell_rows, 4u);
  EXPECT_EQ(positions_in(f.warp_row), (Numbers{0, 4}));
  EXPECT_EQ(positions_in(f.warp_start), (Numbers{0, 32}));
  EXPECT_EQ(list(f.warp_width), (std::vector<std::uint8_t>{8}));  // two threads for each row
  const auto columns = list(f.col_idx);
  EXPECT_EQ(Lengths(columns.begin(), columns.begin() + 32), (Lengths{0, 1, 0, 1,   0,   pad, pad, pad,  //
                                                                     2, 3, 2, 3,   pad, pad, pad, pad,  //
                                                                     4, 5, 4, 5,   pad, pad, pad, pad,  //
                                                                     6, 7, 6, pad, pad, pad, pad, pad}));
  const auto values = tests::values_in(f.values);
  EXPECT_EQ(std::vector<double>(values.begin(), values.begin() + 16),
            (std::vector<double>{302, 303, 310, 311, 301, 0, 0, 0, 304, 305, 312, 313, 0, 0, 0, 0}));
  EXPECT_EQ(values[32], 1);  // the CSR part
  EXPECT_EQ(values[331], 300);
}

TEST(EllCsr, CutsLongRowsForWarps) {
  const auto f = encode_rows({1, 8, 0, 7, 300, 5, 192, 193});
  EXPECT_EQ(f.per_thread, 32u);  // 1 8 0 7 5 192 193 have 58 on average: L = 1024
  EXPECT_EQ(f.threshold, 64u);
  EXPECT_EQ(list(f.csr_warp_row), (Lengths{0, 1, 2}));
  EXPECT_EQ(positions_in(f.csr_warp_start), (Numbers{0, 300, 492, 685}));
  const auto g = encode_rows({1, 384, 0, 300, 385});  // avg 0.5: L = 192
  EXPECT_EQ(list(g.csr_warp_row), (Lengths{0, 0, 1, 1, 2, 2, 2}));
  EXPECT_EQ(positions_in(g.csr_warp_start), (Numbers{0, 192, 384, 576, 684, 876, 1068, 1069}));
}

/// 20 rows of 8 (two threads each: 16 to a warp) and 90 of 1: the second warp is 4 rows of 8 and 12 of 1.
TEST(EllCsr, DealsRowsToWarps) {
  Lengths lengths(110, 1);
  std::fill(lengths.begin(), lengths.begin() + 20, 8);
  const auto f = encode_rows(lengths);
  EXPECT_TRUE(f.row_perm.empty());
  EXPECT_EQ(f.per_thread, 6u);
  EXPECT_EQ(positions_in(f.warp_row), (Numbers{0, 16, 32, 64, 96, 110}));
  EXPECT_EQ(list(f.warp_width), (std::vector<std::uint8_t>{8, 8, 1, 1, 1}));
  EXPECT_EQ(positions_in(f.warp_start), (Numbers{0, 128, 256, 288, 320, 334}));
}

TEST(EllCsr, LeavesIdleThreadsWithoutSlots) {
  Lengths lengths(11, 13);  // M = 13 would be one thread: make the average small
  lengths.resize(100, 1);
  const auto f = encode_rows(lengths);
  EXPECT_EQ(f.per_thread, 6u);  // 13 entries: three threads, five steps; 10 rows to a warp, 30 lanes
  EXPECT_EQ(positions_in(f.warp_row), (Numbers{0, 10, 20, 52, 84, 100}));
  EXPECT_EQ(f.warp_start.position(1), 150u);
  EXPECT_EQ(f.warp_start.position(2), 300u);
}

/// 64 rows of 1 and 9 entries in turn: M = 6, so rows of 9 take two threads and five steps.
Lengths in_turn() {
  Lengths lengths;
  for (std::uint32_t r = 0; r < 64; ++r) lengths.push_back(r % 2 == 0 ? 1 : 9);
  return lengths;
}

/// The windows of `of` rows by length: rows 1, 3, ... of each, then 0, 2, ...
Lengths odd_first(std::uint32_t of) {
  Lengths order;
  for (std::uint32_t first = 0; first < 64; first += of)
    for (std::uint32_t odd : {1u, 0u})
      for (std::uint32_t r = odd; r < of; r += 2) order.push_back(first + r);
  return order;
}

TEST(EllCsr, SortsWithinWindows) {
  const auto f = encode_rows(in_turn(), 32);
  EXPECT_EQ(list(f.row_perm), odd_first(32));
  EXPECT_EQ(positions_in(f.warp_row), (Numbers{0, 16, 32, 48, 64}));
  EXPECT_EQ(list(f.warp_width), (std::vector<std::uint8_t>{9, 1, 9, 1}));
  EXPECT_EQ(positions_in(f.warp_start), (Numbers{0, 160, 176, 336, 352}));
  const auto g = encode_rows(in_turn(), 64);
  EXPECT_EQ(list(g.row_perm), odd_first(64));
  EXPECT_EQ(positions_in(g.warp_row), (Numbers{0, 16, 32, 64}));
  EXPECT_EQ(positions_in(g.warp_start), (Numbers{0, 160, 320, 352}));
}

/// Sorting moves rows within their only warp, so it saves no slot.
TEST(EllCsr, KeepsTheOrderWhereSortingSavesNoBytes) {
  const auto f = encode_rows({6, 7, 7, 7, 7, 6});  // 6.7: M = 7
  EXPECT_TRUE(f.row_perm.empty());
  EXPECT_EQ(list(f.warp_width), (std::vector<std::uint8_t>{7}));
  EXPECT_EQ(positions_in(f.warp_start), (Numbers{0, 42}));
  EXPECT_EQ(byte_totals(f).index_bytes, 17u + 4 + 42 * 4);
}

/// 10^3 points: 512 rows of 7, 384 of 6, 96 of 5 and 8 of 4, all of whole warps but the last. M = 7, where 6.4 rounded
/// down would give rows of 7 two threads. Positions 2 * 33 * 4, widths 32, the empty CSR part 4, the permutation 4000.
TEST(EllCsr, GridRowsTakeOneThread) {
  const auto matrix = gallery::generate(*parse_spec("stencil7:n=10"));
  const auto f = encode<EllCsr>(view_of(matrix->csr), {});
  ASSERT_TRUE(f.ok());
  EXPECT_EQ(f->per_thread, 7u);
  EXPECT_EQ(f->ell_slots, 6400u);
  EXPECT_EQ(f->warp_width.size(), 32u);
  EXPECT_EQ(ell_warp(*f, 0).rows, 32u);
  EXPECT_EQ(byte_totals(*f).index_bytes, 6400u * 4 + 264 + 32 + 4 + 4000);
}

// --- T, M and L given ---

EllCsr<Owned> encode_with(const Lengths& lengths, const EllCsr<Owned>::Params& params) {
  return std::move(encode<EllCsr>(view_of(tests::rows_of(lengths, 1000)), params)).value();
}

TEST(EllCsr, TakesTheParametersGiven) {
  const Lengths lengths = {70, 5, 63, 64, 1};
  const auto f = encode_with(lengths, {.t = 64, .m = 8, .l = 32});
  EXPECT_EQ(f.threshold, 64u);
  EXPECT_EQ(f.per_thread, 8u);
  EXPECT_EQ(f.ell_rows, 3u);
  EXPECT_EQ(list(f.row_perm), (Lengths{2, 1, 4, 0, 3}));
  EXPECT_EQ(positions_in(f.csr_warp_start), (Numbers{0, 32, 64, 70, 102, 134}));
  EXPECT_EQ(list(f.warp_width), (std::vector<std::uint8_t>{63}));  // eight threads a row
  EXPECT_EQ(positions_in(f.warp_start), (Numbers{0, 3 * 64}));
  EXPECT_EQ(positions_in(encode_with(lengths, {.t = 64, .m = 2}).csr_warp_start), (Numbers{0, 64, 70, 134}));
}

/// Nothing but what is given differs from what the matrix suggests: T = 64 and M = 32 here.
TEST(EllCsr, LeavesTheOthersToTheMatrix) {
  const Lengths lengths = {70, 5, 63, 64, 1};
  const auto given_l = encode_with(lengths, {.l = 69});
  EXPECT_EQ(given_l.threshold, 64u);
  EXPECT_EQ(given_l.per_thread, 32u);
  EXPECT_EQ(positions_in(given_l.csr_warp_start), (Numbers{0, 69, 70, 134}));
  EXPECT_EQ(encode_with(lengths, {.m = 9}).threshold, 64u);
  EXPECT_EQ(encode_with(lengths, {.t = 7}).per_thread, 32u);
  EXPECT_EQ(encode_with(lengths, {.t = 7}).ell_rows, 2u);
  EXPECT_EQ(encode_with(lengths, {.t = 1}).ell_rows, 0u);
  EXPECT_EQ(encode_with({0, 1, 0}, {.t = 1}).ell_rows, 2u);  // empty rows are in no piece
}

/// A row of T - 1 entries has at most 32 threads: M = 1 lowers T, T = 256 raises M from 6 to 8.
TEST(EllCsr, KeepsRowsWithinAWarp) {
  EXPECT_EQ(encode_with({70, 70, 70}, {.m = 1}).threshold, 32u);
  Lengths lengths(60, 0);
  lengths[0] = 255;
  const auto f = encode_with(lengths, {.t = 256});
  EXPECT_EQ(f.per_thread, 8u);
  EXPECT_EQ(f.ell_rows, f.rows);
  EXPECT_TRUE(validate(view_of(f)).ok());
  EXPECT_EQ(encode_with({32, 1}, {.t = 33, .m = 1}).ell_rows, 2u);
}

TEST(EllCsr, RefusesParametersOutOfRange) {
  const auto a = tests::rows_of({1, 2}, 10);
  const auto expect_refused = [&](const EllCsr<Owned>::Params& params, const std::string& part) {
    for (const auto& error :
         {encode<EllCsr>(view_of(a), params).error(), estimate<EllCsr>(view_of(a), params).error()}) {
      EXPECT_EQ(error.code, ErrorCode::usage);
      EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
    }
  };
  expect_refused({.t = 0}, "t=0: expected auto or 1 to 256");
  expect_refused({.t = 257}, "t=257: expected auto or 1 to 256");
  expect_refused({.m = 0}, "m=0: expected auto or 1 to 1024");
  expect_refused({.m = 1025}, "m=1025: expected auto or 1 to 1024");
  expect_refused({.l = 31}, "l=31: expected auto or 32 to 32768");
  expect_refused({.l = 32769}, "l=32769: expected auto or 32 to 32768");
  expect_refused({.t = 130, .m = 4},
                 "t=130,m=4: a row of t - 1 entries does not fit a warp; expected t of at most 129");
  EXPECT_TRUE(encode<EllCsr>(view_of(a), {.t = 129, .m = 4}).ok());
}

TEST(EllCsr, RefusesWindowsBelowAWarp) {
  const auto a = tests::rows_of({1, 2}, 10);
  EXPECT_TRUE(encode<EllCsr>(view_of(a), {32}).ok());
  for (const auto& error : {encode<EllCsr>(view_of(a), {31}).error(), estimate<EllCsr>(view_of(a), {0}).error()}) {
    EXPECT_EQ(error.code, ErrorCode::usage);
    EXPECT_NE(error.message.find("at least 32"), std::string::npos) << error.message;
  }
}

/// Warps 8 + 8 + 1, CSR warps 2 * 4 + 12, columns 332, permutation 20.
TEST(EllCsr, IndexBytesByHand) {
  const auto a = tests::rows_of({300, 1, 8, 0, 7}, 1000);
  const auto f = encode_rows({300, 1, 8, 0, 7});
  EXPECT_EQ(byte_totals(f).index_bytes, 17u + 20 + 332 * 4 + 20);
  EXPECT_EQ(byte_totals(f).value_bytes, 332u * 8);
  const auto size = estimate<EllCsr>(view_of(a), {});
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->index_bytes, 17u + 20 + 332 * 4 + 20);
  EXPECT_EQ(size->value_slots, 332u);
}

std::vector<EllCsr<Owned>::Params> every_tuning() {
  return {{.sigma = 32}, {.sigma = 100},     {},          {.t = 1},     {.t = 1, .l = 32}, {.t = 256},
          {.m = 1},      {.t = 100, .m = 4}, {.m = 1024}, {.l = 32768}, {.t = 33, .m = 1}, {.t = 64, .m = 8, .l = 512}};
}

/// Many warps of every number of threads.
TEST(EllCsr, RowsOfAllLengthsReturnEveryBit) {
  for (std::uint32_t longest : {20u, 60u, 255u, 290u, 900u}) {
    Lengths lengths;
    for (std::uint32_t r = 0; r < 1000; ++r) lengths.push_back(r * 7919u % 1009u * longest / 1009u);
    const auto a = tests::rows_of(lengths, 1000);
    for (const auto& params : every_tuning()) {
      const auto f = encode<EllCsr>(view_of(a), params);
      ASSERT_TRUE(f.ok());
      const auto valid = validate(view_of(*f));
      EXPECT_TRUE(valid.ok()) << valid.error().text();
      EXPECT_TRUE(identical(decode<EllCsr>(view_of(*f)), a)) << longest;
      EXPECT_EQ(estimate<EllCsr>(view_of(a), params)->index_bytes, byte_totals(*f).index_bytes) << longest;
    }
  }
}

TEST(EllCsr, ValidateRefusesWhatAKernelCouldNotRead) {
  const auto good = encode_rows({300, 1, 8, 0, 7});
  ASSERT_TRUE(validate(view_of(good)).ok());
  const auto refused = [&](auto&& damage) {
    auto f = good;
    damage(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_TRUE(refused([](auto& f) { f.per_thread = 0; }));
  EXPECT_TRUE(refused([](auto& f) { f.per_thread = 8; }));  // one thread a row: the slots no longer fit
  EXPECT_TRUE(refused([](auto& f) { f.per_thread = 1025; }));
  EXPECT_TRUE(refused([](auto& f) { f.threshold = 8; }));  // a row is longer
  EXPECT_TRUE(refused([](auto& f) { f.threshold = 257; }));
  EXPECT_TRUE(refused([](auto& f) { f.ell_rows = 5; }));
  EXPECT_TRUE(refused([](auto& f) { f.ell_rows = 6; }));
  EXPECT_TRUE(refused([](auto& f) { f.ell_slots = 333; }));
  EXPECT_TRUE(refused([](auto& f) { f.warp_width[0] = 6; }));  // one thread a row
  EXPECT_TRUE(refused([](auto& f) { f.warp_width[0] = 32; }));
  EXPECT_TRUE(refused([](auto& f) { f.warp_row.template as<std::uint32_t>()[1] = 3; }));
  EXPECT_TRUE(refused([](auto& f) { f.csr_warp_row[0] = 1; }));
  EXPECT_TRUE(refused([](auto& f) { f.csr_warp_row[1] = 1; }));  // there is one CSR row
  EXPECT_TRUE(refused([](auto& f) { f.csr_warp_start.template as<std::uint32_t>()[1] = 301; }));
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[0] = 1000; }));
  EXPECT_TRUE(refused([](auto& f) {
    f.col_idx[5] = 1;
    f.col_idx[4] = pad;
  }));  // goes on behind padding
  EXPECT_TRUE(refused([](auto& f) { f.col_idx[40] = pad; }));
  EXPECT_TRUE(refused([](auto& f) { std::swap(f.col_idx[40], f.col_idx[41]); }));
  EXPECT_TRUE(refused([](auto& f) { f.row_perm[0] = 3; }));
  EXPECT_TRUE(refused([](auto& f) { f.nnz = 317; }));
}

}  // namespace
}  // namespace spress
