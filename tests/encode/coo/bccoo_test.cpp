#include <gtest/gtest.h>

#include <bit>
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

Bccoo<Owned> encode_in(const Csr<Owned>& a, std::uint32_t b = 1024) {
  return std::move(encode<Bccoo>(view_of(a), {.b = b})).value();
}

/// Bytes written by hand: single bytes, and numbers of a given type.
struct Bytes {
  std::vector<std::uint8_t> bytes;
  Bytes& key(unsigned value) {
    bytes.push_back(static_cast<std::uint8_t>(value));
    return *this;
  }
  template <class T>
  Bytes& number(T value) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), at, at + sizeof value);
    return *this;
  }
};

std::vector<std::uint32_t> offsets(const Bccoo<Owned>& f) {
  std::vector<std::uint32_t> out;
  for (std::size_t h = 0; h < f.offset.size(); ++h) out.push_back(static_cast<std::uint32_t>(f.offset.position(h)));
  return out;
}

/// Rows 0, 1 (empty), 2, 3: all values in the table, most frequent first, then by bit pattern (2.0 < 5.0).
TEST(Bccoo, TuplesByHand) {
  const auto a = tests::make_csr(
      {"", 4, 100000, row(0, {3, 127, 252}) + row(2, {252, 65787, 65788}) + row(3, {65787}), {7, 7, 5, 7, 7, 2, 7}});
  const auto f = encode_in(a);
  EXPECT_EQ(std::vector<double>(f.lut.as<double>(), f.lut.as<double>() + f.lut.size()), (std::vector<double>{7, 2, 5}));
  EXPECT_EQ(list(f.row), (std::vector<std::uint32_t>{0}));
  const auto expected = Bytes{}
                            .key(0x80 | 3)
                            .key(0)  // (0,3)
                            .key(0x80 | 124)
                            .key(0)  // (0,127): the largest in the key
                            .key(0x80 | 0x7D)
                            .number<std::uint16_t>(125)
                            .key(2)  // (0,252): the smallest behind it
                            .key(0xFF)
                            .key(0xFF)  // ends of rows 0 and 1
                            .key(0x80)
                            .key(0)  // (2,252): the column persists
                            .key(0x80 | 0x7D)
                            .number<std::uint16_t>(65535)
                            .key(0)  // (2,65787)
                            .key(0x80 | 1)
                            .key(1)     // (2,65788)
                            .key(0xFF)  //
                            .key(0x80 | 0x7E)
                            .number<std::uint32_t>(65787)
                            .key(0)  // (3,65787): a step to the left
                            .key(0xFF);
  EXPECT_EQ(list(f.data), expected.bytes);
  EXPECT_EQ(offsets(f), (std::vector<std::uint32_t>{0, static_cast<std::uint32_t>(expected.bytes.size())}));
  EXPECT_EQ(f.data_value_bytes, 7u);
  EXPECT_EQ(byte_totals(f).value_bytes, 7u + 3 * 8);
  EXPECT_EQ(byte_totals(f).index_bytes, expected.bytes.size() - 7 + 4 + 2 * 4);
}

TEST(Bccoo, AStepBeyondSixteenBitsIsAColumn) {
  const auto f = encode_in(tests::make_csr({"", 1, 100000, row(0, {0, 65536}), {1, 1}}));
  EXPECT_EQ(list(f.data), Bytes{}.key(0x80).key(0).key(0xFE).number<std::uint32_t>(65536).key(0).key(0xFF).bytes);
}

/// Columns begin at 0 in each chunk; the end of a row stands behind its last entry, so a chunk may end with one, and
/// with those of the empty rows behind it. Rows in front of the first entry have none.
TEST(Bccoo, ChunksByHand) {
  const auto f = encode_in(tests::make_csr({"", 7, 9, {{1, 4}, {1, 5}, {1, 8}, {2, 0}, {5, 6}}, {1, 1, 1, 1, 1}}), 2);
  EXPECT_EQ(list(f.row), (std::vector<std::uint32_t>{1, 1, 5}));
  EXPECT_EQ(offsets(f), (std::vector<std::uint32_t>{0, 4, 16, 20}));
  EXPECT_EQ(list(f.data), Bytes{}
                              .key(0x84)
                              .key(0)
                              .key(0x81)
                              .key(0)
                              .key(0x88)
                              .key(0)
                              .key(0xFF)
                              .key(0xFE)
                              .number<std::uint32_t>(0)
                              .key(0)
                              .key(0xFF)
                              .key(0xFF)
                              .key(0xFF)
                              .key(0x86)
                              .key(0)
                              .key(0xFF)
                              .key(0xFF)
                              .bytes);
}

