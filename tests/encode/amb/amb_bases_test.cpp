// The layouts of amb whose columns do not count from their segment: a base for each step, and 32-bit columns.
#include <gtest/gtest.h>

#include <algorithm>

#include "encode/amb/segments.hpp"
#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/list_of.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::list;
using tests::row;
using tests::operator+;

using Format = Amb<Owned>;

Format encode_as(const Csr<Owned>& a, const Format::Params& params) {
  return std::move(encode<Amb>(view_of(a), params)).value();
}

template <class T>
std::vector<T> first(const HostArray<T>& a, std::size_t begin, std::size_t count) {
  return {a.begin() + begin, a.begin() + begin + count};
}

/// Column 65535 of row 2 is one too far from column 0, so that row 2 waits for the second step.
Csr<Owned> example() {
  return tests::make_csr({"", 3, 100002, row(0, {0, 100000}) + row(1, {65534, 100001}) + row(2, {65535}), {}});
}
constexpr Format::Params stepped = {.block = 1, .sigma = 32, .base = ColumnBase::step};

TEST(AmbBases, StepsByHand) {
  const auto f = encode_as(example(), stepped);
  constexpr auto none = Format::no_block;
  EXPECT_EQ(f.chunks, 1u);
  EXPECT_EQ(f.steps(0), 2u);
  EXPECT_EQ(list(f.step_col), (std::vector<std::uint32_t>{0, 65535}));
  EXPECT_EQ(first(f.block_col, 0, 4), (std::vector<std::uint16_t>{0, 65534, none, none}));
  EXPECT_EQ(first(f.block_col, 32, 4), (std::vector<std::uint16_t>{34465, 34466, 0, none}));
  EXPECT_EQ(first(f.perm, 0, 4), (std::vector<std::uint16_t>{0, 1, 2, Format::no_row}));
  EXPECT_TRUE(f.wide_col.empty());
  EXPECT_TRUE(identical(decode<Amb>(view_of(f)), example()));
}

/// 64 block slots in one chunk: starts 8, length 4, window 2, permutation 64, ids 128, bases 8; every block is full.
TEST(AmbBases, BytesByHand) {
  const auto size = estimate<Amb>(view_of(example()), stepped);
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->index_bytes, 8u + 4 + 2 + 64 + 128 + 8);
  EXPECT_EQ(size->model_index_bytes, 128u + 8 + 74);
  const auto wide = estimate<Amb>(view_of(example()), {.block = 1, .segment = 100002, .base = ColumnBase::none});
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(wide->index_bytes, 8u + 4 + 2 + 64 + 256);
  EXPECT_EQ(wide->model_index_bytes, 256u + 74);
}

/// Rows that reach over 140000 columns: three pieces in segments, one with bases.
TEST(AmbBases, StepsKeepRowsWhole) {
  std::vector<tests::Entry> entries;
  for (std::uint32_t r = 0; r < 64; ++r)
    for (std::uint32_t offset : {0u, 70000u, 140000u}) entries.emplace_back(r, r + offset);
  const auto a = tests::make_csr({"", 64, 150000, entries, {}});
  EXPECT_EQ(encode_as(a, {.block = 1}).chunks, 6u);
  const auto f = encode_as(a, stepped);
  EXPECT_EQ(f.chunks, 2u);
  EXPECT_EQ(f.used_lanes, 64u);
  EXPECT_EQ(f.block_col.size(), 64u * 3) << "no lane pauses";
}

TEST(AmbBases, WideColumnsByHand) {
  const auto f = encode_as(example(), {.block = 1, .segment = 70000, .base = ColumnBase::none});
  constexpr auto none = Format::no_wide_block;
  EXPECT_EQ(f.chunks, 2u);
  EXPECT_EQ(list(f.chunk_length), (std::vector<std::uint32_t>{1, 1u << 16 | 1}));
  EXPECT_EQ(first(f.wide_col, 0, 4), (std::vector<std::uint32_t>{0, 65534, 65535, none}));
  EXPECT_EQ(first(f.wide_col, 32, 3), (std::vector<std::uint32_t>{100000, 100001, none}));
  EXPECT_TRUE(f.block_col.empty() && f.step_col.empty());
}

/// The first of two segments ends with the column that completes half of the entries, but is as wide as a largest block
/// at least.
TEST(AmbBases, SegmentsOfEquallyManyEntries) {
  const auto cut_at = [](std::uint32_t heavy) {
    std::vector<tests::Entry> entries;
    for (std::uint32_t r = 0; r < 4; ++r)
      for (std::uint32_t c = 0; c < 40; ++c)
        if (c < heavy ? r < 3 || c % 2 == 0 : r == 0 && c % 3 == 0) entries.emplace_back(r, c);
    const auto a = tests::make_csr({"", 4, 40, entries, {}});
    const auto f = encode_as(a, {.block = 1, .segment = 20, .equal = EqualSegments::entries});
    EXPECT_TRUE(identical(decode<Amb>(view_of(f)), a));
    std::uint32_t begin = 40;  // the least column of the second segment
    for (std::uint64_t c = 0; c < f.chunks; ++c)
      for (std::uint64_t s = f.chunk_start.position(c); s < f.chunk_start.position(c + 1); ++s)
        if (f.chunk_length[c] >> 16 == 1) begin = std::min(begin, f.wide_col[s]);
    return begin;
  };
  EXPECT_EQ(cut_at(16), 10u) << "16 columns have 56 entries, half of all are in 9";
  EXPECT_EQ(cut_at(0), 21u) << "14 entries in every third column";
}

