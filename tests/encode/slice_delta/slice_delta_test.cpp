#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/encode/padded/padded_support.hpp"
#include "tests/node_matrix.hpp"

namespace spress {
namespace {

using tests::list;
using tests::positions_in;
using Words = std::vector<std::uint32_t>;

SliceDelta<Owned> encode_slices(const Csr<Owned>& a, AutoNumber sigma = std::nullopt, AutoNumber block = std::nullopt) {
  const SliceDelta<Owned>::Params params = {.sigma = sigma, .block = block};
  auto f = std::move(encode<SliceDelta>(view_of(a), params)).value();
  EXPECT_TRUE(validate(view_of(f)));
  EXPECT_TRUE(identical(decode<SliceDelta>(view_of(f)), a));
  EXPECT_EQ(estimate<SliceDelta>(view_of(a), params)->index_bytes, byte_totals(f).index_bytes);
  return f;
}

/// A matrix of ones from the columns of each row.
Csr<Owned> matrix_of(const std::vector<std::vector<std::uint32_t>>& rows, std::uint64_t cols) {
  Csr<Owned> a;
  a.rows = rows.size();
  a.cols = cols;
  std::vector<std::uint32_t> row_ptr = {0}, col_idx;
  for (const auto& row : rows) {
    col_idx.insert(col_idx.end(), row.begin(), row.end());
    row_ptr.push_back(static_cast<std::uint32_t>(col_idx.size()));
  }
  a.nnz = col_idx.size();
  a.row_ptr = Positions<Owned>(HostArray<std::uint32_t>(std::span<const std::uint32_t>(row_ptr)));
  a.col_idx = HostArray<std::uint32_t>(std::span<const std::uint32_t>(col_idx));
  HostArray<double> values(a.nnz);
  for (std::uint64_t k = 0; k < a.nnz; ++k) values[k] = static_cast<double>(k);
  a.values = raw_store(std::move(values));
  return a;
}

std::uint32_t step(std::int32_t base, std::uint32_t width, bool masked) {
  return static_cast<std::uint32_t>(base) << 7 | (masked ? 1u << 6 : 0) | width;
}

/// Rows r - 1, r, r + 1: two slices that are alike but for the first row's missing left neighbour.
TEST(SliceDelta, RowsThatAreShiftedCopiesTakeNoBits) {
  std::vector<std::vector<std::uint32_t>> rows(64);
  for (std::uint32_t r = 0; r < 64; ++r)
    rows[r] = r == 0 ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{r - 1, r, r + 1};
  const auto f = encode_slices(matrix_of(rows, 65));
  EXPECT_EQ(list(f.words), (Words{0,
                                  0,
                                  0,
                                  3 | slice_words::any_mask,  // head
                                  step(-1, 0, true),
                                  step(1, 0, false),
                                  step(1, 0, false),
                                  0,  // steps
                                  0xFFFFFFFE,
                                  0xFFFFFFFF,
                                  0xFFFFFFFF,
                                  0,  // masks
                                  0,
                                  0,
                                  0,
                                  3,  // head
                                  step(-1, 0, false),
                                  step(1, 0, false),
                                  step(1, 0, false),
                                  0}));
  EXPECT_EQ(list(f.first_word), (Words{4, 16}));
  EXPECT_EQ(positions_in(f.value_start), (std::vector<std::uint64_t>{0, 95, 191}));
  EXPECT_TRUE(f.residuals.empty());
  // by step, then lane: rows 1 to 31's first entries, then all second ones
  EXPECT_EQ(tests::values_in(f.values)[0], 2);
  EXPECT_EQ(tests::values_in(f.values)[31], 0);
}

TEST(SliceDelta, SlicesThatAreAlikeShareOneDescription) {
  std::vector<std::vector<std::uint32_t>> rows(320);
  for (std::uint32_t r = 0; r < 320; ++r) rows[r] = {r, r + 7};
  const auto f = encode_slices(matrix_of(rows, 400));
  EXPECT_EQ(list(f.first_word), Words(10, 4));
  EXPECT_EQ(list(f.words), (Words{0, 0, 0, 2, step(0, 0, false), step(7, 0, false), 0, 0}));
  EXPECT_EQ(byte_totals(f).index_bytes, 10u * 4 + 11 * 4 + 11 * 4 + 8 * 4);
}

/// One entry a row, 0 or 5 to the right of the diagonal: three bits each, 32 of them in three words.
TEST(SliceDelta, PacksWhatRowsDifferBy) {
  std::vector<std::vector<std::uint32_t>> rows(32);
  for (std::uint32_t r = 0; r < 32; ++r) rows[r] = {r + (r % 3 == 0 ? 5u : 0u)};
  const auto f = encode_slices(matrix_of(rows, 64));
  EXPECT_EQ(list(f.words), (Words{0, 0, 0, 1 | slice_words::any_width, step(0, 3, false), 0, 0, 0}));
  ASSERT_EQ(f.residuals.size(), 3u);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(residual_at(f.residuals.data(), 3 * lane, 3), lane % 3 == 0 ? 5u : 0u) << lane;
}

/// Four steps of all lanes: 32 times 0, 1, 2 and 3 bits, lane by lane.
TEST(SliceDelta, ResidualsOfFullTurnsStandLaneByLane) {
  std::vector<std::vector<std::uint32_t>> rows(32);
  for (std::uint32_t r = 0; r < 32; ++r)
    rows[r] = {r, r + 10 + r % 2, r + 30 + r % 2 + r % 4, r + 60 + r % 2 + r % 4 + r % 8};
  const auto f = encode_slices(matrix_of(rows, 128));
  ASSERT_EQ(f.residuals.size(), 6u);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(residual_at(f.residuals.data(), 6 * lane, 1), lane % 2);
    EXPECT_EQ(residual_at(f.residuals.data(), 6 * lane + 1, 2), lane % 4);
    EXPECT_EQ(residual_at(f.residuals.data(), 6 * lane + 3, 3), lane % 8);
  }
}

TEST(SliceDelta, WideBasesStandApart) {
  const auto f = encode_slices(matrix_of({{1u << 24}}, 1u << 25));
  EXPECT_EQ(list(f.words), (Words{0, 0, 0, 1 | slice_words::wide_bases | slice_words::any_mask, step(0, 0, true), 0, 0,
                                  0, 1u << 24, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(encode_slices(matrix_of({{(1u << 24) - 1}}, 1u << 25)).words.size(), 12u);
}

/// 8-bit codes of whole turns without masks stand lane by lane.
TEST(SliceDelta, CodesOfOneByteStandLaneByLane) {
  std::vector<std::vector<std::uint32_t>> rows(32);
  for (std::uint32_t r = 0; r < 32; ++r) rows[r] = {r, r + 1, r + 2, r + 3, r + 4};
  auto a = matrix_of(rows, 64);
  double* values = a.values.codes.as<double>();
  for (std::uint32_t k = 0; k < a.nnz; ++k) values[k] = k % 5;
  a.values = std::move(with_store(view_of(a).values, StoreKind::narrow)).value();
  const auto f = encode_slices(a);
  EXPECT_EQ(f.lane_steps, 4u);
  const auto* codes = f.values.codes.as<std::int8_t>();
  EXPECT_EQ(std::vector<int>(codes, codes + 8), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(std::vector<int>(codes + 128, codes + 130), (std::vector<int>{4, 4}));
}

/// A row of 100 among rows of one entry becomes a piece of four steps: a dense stretch takes no bits, the other does.
TEST(SliceDelta, CutsLongRowsIntoPieces) {
  std::vector<std::vector<std::uint32_t>> rows(32, std::vector<std::uint32_t>{0});
  rows[3].clear();
  for (std::uint32_t k = 0; k < 100; ++k) rows[3].push_back(k < 64 ? 10 + k : 2 * k);
  const auto f = encode_slices(matrix_of(rows, 300), std::nullopt, 1);
  EXPECT_EQ(list(f.long_row), Words{3});
  const std::uint32_t* steps = f.words.data() + f.first_word[1];
  EXPECT_EQ(slice_words::steps(steps[-1]), 4u);
  EXPECT_EQ(steps[0], step(7, 0, false));
  EXPECT_EQ(steps[1], step(32, 0, false));
  EXPECT_EQ(slice_words::width(steps[2]), 5u);  // up to 31 beyond one by one
  EXPECT_EQ(slice_words::width(steps[3]), 2u);  // four entries, up to 3 beyond
}

TEST(SliceDelta, RowsLongerThanAPieceAreCutAgain) {
  std::vector<std::vector<std::uint32_t>> rows(2);
  for (std::uint32_t k = 0; k < 5000; ++k) rows[1].push_back(k);
  const auto f = encode_slices(matrix_of(rows, 5000));
  EXPECT_EQ(list(f.long_row), (Words{1, 1, 1}));
  EXPECT_EQ(positions_in(f.value_start), (std::vector<std::uint64_t>{0, 0, 2048, 4096, 5000}));
}

/// Rows 3m to 3m + 2 with entries at columns 3m to 3m + 2, whatever row of a node a slice begins with.
TEST(SliceDelta, RowsOfANodeBeginAlike) {
  std::vector<std::vector<std::uint32_t>> rows(96);
  for (std::uint32_t r = 0; r < 96; ++r) rows[r] = {r - r % 3, r - r % 3 + 1, r - r % 3 + 2};
  const auto f = encode_slices(matrix_of(rows, 96));
  EXPECT_EQ(f.block, 3u);
  EXPECT_EQ(list(f.first_word), (Words{4, 4, 4}));
  EXPECT_EQ(list(f.words), (Words{0, 0, 0, 3, step(0, 0, false), step(1, 0, false), step(1, 0, false), 0}));
  EXPECT_TRUE(f.residuals.empty());
  EXPECT_EQ(encode_slices(matrix_of(rows, 96), std::nullopt, 1).residuals.size(), 3u * 2);
}

TEST(SliceDelta, FindsTheUnknownsOfANode) {
  for (const std::uint32_t unknowns : {2u, 3u, 5u, 6u}) {
    const auto a = tests::node_matrix(200, unknowns);
    const auto f = encode_slices(a), plain = encode_slices(a, std::nullopt, 1);
    EXPECT_EQ(f.block, unknowns);
    EXPECT_LT(byte_totals(f).index_bytes, byte_totals(plain).index_bytes) << unknowns;
    EXPECT_EQ(f.residual_start.position(1), f.residuals.size()) << unknowns;  // only at the first node's
    EXPECT_GE(plain.residuals.size(), slices_of(plain) - 1) << unknowns;
    encode_slices(a, 64);
    encode_slices(a, 64, 7);
  }
}

TEST(SliceDelta, KeepsRowsApartWhereNoBlockHelps) {
  std::vector<std::vector<std::uint32_t>> stencil(500), mixed(500);
  for (std::uint32_t r = 0; r < 500; ++r) {
    for (const std::uint32_t c : {0u, 1u, 2u, 20u, 40u}) stencil[r].push_back(r + c);
    mixed[r] = {r + 7 * (r % 3), r + 50 + r % 11};
  }
  for (const auto& rows : {stencil, mixed}) {
    const auto f = encode_slices(matrix_of(rows, 600));
    EXPECT_EQ(f.block, 1u);
    EXPECT_TRUE(identical(f, encode_slices(matrix_of(rows, 600), std::nullopt, 1)));
  }
}

/// Columns that do not follow the diagonal: all rows of a slice begin alike.
TEST(SliceDelta, RowsOfASliceMayAllBeginAlike) {
  std::vector<std::vector<std::uint32_t>> rows(160);
  for (std::uint32_t r = 0; r < 160; ++r) rows[r] = {r / 32 * 32, 200 + r * 37 % 50};
  EXPECT_EQ(encode_slices(matrix_of(rows, 300)).block, slice_rows);
}

/// Grids: all that distinguishes slices are borders, which masks tell of, and these many slices share.
TEST(SliceDelta, GridsTakeNoResiduals) {
  for (const auto& [name, block] : {std::pair{"elasticity3d:n=20", 3u}, {"stencil27:n=27", 1u}}) {
    const auto matrix = gallery::generate(parse_spec(name).value());
    ASSERT_TRUE(matrix.ok());
    const auto f = encode_slices(matrix->csr), plain = encode_slices(matrix->csr, std::nullopt, 1);
    EXPECT_EQ(f.block, block);
    EXPECT_TRUE(f.residuals.empty());
    EXPECT_TRUE(f.long_row.empty());
    EXPECT_TRUE(block == 1 || 10 * byte_totals(f).index_bytes < 9 * byte_totals(plain).index_bytes);
  }
}

/// One row of 54 among rows of 36: worth a piece of its own, but not where all others are alike.
TEST(SliceDelta, CutsNoRowsWhereThatSavesLittle) {
  for (const std::uint32_t slices : {2u, 60u}) {
    std::vector<std::vector<std::uint32_t>> rows(32 * slices);
    for (std::uint32_t r = 0; r < rows.size(); ++r)
      for (std::uint32_t k = 0; k < (r == 40 ? 54u : 36u); ++k) rows[r].push_back(r + 2 * k);
    EXPECT_EQ(list(encode_slices(matrix_of(rows, 4000)).long_row), slices == 2 ? Words{40} : Words{});
    for (std::uint32_t k = 54; k < 80; ++k) rows[40].push_back(40 + 2 * k);  // more than twice as long as the others
    EXPECT_EQ(list(encode_slices(matrix_of(rows, 4000)).long_row), Words{40});
  }
}

/// Two long rows of a node are cut into pieces that are alike.
TEST(SliceDelta, PiecesOfRowsThatBeginAlikeShareADescription) {
  std::vector<std::vector<std::uint32_t>> rows(64);
  for (std::uint32_t r = 0; r < 64; ++r) rows[r] = {r - r % 2, r - r % 2 + 1};
  for (const std::uint32_t r : {10u, 11u}) {
    rows[r].clear();
    for (std::uint32_t k = 0; k < 96; ++k) rows[r].push_back(k);
  }
  const auto f = encode_slices(matrix_of(rows, 96), 1, 2);
  EXPECT_EQ(list(f.long_row), (Words{10, 11}));
  EXPECT_EQ(f.first_word[2], f.first_word[3]);
  EXPECT_EQ(f.words[f.first_word[2]], step(-10, 0, false));
}

TEST(SliceDelta, TakesBlocksOfOneToTheLargest) {
  const auto a = tests::node_matrix(30, 3);
  for (const std::uint32_t block : {0u, SliceDelta<Owned>::largest_block + 1}) {
    const SliceDelta<Owned>::Params params = {.sigma = std::nullopt, .block = block};
    EXPECT_EQ(encode<SliceDelta>(view_of(a), params).error().code, ErrorCode::usage);
    EXPECT_EQ(estimate<SliceDelta>(view_of(a), params).error().code, ErrorCode::usage);
    auto f = encode_slices(a, std::nullopt, 3);
    f.block = block;
    EXPECT_FALSE(validate(view_of(f)));
  }
  for (const std::uint32_t block : {2u, 31u, 32u, 33u, SliceDelta<Owned>::largest_block})
    EXPECT_EQ(encode_slices(a, std::nullopt, block).block, block);
}

TEST(SliceDelta, WindowsMayBeginWithinASlice) {
  Words ragged(200);
  for (std::uint32_t r = 0; r < ragged.size(); ++r) ragged[r] = r * 7 % 11;
  const auto a = tests::rows_of(ragged, 100);
  for (const std::uint32_t sigma : {5u, 31u, 33u, 40u}) {
    const auto f = encode_slices(a, sigma);
    EXPECT_EQ(f.row_perm.size(), 200u) << sigma;
    for (std::uint64_t i = 1; i < 200; ++i)
      if (i % sigma != 0) {
        EXPECT_GE(ragged[row_at(f, i - 1)], ragged[row_at(f, i)]) << sigma << ' ' << i;
      }
  }
}

/// Half of the rows are empty: they say nothing of where the others begin.
TEST(SliceDelta, BlocksAreFoundThoughRowsAreEmpty) {
  std::vector<std::vector<std::uint32_t>> rows(96);
  for (std::uint32_t r = 0; r < 96; ++r)
    if (r % 2 == 0) rows[r] = {5000, 5007, 5009};
  EXPECT_EQ(encode_slices(matrix_of(rows, 6000), 1).block, slice_rows);
}

/// Rows of four begin alike, no two of them side by side: only a block of a whole slice rids their steps of residuals.
TEST(SliceDelta, TriesAWholeSliceWhereNoNeighboursBeginAlike) {
  std::vector<std::vector<std::uint32_t>> rows(64);
  for (std::uint32_t r = 0; r < 64; ++r) rows[r] = {r / 32 * 32 + r % 2, r / 32 * 32 + 40 + r % 2};
  EXPECT_EQ(encode_slices(matrix_of(rows, 200)).block, 32u);
}

TEST(SliceDelta, SortsOnlyWhereLanesWouldIdle) {
  Words even(4096, 5), ragged(4096);
  for (std::uint32_t r = 0; r < ragged.size(); ++r) ragged[r] = r % 8;
  EXPECT_TRUE(encode_slices(tests::rows_of(even, 100)).row_perm.empty());
  const auto f = encode_slices(tests::rows_of(ragged, 100));
  EXPECT_EQ(f.sigma, 4096u);
  EXPECT_EQ(f.row_perm[0], 7u);
  EXPECT_TRUE(encode_slices(tests::rows_of(ragged, 100), 1).row_perm.empty());
  EXPECT_TRUE(encode_slices(tests::rows_of(even, 100), 64).row_perm.empty());  // the identity is not stored
}

TEST(SliceDelta, RefusesWindowsOutOfRange) {
  const auto a = tests::ragged_example();
  for (const std::uint32_t sigma : {0u, 65537u}) {
    EXPECT_EQ(encode<SliceDelta>(view_of(a), {.sigma = sigma}).error().code, ErrorCode::usage);
    EXPECT_EQ(estimate<SliceDelta>(view_of(a), {.sigma = sigma}).error().code, ErrorCode::usage);
  }
}

TEST(SliceDelta, ValidateRefusesWhatAKernelCouldNotRead) {
  std::vector<std::vector<std::uint32_t>> rows(33);
  for (std::uint32_t r = 0; r < 33; ++r) rows[r] = {r, r + 1 + r % 5};
  const auto good = encode_slices(matrix_of(rows, 40));
  const auto refused = [&](auto&& damage) {
    SliceDelta<Owned> f = good;
    damage(f);
    return !validate(view_of(f));
  };
  EXPECT_TRUE(refused([](auto& f) { f.first_word[0] += 1; }));
  EXPECT_TRUE(refused([](auto& f) { f.first_word[0] += 4000; }));
  EXPECT_TRUE(refused([](auto& f) { f.words[f.first_word[0] - 1] += 1; }));
  EXPECT_TRUE(refused([](auto& f) { f.words[f.first_word[0] - 1] |= 1u << 20; }));
  EXPECT_TRUE(refused([](auto& f) { f.words[f.first_word[0] - 1] ^= slice_words::any_width; }));
  EXPECT_TRUE(refused([](auto& f) { f.words[f.first_word[0]] |= 63; }));
  EXPECT_TRUE(refused([](auto& f) { f.words[f.first_word[0]] += 100u << 7; }));    // outside of the matrix
  EXPECT_TRUE(refused([](auto& f) { f.words[f.first_word[0] + 1] -= 1u << 7; }));  // no longer ascending
  EXPECT_TRUE(refused([](auto& f) { f.lane_steps = 2; }));
  EXPECT_TRUE(refused([](auto& f) { f.lane_steps = 4; }));  // values are raw
  EXPECT_TRUE(refused([](auto& f) { f.sigma = 0; }));
  EXPECT_TRUE(refused([](auto& f) {
    f.sigma = 64;
    f.row_perm = HostArray<std::uint16_t>(33, 0);
  }));
}

TEST(SliceDelta, ValidateRefusesMasksOfWhatIsNotThere) {
  std::vector<std::vector<std::uint32_t>> rows(20);
  for (std::uint32_t r = 0; r < 20; ++r) rows[r] = {r, r + 1};
  const auto good = encode_slices(matrix_of(rows, 40));
  const std::uint32_t masks = good.first_word[0] + slice_words::words_to_masks(good.words[good.first_word[0] - 1]);
  ASSERT_EQ(good.words[masks], (1u << 20) - 1);
  for (const auto& [word, mask] : {std::pair{0u, 1u << 25 | ((1u << 19) - 1)}, {2u, 1u}, {3u, 1u}}) {
    SliceDelta<Owned> f = good;
    f.words[masks + word] = mask;  // a lane without a row, steps behind the last
    EXPECT_FALSE(validate(view_of(f))) << word;
  }
}

/// Kernels read the mask of a step only where its word announces one; decoding reads it wherever the turn has masks.
TEST(SliceDelta, ValidateRefusesAMaskThatItsStepDoesNotAnnounce) {
  std::vector<std::vector<std::uint32_t>> rows(32);
  for (std::uint32_t r = 0; r < 32; ++r) rows[r] = r % 2 == 0 ? Words{r, r + 1} : Words{r};
  auto f = encode_slices(matrix_of(rows, 40));
  const std::uint32_t first = f.first_word[0], masks = first + slice_words::words_to_masks(f.words[first - 1]);
  ASSERT_FALSE(slice_words::is_masked(f.words[first]));
  ASSERT_TRUE(slice_words::is_masked(f.words[first + 1]));
  ASSERT_EQ(f.words[masks], ~0u);
  std::swap(f.words[masks], f.words[masks + 1]);  // as many entries, none outside of the matrix
  EXPECT_FALSE(validate(view_of(f)));
}

TEST(SliceDelta, ValidateRefusesAStepWithTwoBases) {
  auto f = encode_slices(matrix_of({{1u << 24}}, 1u << 25));
  f.words[f.first_word[0]] |= 1u << 7;
  EXPECT_FALSE(validate(view_of(f)));
}

TEST(SliceDelta, ValidateRefusesPiecesOutOfPlace) {
  std::vector<std::vector<std::uint32_t>> rows(40, std::vector<std::uint32_t>{0});
  for (const std::uint32_t r : {3u, 35u}) {
    rows[r].clear();
    for (std::uint32_t k = 0; k < 100; ++k) rows[r].push_back(3 * k);
  }
  const auto good = encode_slices(matrix_of(rows, 300));
  ASSERT_EQ(list(good.long_row), (Words{3, 35}));
  for (const Words& of : {Words{35, 3}, Words{3, 40}, Words{3, 34}, Words{3, 3}}) {
    SliceDelta<Owned> f = good;
    std::copy(of.begin(), of.end(), f.long_row.begin());
    EXPECT_FALSE(validate(view_of(f))) << of[0] << " " << of[1];
  }
}

/// Rows of two kinds that take turns in every way: by exact offsets they would need more steps than a slice may have.
TEST(SliceDelta, TakesNoMoreStepsThanASliceMayHave) {
  std::vector<std::vector<std::uint32_t>> rows(32);
  for (std::uint32_t r = 0; r < 32; ++r)
    for (std::uint32_t k = 0, column = r; k < 1000; ++k) {
      rows[r].push_back(column);
      column += k % 2 == r % 2 ? 300 : 600;
    }
  encode_slices(matrix_of(rows, 460000));
}

/// Bases are modulo 2^32: from the first columns to the last they are 2^31 and more.
TEST(SliceDelta, StepsFromOneEndOfTheLargestMatrixToTheOther) {
  constexpr std::uint32_t cols = 2147483647;
  std::vector<std::vector<std::uint32_t>> rows(32);
  for (std::uint32_t r = 0; r < 8; ++r) rows[r] = {cols - 8 + r};
  for (std::uint32_t r = 24; r < 32; ++r) rows[r] = {r - 24};
  encode_slices(matrix_of(rows, cols));
}

}  // namespace
}  // namespace spress