TEST(Bccoo, PatternsHaveNoValuePartAndNoTable) {
  const auto f = encode_in(tests::make_csr({"", 2, 300, {{0, 1}, {0, 2}, {1, 250}}, {}}, Fill::pattern));
  EXPECT_TRUE(f.lut.empty());
  EXPECT_EQ(list(f.data), Bytes{}.key(1).key(1).key(0xFF).key(0x7D).number<std::uint16_t>(248).key(0xFF).bytes);
  EXPECT_EQ(byte_totals(f).value_bytes, 0u);
}

TEST(Bccoo, FloatsTakeFourAndComplexValuesSixteenBytes) {
  const auto a = tests::make_csr({"", 1, 300, tests::dense(1, 300), {}});
  const auto single = with_value_type(view_of(a), ValueType::f32);
  ASSERT_TRUE(single.ok());
  EXPECT_EQ(encode_in(*single).data_value_bytes, 256u + 44 * 4);
  EXPECT_EQ(encode_in(*single).lut.bytes(), 256u * 4);
  const auto pairs = tests::make_csr({"", 1, 300, tests::dense(1, 300), {}}, Fill::complex_values);
  EXPECT_EQ(encode_in(pairs).data_value_bytes, 256u + 44 * 16);
  EXPECT_EQ(encode_in(pairs).lut.bytes(), 256u * 16);
}

/// 300 distinct values: those that occur twice come first, the others by bit pattern (for these, by size).
TEST(Bccoo, TheTableHoldsTheMostFrequentTiesByBits) {
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) values.push_back(300 - i);
  for (int i = 0; i < 3; ++i) values.push_back(300 - i);
  values.push_back(-1);
  const auto f = encode_in(tests::make_csr({"", 1, 304, tests::dense(1, 304), values}));
  ASSERT_EQ(f.lut.size(), 256u);
  const auto* lut = f.lut.as<double>();
  EXPECT_EQ(lut[0], 298);
  EXPECT_EQ(lut[1], 299);
  EXPECT_EQ(lut[2], 300);
  EXPECT_EQ(lut[3], 1);
  EXPECT_EQ(lut[255], 253);
  // 256 + 3 table indices, 45 full values (254 to 297 and -1), a byte of key each, the end of the row.
  EXPECT_EQ(f.data.size(), 304u + 1 + 259 + 45 * 8);
}

TEST(Bccoo, TakesRawStoresOnly) {
  const auto iso = with_values(view_of(tests::make_csr({"", 1, 2, {{0, 0}, {0, 1}}, {3, 3}})), StoreKind::iso);
  ASSERT_TRUE(iso.ok());
  EXPECT_EQ(encode<Bccoo>(view_of(*iso), {}).error().code, ErrorCode::not_applicable);
  EXPECT_EQ(estimate<Bccoo>(view_of(*iso), {}).error().code, ErrorCode::not_applicable);
}

TEST(Bccoo, ChunksOfNoEntriesAreRefused) {
  const auto a = tests::make_csr({"", 1, 1, {{0, 0}}, {}});
  EXPECT_EQ(encode<Bccoo>(view_of(a), {.b = 0}).error().code, ErrorCode::usage);
}