/// The beginnings are those of a sorted list of columns, for any number of segments.
TEST(AmbBases, SegmentsOfEquallyManyEntriesAreThoseOfSortedColumns) {
  for (const char* text : {"powerlaw:n=3000", "uniform:n=2000,k=3", "arrow:n=900", "dense:n=60", "stencil7:n=9"}) {
    const auto matrix = gallery::generate(parse_spec(text).value());
    ASSERT_TRUE(matrix.ok()) << text;
    const auto a = view_of(matrix->csr);
    std::vector<std::uint32_t> sorted(a.col_idx.begin(), a.col_idx.end());
    std::sort(sorted.begin(), sorted.end());
    for (const std::uint32_t width : {16u, 17u, 40u, 100u, 1000u, 5000u}) {
      const std::uint64_t count = amb::parts_of(a.cols, width);
      std::vector<std::uint64_t> wanted = {0};
      for (std::uint64_t s = 1; s < count; ++s) {
        const std::uint64_t behind = sorted[amb::parts_of(s * sorted.size(), count) - 1] + std::uint64_t{1};
        const std::uint64_t begin = std::max(behind, wanted.back() + amb::largest_block);
        if (begin + amb::largest_block > a.cols) break;
        wanted.push_back(begin);
      }
      wanted.push_back(a.cols);
      const auto segments = amb::Segments::of_entries(a, width);
      std::vector<std::uint64_t> begins;
      for (std::uint64_t s = 0; s <= segments.count(); ++s) begins.push_back(segments.begin(s));
      EXPECT_EQ(begins, wanted) << text << ", " << width;
    }
  }
}

TEST(AmbBases, ParametersThatDoNotFitAreRefused) {
  const auto code = [](const Format::Params& params) { return encode<Amb>(view_of(example()), params).error().code; };
  EXPECT_EQ(code({.segment = 100, .base = ColumnBase::step}), ErrorCode::usage);
  EXPECT_EQ(code({.base = ColumnBase::step, .equal = EqualSegments::entries}), ErrorCode::usage);
  EXPECT_EQ(code({.segment = 0, .base = ColumnBase::none}), ErrorCode::usage);
  EXPECT_EQ(code({.segment = 1, .base = ColumnBase::none}), ErrorCode::not_applicable);
}

TEST(AmbBases, ARowOfTooManySteps) {
  std::vector<std::uint32_t> cols(65536);
  for (std::uint32_t c = 0; c < cols.size(); ++c) cols[c] = c;
  const auto a = tests::make_csr({"", 1, 70000, row(0, cols), {}});
  const auto encoded = encode<Amb>(view_of(a), stepped);
  ASSERT_FALSE(encoded.ok());
  EXPECT_EQ(encoded.error().code, ErrorCode::not_applicable);
  EXPECT_EQ(estimate<Amb>(view_of(a), stepped).error().code, ErrorCode::not_applicable);
  EXPECT_TRUE(encode<Amb>(view_of(a), {.block = 2, .base = ColumnBase::step}).ok());
}

TEST(AmbBases, ValidateRefusesWhatAKernelCouldNotRead) {
  const auto refused = [](const Format::Params& params, auto change) {
    auto f = encode_as(example(), params);
    change(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_FALSE(refused(stepped, [](auto&) {}));
  EXPECT_TRUE(refused(stepped, [](auto& f) { f.step_col = HostArray<std::uint32_t>(1); }));
  EXPECT_TRUE(refused(stepped, [](auto& f) { f.step_col[1] += 2; }));  // column 100003 of 100002
  EXPECT_TRUE(refused(stepped, [](auto& f) { f.step_col[1] = 0; }));   // 34465 after 0, 34466 after 65534
  EXPECT_TRUE(refused(stepped, [](auto& f) { f.block_col[3] = 5; }));  // a block in a lane without a row
  EXPECT_TRUE(refused(stepped, [](auto& f) { f.wide_col = HostArray<std::uint32_t>(64); }));
  const Format::Params wide = {.block = 1, .segment = 70000, .base = ColumnBase::none};
  EXPECT_FALSE(refused(wide, [](auto&) {}));
  EXPECT_TRUE(refused(wide, [](auto& f) { f.wide_col[32] = 100002; }));  // column 100002 of 100002
  EXPECT_TRUE(refused(wide, [](auto& f) { f.wide_col[32] = 65535; }));   // of the segment before
  EXPECT_TRUE(refused(wide, [](auto& f) { f.wide_col[3] = 65535; }));    // a block in a lane without a row
  EXPECT_TRUE(refused(wide, [](auto& f) { f.wide_col[1] = Format::no_wide_block; }));  // a lane behind padding
  EXPECT_TRUE(refused(wide, [](auto& f) {                                              // bases beside 32-bit columns
    f.step_col = HostArray<std::uint32_t>(f.wide_col.size() / 32);
    std::fill_n(f.step_col.data(), f.step_col.size(), 0u);
  }));
  EXPECT_TRUE(refused(wide, [](auto& f) {
    f.segment = 40000;
    f.chunk_length[1] = 3u << 16 | 1;
  }));
}

}  // namespace
}  // namespace spress
