// Columns as gaps and as other rows predict them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "formats/io/matrix_file/pattern/copied.hpp"
#include "formats/io/matrix_file/pattern/gaps.hpp"
#include "formats/io/matrix_file/pattern/predicted.hpp"
#include "formats/io/matrix_file/pattern/range_coder.hpp"
#include "tests/formats/io/matrix_file/matrix_samples.hpp"

namespace spress::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Rows {
  BlockShape shape;
  std::vector<std::uint32_t> lengths, columns;

  [[nodiscard]] BlockPattern pattern() const { return {shape, lengths, columns}; }
};

/// The rows of the places, as a block that begins at row `first`.
Rows rows_of(const samples::Scenario& scenario, std::uint64_t first, bool lower) {
  Rows rows;
  rows.shape = {first, scenario.rows, 0, scenario.cols + first, lower};
  rows.lengths.resize(scenario.rows);
  for (const auto& [r, c] : scenario.places) {
    if (lower && c > r) continue;
    ++rows.lengths[r];
    rows.columns.push_back(c + (lower ? static_cast<std::uint32_t>(first) : 0));
  }
  rows.shape.entries = rows.columns.size();
  return rows;
}

std::vector<Rows> samples_of_rows() {
  std::vector<Rows> out;
  for (const auto& scenario : samples::scenarios()) {
    out.push_back(rows_of(scenario, 0, false));
    out.push_back(rows_of(scenario, 1000, false));
  }
  for (const std::uint64_t first : {0, 500})
    out.push_back(rows_of({"mesh", 230, 230, samples::symmetric_places(230, 3)}, first, true));
  samples::Places dense;  // more candidates than there may be
  for (std::uint32_t r = 0; r < 60; ++r)
    for (std::uint32_t c = 0; c < 1500; ++c)
      if ((r + c) % 3 != 0) dense.emplace(r, c);
  out.push_back(rows_of({"dense", 60, 1500, dense}, 0, false));
  return out;
}

template <class Decode>
void expect_same(const Rows& rows, const Bytes& bytes, Decode decode) {
  ByteReader in(bytes);
  StreamDecoder decoder;
  std::vector<std::uint32_t> lengths(rows.lengths.size() + 1), columns(rows.columns.size() + 1);
  const Status status = decode(rows.shape, in, decoder, lengths.data(), columns.data());
  ASSERT_TRUE(status.ok()) << status.error().text();
  lengths.pop_back();
  columns.pop_back();
  EXPECT_EQ(lengths, rows.lengths);
  EXPECT_EQ(columns, rows.columns);
  EXPECT_EQ(in.left(), 0U);
}

TEST(Pattern, GapsComeBack) {
  StreamEncoder encoder(3);
  for (const Rows& rows : samples_of_rows()) {
    Bytes bytes;
    encode_gaps(rows.pattern(), encoder, bytes);
    expect_same(rows, bytes, decode_gaps);
  }
}

TEST(Pattern, PredictionsComeBack) {
  for (const Rows& rows : samples_of_rows())
    for (const Prediction prediction : {Prediction{}, Prediction{true, false, 0}, Prediction{false, true, 0},
                                        Prediction{true, true, 7}, Prediction{false, false, 255}}) {
      Bytes bytes;
      encode_predicted(rows.pattern(), prediction, bytes);
      expect_same(rows, bytes, decode_predicted);
    }
}

TEST(Pattern, CopiesComeBack) {
  StreamEncoder encoder(3);
  for (const Rows& rows : samples_of_rows())
    for (const CopySource source : {CopySource::neighbour, CopySource::named}) {
      Bytes bytes;
      encode_copied(rows.pattern(), source, 15, encoder, bytes);
      expect_same(rows, bytes, decode_copied);
    }
}

/// Blocks are read side by side: what is written behind the last entry of one belongs to the next.
TEST(Pattern, CopiesWriteTheirOwnEntriesAlone) {
  StreamEncoder encoder(3);
  for (const Rows& rows : samples_of_rows()) {
    Bytes bytes;
    encode_copied(rows.pattern(), CopySource::named, 15, encoder, bytes);
    ByteReader in(bytes);
    StreamDecoder decoder;
    std::vector<std::uint32_t> lengths(rows.lengths.size() + 16, 7), columns(rows.columns.size() + 16, 7);
    ASSERT_TRUE(decode_copied(rows.shape, in, decoder, lengths.data(), columns.data()).ok());
    EXPECT_EQ(std::count(lengths.end() - 16, lengths.end(), 7U), 16);
    EXPECT_EQ(std::count(columns.end() - 16, columns.end(), 7U), 16);
  }
}

/// A grid of cells, each joined to the eight around it, numbered at random.
samples::Places shuffled_grid(std::uint32_t side) {
  std::vector<std::uint32_t> number(side * side);
  std::iota(number.begin(), number.end(), 0u);
  std::mt19937_64 random(8);
  for (std::size_t i = number.size(); i > 1; --i) std::swap(number[i - 1], number[random() % i]);
  samples::Places places;
  for (std::uint32_t y = 0; y + 1 < side; ++y)
    for (std::uint32_t x = 0; x + 1 < side; ++x)
      for (const std::uint32_t a : {y * side + x, y * side + x + 1, (y + 1) * side + x, (y + 1) * side + x + 1})
        for (const std::uint32_t b : {y * side + x, y * side + x + 1, (y + 1) * side + x, (y + 1) * side + x + 1})
          places.emplace(number[a], number[b]);
  return places;
}