/// Whatever a byte is changed to, what validate accepts decodes to a valid matrix of the same size.
TEST(Bccoo, AnyByteOfTheStreamMayBeDamaged) {
  for (Fill fill : {Fill::real, Fill::pattern}) {
    auto f = encode_in(tests::make_csr({"",
                                        9,
                                        70000,
                                        row(0, {3, 127, 252}) + row(2, {252, 65787, 65788}) + row(6, {60000}),
                                        {7, 7, 5, 7, 7, 2, 7}},
                                       fill),
                       3);
    ASSERT_TRUE(validate(view_of(f)).ok());
    int refused = 0, accepted = 0;
    for (std::size_t i = 0; i < f.data.size(); ++i) {
      const std::uint8_t good = f.data[i];
      for (unsigned bad = 0; bad < 256; ++bad) {
        f.data[i] = static_cast<std::uint8_t>(bad);
        const bool valid = validate(view_of(f)).ok();
        ++(valid ? accepted : refused);
        if (!valid) continue;
        EXPECT_TRUE(validate(view_of(decode<Bccoo>(view_of(f)))).ok()) << i << " " << bad;
      }
      f.data[i] = good;
    }
    EXPECT_GT(refused, accepted);
  }
}

/// Row 0 with 300 values of which the table holds 256; row 1: 70000 is out of reach of a step, 70200 takes two bytes,
/// 70201 none; then a step to the left.
TEST(Bccoo, DetailsCountTheLongPartsByHand) {
  std::vector<std::uint32_t> first(300);
  for (std::uint32_t k = 0; k < 300; ++k) first[k] = k;
  const auto a = tests::make_csr({"", 3, 80000, row(0, first) + row(1, {70000, 70200, 70201}) + row(2, {4}), {}});
  const auto size = estimate<Bccoo>(view_of(a), {});
  ASSERT_TRUE(size.ok());
  std::vector<std::pair<std::string, std::uint64_t>> details;
  for (const auto& [name, count] : size->details) details.emplace_back(name, count);
  EXPECT_EQ(details, (std::vector<std::pair<std::string, std::uint64_t>>{
                         {"columns_of_4_bytes", 2}, {"columns_of_2_bytes", 1}, {"values_in_full", 304 - 256}}));
}

TEST(Bccoo, ValidateRefusesWhatDoesNotFitTogether) {
  const auto a = tests::make_csr({"", 7, 9, {{1, 4}, {1, 5}, {1, 8}, {2, 0}, {5, 6}}, {1, 1, 1, 1, 1}});
  const auto refuses = [&](auto&& change) {
    auto f = encode_in(a, 2);
    EXPECT_TRUE(validate(view_of(f)).ok());
    change(f);
    return !validate(view_of(f)).ok();
  };
  EXPECT_TRUE(refuses([](auto& f) { f.row[0] = 2; })) << "one end of a row too many";
  EXPECT_TRUE(refuses([](auto& f) { f.row[0] = 0; })) << "one too few";
  EXPECT_TRUE(refuses([](auto& f) { f.row[2] = 4; })) << "ends of rows that belong to the next chunk";
  EXPECT_TRUE(refuses([](auto& f) { f.row[2] = 4000000000u; })) << "a row outside";
  EXPECT_TRUE(refuses([](auto& f) { f.offset.template as<std::uint32_t>()[1] = 3; })) << "a chunk cut in a tuple";
  EXPECT_TRUE(refuses([](auto& f) { f.data_value_bytes = 6; })) << "another number of value bytes";
  EXPECT_TRUE(refuses([](auto& f) { f.chunk = 3; })) << "another length of chunks";
  EXPECT_TRUE(refuses([](auto& f) { f.nnz = 6; })) << "another number of entries";
  EXPECT_TRUE(refuses([](auto& f) { f.rows = 6; })) << "fewer rows than ends of rows";
  EXPECT_TRUE(refuses([](auto& f) { f.cols = 8; })) << "columns outside";
  EXPECT_TRUE(refuses([](auto& f) { f.data[4] = 0x85; })) << "columns fall from one chunk to the next";
  EXPECT_TRUE(refuses([](auto& f) { f.data[1] = 1; })) << "an index outside the table";
  EXPECT_TRUE(refuses([](auto& f) { f.value_type = ValueType::f32; })) << "a table of another type";
  EXPECT_TRUE(refuses([](auto& f) { f.lut = AnyArray<Owned>(HostArray<double>{1, 2}); })) << "a value never used";
}

}  // namespace
}  // namespace spress
