#include <gtest/gtest.h>
#include <omp.h>

#include <map>

#include "analyze/models.hpp"
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

/// Two segments of 6 and 4 columns. Row 1 has two blocks in the first, row 0 one, row 2 none there and one in the
/// second.
Csr<Owned> example() { return tests::make_csr({"", 3, 10, row(0, {1}) + row(1, {0, 1, 5}) + row(2, {8, 9}), {}}); }
Format encoded() { return encode_as(example(), {.block = 2, .segment = 6, .sigma = 32}); }

TEST(Amb, ChunksOfSegmentsByHand) {
  const auto f = encoded();
  ASSERT_EQ(f.chunks, 2u);
  EXPECT_EQ(f.blocks, 4u);
  EXPECT_EQ(f.used_lanes, 6u);
  EXPECT_EQ(list(f.chunk_length), (std::vector<std::uint32_t>{2, 1u << 16 | 1}));
  EXPECT_EQ(list(f.window), (std::vector<std::uint16_t>{0, 0}));
  const auto* start = f.chunk_start.as<std::uint32_t>();
  EXPECT_EQ(std::vector<std::uint32_t>(start, start + 3), (std::vector<std::uint32_t>{0, 64, 96}));
  const auto none = Format::no_row;
  EXPECT_EQ(std::vector<std::uint16_t>(f.perm.begin(), f.perm.begin() + 4),
            (std::vector<std::uint16_t>{1, 0, 2, none}));
  EXPECT_EQ(std::vector<std::uint16_t>(f.perm.begin() + 32, f.perm.begin() + 36),
            (std::vector<std::uint16_t>{2, 0, 1, none}));
}

/// Row 1 stands in lane 0: block 0 holds columns 0, 1; column 5 is the segment's last, so its block begins at 4.
TEST(Amb, BlocksAreClampedAndFilledByHand) {
  const auto f = encoded();
  EXPECT_EQ(f.block_col[0], 0);
  EXPECT_EQ(f.block_col[1], 1);
  EXPECT_EQ(f.block_col[2], Format::no_block);
  EXPECT_EQ(f.block_col[32], 4);
  EXPECT_EQ(f.block_col[33], Format::no_block);
  EXPECT_EQ(f.block_col[64], 2);
  EXPECT_EQ(list(f.present), (std::vector<std::uint32_t>{3, 1, 0, 1, 1, 1}));
  const auto* v = f.values.codes.as<double>();
  EXPECT_EQ(v[0], 2);    // row 1, column 0
  EXPECT_EQ(v[32], 3);   // column 1
  EXPECT_EQ(v[64], 0);   // column 4: filled
  EXPECT_EQ(v[96], 4);   // column 5
  EXPECT_EQ(v[1], 1);    // row 0, column 1
  EXPECT_EQ(v[33], 0);   // filled
  EXPECT_EQ(v[128], 5);  // row 2, column 8
  EXPECT_EQ(v[160], 6);
}

/// 96 block slots, 2 chunks: starts 12, lengths 8, windows 4, permutation 128, ids 192; bits of 192 value slots 24.
TEST(Amb, BytesByHand) {
  const Format::Params params = {.block = 2, .segment = 6, .sigma = 32};
  const auto size = estimate<Amb>(view_of(example()), params);
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->index_bytes, 12u + 8 + 4 + 128 + 192 + 24);
  EXPECT_EQ(size->model_index_bytes, 192u + 2 * 74);
  EXPECT_EQ(size->value_slots, 192u);
}

TEST(Amb, FullBlocksNeedNoBits) {
  const auto a = tests::make_csr({"", 40, 12, tests::dense(40, 12), {}});
  const auto f = encode_as(a, {.block = 3});
  EXPECT_TRUE(f.present.empty());
  EXPECT_EQ(f.chunks, 2u);
  EXPECT_EQ(f.used_lanes, 40u);
}

/// 50 runs of 4 columns in each of 64 rows: blocks of 4 need a quarter of the ids, wider ones are filled.
TEST(Amb, TheTrafficModelChoosesTheBlock) {
  std::vector<tests::Entry> entries;
  for (std::uint32_t r = 0; r < 64; ++r)
    for (std::uint32_t k = 0; k < 200; ++k) entries.emplace_back(r, k / 4 * 6 + k % 4);
  const auto a = tests::make_csr({"", 64, 300, entries, {}});
  EXPECT_EQ(encode_as(a, {}).block, 4u);
  const auto traffic = [&](std::uint32_t b) {
    const auto f = encode_as(a, {.block = b});
    return analyze::amb_traffic_model({a.rows, a.cols, f.values.count, f.chunks, 32, b, 8});
  };
  for (std::uint32_t b = 1; b <= 10; ++b) EXPECT_GE(traffic(b), traffic(4)) << b;
}