TEST(Pattern, TheSmallerOneIsTakenThatTheLevelAllows) {
  const auto mesh = rows_of({"mesh", 6400, 6400, shuffled_grid(80)}, 0, true);
  std::vector<std::size_t> sizes;
  for (const auto& [level, kind] : {std::pair(2, PatternKind::gaps),
                                    {3, PatternKind::copied},
                                    {9, PatternKind::copied},
                                    {10, PatternKind::predicted}}) {
    StreamEncoder encoder(level);
    Bytes alone, beside_much;
    encode_pattern(mesh.pattern(), 0, encoder, alone);
    encode_pattern(mesh.pattern(), 1 << 24, encoder, beside_much);
    EXPECT_EQ(static_cast<PatternKind>(alone.front()), kind) << level;
    EXPECT_EQ(static_cast<PatternKind>(beside_much.front()), PatternKind::gaps) << level;
    for (const Bytes* bytes : {&alone, &beside_much}) expect_same(mesh, *bytes, decode_pattern);
    sizes.push_back(alone.size());
  }
  EXPECT_GT(sizes[0], sizes[1]);
  EXPECT_GT(sizes[2], sizes[3]);
}

/// Flips bits of a good pattern: what is read then is refused, or a pattern. refused: how many are, of 2000.
template <class Decode>
void damage(const Rows& rows, const Bytes& good, std::size_t first_byte, Decode decode, std::size_t refused) {
  std::mt19937_64 random(4);
  std::size_t found = 0;
  for (int i = 0; i < 2000; ++i) {
    Bytes bad = good;
    bad[first_byte + random() % (bad.size() - first_byte)] ^= static_cast<std::uint8_t>(1u << random() % 8);
    ByteReader in(bad);
    StreamDecoder decoder;
    std::vector<std::uint32_t> lengths(rows.lengths.size()), columns(rows.columns.size());
    if (!decode(rows.shape, in, decoder, lengths.data(), columns.data()).ok()) {
      ++found;
      continue;
    }
    ASSERT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), columns.size());
    std::size_t k = 0;
    for (std::size_t r = 0; r < lengths.size(); ++r)
      for (std::uint32_t i2 = 0; i2 < lengths[r]; ++i2, ++k) {
        ASSERT_LT(columns[k], rows.shape.end_of(r));
        ASSERT_TRUE(i2 == 0 || columns[k] > columns[k - 1]);
      }
  }
  EXPECT_GT(found, refused);
}

TEST(Pattern, DamagedPredictionsAreRefusedOrAPattern) {
  const auto mesh = rows_of({"mesh", 230, 230, samples::symmetric_places(230, 3)}, 500, true);
  Bytes good;
  encode_predicted(mesh.pattern(), {true, true, 7}, good);
  damage(mesh, good, 2, decode_predicted, 1900);
}

TEST(Pattern, DamagedCopiesAreRefusedOrAPattern) {
  StreamEncoder encoder(3);
  for (const bool lower : {true, false})
    for (const CopySource source : {CopySource::neighbour, CopySource::named}) {
      const auto mesh = rows_of({"mesh", 230, 230, samples::symmetric_places(230, 3)}, 500, lower);
      Bytes good;
      encode_copied(mesh.pattern(), source, 15, encoder, good);
      damage(mesh, good, 0, decode_copied, 1000);
    }
}

TEST(RangeCoder, BitsAndNumbersComeBack) {
  std::mt19937_64 random(6);
  RangeEncoder encoder;
  std::array<BitModel, 4> models;
  NumberModel numbers;
  std::vector<std::uint64_t> put;
  const auto likely = [&](std::size_t m) { return random() % 1000 < (m == 0 ? 1 : m == 1 ? 999 : 300 * m); };
  for (int i = 0; i < 60000; ++i) {
    const std::size_t m = random() % 4;
    put.push_back(likely(m) ? 1 : 0);
    encoder.put(models[i % 4 == 0 ? m : 0], put.back() != 0);
    const auto number = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
    put.push_back(number);
    numbers.put(encoder, number);
    put.push_back(random() & 0x1FFF);
    encoder.put_plain(put.back(), 13);
  }
  const Bytes bytes = encoder.finish();
  std::mt19937_64 again(6);
  std::swap(random, again);
  RangeDecoder decoder(bytes);
  std::array<BitModel, 4> read_models;
  NumberModel read_numbers;
  std::size_t at = 0;
  for (int i = 0; i < 60000; ++i) {
    const std::size_t m = random() % 4;
    static_cast<void>(likely(m));
    ASSERT_EQ(decoder.get(read_models[i % 4 == 0 ? m : 0]) ? 1U : 0U, put[at++]);
    static_cast<void>(random() >> (32 + random() % 32));
    ASSERT_EQ(read_numbers.get(decoder), put[at++]);
    static_cast<void>(random());
    ASSERT_EQ(decoder.get_plain(13), put[at++]);
  }
  EXPECT_TRUE(decoder.ended_well());
}

TEST(RangeCoder, RareBitsTakeLittle) {
  RangeEncoder encoder;
  BitModel model;
  for (int i = 0; i < 100000; ++i) encoder.put(model, false);
  const Bytes bytes = encoder.finish();
  EXPECT_LT(bytes.size(), 100U);
  RangeDecoder decoder(bytes);
  BitModel again;
  for (int i = 0; i < 100000; ++i) ASSERT_FALSE(decoder.get(again));
  EXPECT_TRUE(decoder.ended_well());
}

}  // namespace
}  // namespace spress::io
