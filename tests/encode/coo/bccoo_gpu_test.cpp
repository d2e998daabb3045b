#include <gtest/gtest.h>

#include <cstring>

#include "encode/shared/any.hpp"
#include "tests/list_of.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Fill;
using tests::list;
using tests::row;
using tests::operator+;

BccooGpu<Owned> encode_in(const Csr<Owned>& a, std::uint32_t b = 1024) {
  return std::move(encode<BccooGpu>(view_of(a), {.b = b})).value();
}

std::vector<std::uint32_t> offsets(const BccooGpu<Owned>& f) {
  std::vector<std::uint32_t> out;
  for (std::size_t h = 0; h < f.offset.size(); ++h) out.push_back(static_cast<std::uint32_t>(f.offset.position(h)));
  return out;
}

TEST(BccooGpu, TuplesByHand) {
  const auto f = encode_in(
      tests::make_csr({"", 5, 1000, row(1, {300, 555}) + row(2, {302}) + row(4, {301, 302}), {7, 5, 7, 2, 7}}));
  EXPECT_EQ(list(f.row), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(list(f.column), (std::vector<std::uint32_t>{300}));
  EXPECT_EQ(list(f.format), (std::vector<std::uint8_t>{4}));  // columns of 1 byte (555 - 300 = 255), values by table
  EXPECT_EQ(list(f.data), (std::vector<std::uint8_t>{0, 0, 0, 0, 255, 2, 1, 2, 0, 3, 1, 1, 3, 2, 0}));
  EXPECT_EQ(std::vector<double>(f.lut.as<double>(), f.lut.as<double>() + f.lut.size()), (std::vector<double>{7, 2, 5}));
  EXPECT_EQ(offsets(f), (std::vector<std::uint32_t>{0, 15}));
  EXPECT_EQ(byte_totals(f).value_bytes, 5u + 3 * 8);
  EXPECT_EQ(byte_totals(f).index_bytes, 10u + 4 + 4 + 1 + 2 * 4);
}

TEST(BccooGpu, AWiderChunkTakesTwoOrFourBytesForEachColumn) {
  const auto a =
      tests::make_csr({"", 3, 100000, row(0, {1, 257}) + row(1, {5, 65540}) + row(2, {0, 65536}), {}}, Fill::pattern);
  const auto f = encode_in(a, 2);
  EXPECT_EQ(list(f.format), (std::vector<std::uint8_t>{1, 1, 2}));
  EXPECT_EQ(list(f.column), (std::vector<std::uint32_t>{1, 5, 0}));
  EXPECT_EQ(offsets(f), (std::vector<std::uint32_t>{0, 6, 12, 22}));
  EXPECT_EQ(list(f.data), (std::vector<std::uint8_t>{0, 0, 0, 0, 0,    1,     //
                                                     0, 0, 0, 0, 0xFF, 0xFF,  //
                                                     0, 0, 0, 0, 0,    0,    0, 0, 1, 0}));
}

/// A chunk spans 256 rows at most, whatever b says; rows in front of it cost nothing.
TEST(BccooGpu, AChunkClosesBeforeARowsDistanceWouldPass255) {
  const auto f = encode_in(tests::make_csr({"", 1000, 1, {{10, 0}, {265, 0}, {266, 0}, {521, 0}, {999, 0}}, {}}));
  EXPECT_EQ(list(f.row), (std::vector<std::uint32_t>{10, 266, 999}));
  EXPECT_EQ(offsets(f), (std::vector<std::uint32_t>{0, 6, 12, 15}));
  EXPECT_EQ(f.data[3], 255);
}

/// Values 1..300, once each: the table holds 1..256, and only a chunk without any of the others uses it.
TEST(BccooGpu, OneValueOutsideTheTableMakesAChunkHoldFullValues) {
  const auto a = tests::make_csr({"", 1, 300, tests::dense(1, 300), {}});
  const auto f = encode_in(a, 100);
  EXPECT_EQ(list(f.format), (std::vector<std::uint8_t>{4, 4, 0}));
  EXPECT_EQ(f.data.size(), 100u * 3 + 100 * 3 + 100 * 10);
  EXPECT_EQ(f.data_value_bytes, 100u + 100 + 100 * 8);
  EXPECT_EQ(f.lut.size(), 200u) << "less what no chunk uses";
  EXPECT_TRUE(encode_in(a).lut.empty());
}

TEST(BccooGpu, FloatsTakeFourAndComplexValuesSixteenBytes) {
  const auto a = tests::make_csr({"", 1, 300, tests::dense(1, 300), {}});
  const auto single = with_value_type(view_of(a), ValueType::f32);
  ASSERT_TRUE(single.ok());
  EXPECT_EQ(encode_in(*single).data.size(), 300u * (1 + 2 + 4));
  const auto pairs = tests::make_csr({"", 1, 300, tests::dense(1, 300), {}}, Fill::complex_values);
  EXPECT_EQ(encode_in(pairs).data.size(), 300u * (1 + 2 + 16));
}

TEST(BccooGpu, TakesRawStoresAndChunksOfEntriesOnly) {
  const auto a = tests::make_csr({"", 1, 2, {{0, 0}, {0, 1}}, {3, 3}});
  const auto iso = with_values(view_of(a), StoreKind::iso);
  ASSERT_TRUE(iso.ok());
  EXPECT_EQ(encode<BccooGpu>(view_of(*iso), {}).error().code, ErrorCode::not_applicable);
  EXPECT_EQ(encode<BccooGpu>(view_of(a), {.b = 0}).error().code, ErrorCode::usage);
}

/// Whatever a byte of the tuples or a format is changed to, what validate accepts decodes to a valid matrix.
TEST(BccooGpu, AnyByteMayBeDamaged) {
  for (Fill fill : {Fill::real, Fill::pattern}) {
    auto f = encode_in(
        tests::make_csr(
            {"", 9, 700, row(0, {3, 127, 252}) + row(2, {252, 657, 658}) + row(6, {600}), {7, 7, 5, 7, 7, 2, 7}}, fill),
        3);
    ASSERT_TRUE(validate(view_of(f)).ok());
    int refused = 0, accepted = 0;
    const auto damage = [&](std::uint8_t& byte) {
      const std::uint8_t good = byte;
      for (unsigned bad = 0; bad < 256; ++bad) {
        byte = static_cast<std::uint8_t>(bad);
        const bool valid = validate(view_of(f)).ok();
        ++(valid ? accepted : refused);
        if (!valid) continue;
        EXPECT_TRUE(validate(view_of(decode<BccooGpu>(view_of(f)))).ok()) << bad;
      }
      byte = good;
    };
    for (auto& byte : f.data) damage(byte);
    for (auto& byte : f.format) damage(byte);
    EXPECT_GT(refused, accepted);
  }
}

TEST(BccooGpu, ValidateRefusesWhatDoesNotFitTogether) {
  const auto a = tests::make_csr({"", 7, 9, {{1, 4}, {1, 5}, {1, 8}, {2, 0}, {5, 6}}, {1, 1, 1, 1, 1}});
  const auto refuses = [&](auto&& change) {
    auto f = encode_in(a, 2);
    EXPECT_TRUE(validate(view_of(f)).ok());
    change(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_TRUE(refuses([](auto& f) { f.row[1] = 0; })) << "rows fall from one chunk to the next";
  EXPECT_TRUE(refuses([](auto& f) { f.row[2] = 7; })) << "a row outside";
  EXPECT_TRUE(refuses([](auto& f) { f.column[2] = 9; })) << "a column outside";
  EXPECT_TRUE(refuses([](auto& f) { f.column[1] = 4294967295u; })) << "a column that wraps";
  EXPECT_TRUE(refuses([](auto& f) { f.data[6] = 1; })) << "a first entry that is not in the chunk's first row";
  EXPECT_TRUE(refuses([](auto& f) { f.data[2] = 1; })) << "an index outside the table";
  EXPECT_TRUE(refuses([](auto& f) { f.format[0] = 3; })) << "no width of columns";
  EXPECT_TRUE(refuses([](auto& f) { f.format[0] = 8; })) << "a bit that means nothing";
  EXPECT_TRUE(refuses([](auto& f) { f.offset.template as<std::uint32_t>()[1] = 3; })) << "another cut";
  EXPECT_TRUE(refuses([](auto& f) { f.chunk = 1; })) << "more entries than a chunk takes";
  EXPECT_TRUE(refuses([](auto& f) { f.nnz = 6; })) << "another number of entries";
  EXPECT_TRUE(refuses([](auto& f) { f.data_value_bytes = 6; })) << "another number of value bytes";
  EXPECT_TRUE(refuses([](auto& f) { f.lut = AnyArray<Owned>(HostArray<double>{1, 2}); })) << "a value never used";
}

}  // namespace
}  // namespace spress