/// Blocks of one column, held as double and as float: what the details say is what encode makes of it.
TEST(Amb, DetailsAreThoseOfTheLayoutsMade) {
  const auto a = tests::make_csr({"", 90, 70000, tests::scattered(90, 400, 20) + row(90 - 1, {69999}), {}});
  const auto size = estimate<Amb>(view_of(a), {});
  ASSERT_TRUE(size.ok());
  std::map<std::string, std::uint64_t> details;
  for (const auto& [name, count] : size->details) details[name] = count;
  ASSERT_EQ(details.size(), 12u);
  const auto check = [&](const Csr<Owned>& matrix, const std::string& prefix, std::uint64_t v) {
    const auto f = encode_as(matrix, {});
    EXPECT_EQ(details[prefix + "block"], f.block);
    EXPECT_EQ(details[prefix + "segment"], f.segment);
    EXPECT_EQ(details[prefix + "chunks"], f.chunks);
    EXPECT_EQ(details[prefix + "value_slots"], f.values.count);
    EXPECT_EQ(details[prefix + "traffic_bytes"],
              analyze::amb_traffic_model({f.rows, f.cols, f.values.count, f.chunks, 32, f.block, v}));
    const auto g = encode_as(matrix, {.block = 1});
    EXPECT_EQ(details[prefix + "traffic_bytes_block_1"],
              analyze::amb_traffic_model({g.rows, g.cols, g.values.count, g.chunks, 32, 1, v}));
  };
  check(a, "", 8);
  check(std::move(with_value_type(view_of(a), ValueType::f32)).value(), "single_", 4);
  const auto wide = estimate<Amb>(view_of(a), {.block = 2});
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(wide->details.size(), 10u);  // nothing was measured for blocks of one column
}

/// With fewer windows than threads, parts of windows are counted apart.
TEST(Amb, SizesAreTheSameOnAnyNumberOfThreads) {
  const int before = omp_get_max_threads();
  for (const char* text : {"powerlaw:n=3000,seed=5", "blockdiag:n=2000,b=7", "arrow:n=2500"}) {
    const auto generated = gallery::generate(*parse_spec(text));
    ASSERT_TRUE(generated.ok()) << text;
    const Csr<Owned>& a = generated->csr;
    for (const Format::Params& params :
         {Format::Params{}, Format::Params{.segment = 700, .sigma = 1024}, Format::Params{.block = 3, .sigma = 96},
          Format::Params{.sigma = 96, .base = ColumnBase::step},
          Format::Params{.segment = 700, .base = ColumnBase::none},
          Format::Params{.segment = 700, .sigma = 96, .equal = EqualSegments::entries}}) {
      omp_set_num_threads(1);
      const auto one = estimate<Amb>(view_of(a), params);
      const Format of_one = encode_as(a, params);
      omp_set_num_threads(70);
      const auto many = estimate<Amb>(view_of(a), params);
      const Format of_many = encode_as(a, params);
      omp_set_num_threads(before);
      ASSERT_TRUE(one.ok() && many.ok());
      EXPECT_EQ(many->index_bytes, one->index_bytes);
      EXPECT_EQ(many->value_slots, one->value_slots);
      EXPECT_EQ(many->index_bytes, byte_totals(of_many).index_bytes);
      EXPECT_EQ(checksum_of(of_many), checksum_of(of_one));
      ASSERT_EQ(many->details.size(), one->details.size());
      for (std::size_t k = 0; k < one->details.size(); ++k)
        EXPECT_EQ(many->details[k].count, one->details[k].count) << one->details[k].name;
    }
  }
}

/// The model against what is held: values, ids, chunks' own data; y read and written by every lane; x and y once more.
TEST(Amb, TheModelCountsWhatAProductMoves) {
  for (const auto& scenario : tests::scenarios()) {
    if (scenario.cols > 1000000) continue;
    const auto a = tests::make_csr(scenario);
    const auto f = encode_as(a, {});
    const std::uint64_t held = byte_totals(f).total() - f.present.bytes() - 4;  // one more start than chunks
    const std::uint64_t moved = held + f.chunks * 32 * 2 * 8 + (a.rows + a.cols) * 8;
    EXPECT_EQ(analyze::amb_traffic_model({a.rows, a.cols, f.values.count, f.chunks, 32, f.block, 8}), moved)
        << scenario.name;
  }
}

TEST(Amb, WideMatricesAreCutBelow65536Columns) {
  const auto a = tests::make_csr({"", 2, 200000, row(0, {0, 65534, 65535, 199999}) + row(1, {70000}), {}});
  const auto f = encode_as(a, {.block = 1, .segment = 65535});
  EXPECT_EQ(f.chunks, 3u);  // the third segment is empty
  EXPECT_EQ(f.chunk_length[1], 1u << 16 | 1);
  EXPECT_EQ(f.chunk_length[2], 3u << 16 | 1);
  EXPECT_TRUE(identical(decode<Amb>(view_of(f)), a));
}

TEST(Amb, ParametersThatDoNotFitAreRefused) {
  const auto code = [](const Format::Params& params) {
    const auto encoded = encode<Amb>(view_of(example()), params);
    const auto estimated = estimate<Amb>(view_of(example()), params);
    EXPECT_TRUE(!encoded.ok() && !estimated.ok() && encoded.error().code == estimated.error().code);
    return encoded.error().code;
  };
  EXPECT_EQ(code({.block = 0}), ErrorCode::usage);
  EXPECT_EQ(code({.block = 11}), ErrorCode::usage);
  EXPECT_EQ(code({.segment = 0}), ErrorCode::usage);
  EXPECT_EQ(code({.segment = 65536}), ErrorCode::usage);
  EXPECT_EQ(code({.sigma = 33}), ErrorCode::usage);
  EXPECT_EQ(code({.sigma = 65536}), ErrorCode::usage);
  EXPECT_EQ(code({.block = 5, .segment = 6}), ErrorCode::not_applicable);  // the last segment has 4 columns
}

TEST(Amb, ValidateRefusesWhatAKernelCouldNotRead) {
  const auto refused = [](auto change) {
    auto f = encoded();
    change(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& f) { f.block = 3; }));
  EXPECT_TRUE(refused([](auto& f) { f.segment = 4; }));  // a block of the first no longer fits
  EXPECT_TRUE(refused([](auto& f) { f.sigma = 0; }));
  EXPECT_TRUE(refused([](auto& f) { f.perm[0] = 3; }));  // row 3 of 3
  EXPECT_TRUE(refused([](auto& f) { f.perm[1] = 1; }));  // row 1 twice
  EXPECT_TRUE(refused([](auto& f) { f.perm[0] = Format::no_row; }));
  EXPECT_TRUE(refused([](auto& f) { f.window[1] = 1; }));
  EXPECT_TRUE(refused([](auto& f) { f.chunk_length[1] = 2u << 16 | 1; }));  // segment 2 of 2
  EXPECT_TRUE(refused([](auto& f) { f.chunk_length[0] = 1; }));
  EXPECT_TRUE(refused([](auto& f) { f.block_col[0] = 5; }));   // columns 5 and 6 of 6
  EXPECT_TRUE(refused([](auto& f) { f.block_col[64] = 3; }));  // columns 9 and 10 of 10
  EXPECT_TRUE(refused([](auto& f) { f.block_col[32] = 0; }));  // does not ascend
  EXPECT_TRUE(refused([](auto& f) { f.block_col[33] = Format::no_block - 1; }));
  EXPECT_TRUE(refused([](auto& f) { f.block_col[0] = Format::no_block; }));
  EXPECT_TRUE(refused([](auto& f) { f.present[0] = 1; }));  // lane 1 has a block without entries
  EXPECT_TRUE(refused([](auto& f) { f.present[0] = 7; }));  // lane 2 has an entry without a block
  EXPECT_TRUE(refused([](auto& f) { f.values.codes.template as<double>()[33] = 1; }));  // beside column 1 of row 0
  EXPECT_TRUE(refused([](auto& f) { f.values.codes.template as<double>()[64] = 1; }));  // column 4 of row 1
  EXPECT_TRUE(refused([](auto& f) { f.blocks = 5; }));
  EXPECT_TRUE(refused([](auto& f) { f.used_lanes = 5; }));
}

}  // namespace
}  // namespace spress
