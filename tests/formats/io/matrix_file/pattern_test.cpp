// Columns as gaps, copied from another row, and as other rows predict them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
  samples::Places hub;  // a row so long that copying it again and again would take more than all others
  for (std::uint32_t r = 0; r < 4000; ++r) {
    hub.emplace(r, r);
    for (const std::uint32_t c : {r / 2, r / 3}) hub.emplace(r, c);
    if (r > 2000) hub.emplace(r, 2000);
    if (r < 2000) hub.emplace(2000, r);
  }
  for (const bool lower : {false, true}) out.push_back(rows_of({"hub", 4000, 4000, hub}, 0, lower));
  return out;
}

/// Numbers behind those that a reader fills.
constexpr std::uint32_t guards = 16, guard = 0xABCDEF01;

void expect_guards(const std::vector<std::uint32_t>& numbers) {
  EXPECT_EQ(std::count(numbers.end() - guards, numbers.end(), guard), guards);
}

/// Blocks are read side by side: what is written behind the last entry of one belongs to the next.
template <class Decode>
void expect_same(const Rows& rows, const Bytes& bytes, Decode decode) {
  ByteReader in(bytes);
  StreamDecoder decoder;
  std::vector<std::uint32_t> lengths(rows.lengths.size() + guards, guard), columns(rows.columns.size() + guards, guard);
  const Status status = decode(rows.shape, in, decoder, lengths.data(), columns.data());
  ASSERT_TRUE(status.ok()) << status.error().text();
  expect_guards(lengths);
  expect_guards(columns);
  lengths.resize(rows.lengths.size());
  columns.resize(rows.columns.size());
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
      encode_copied(rows.pattern(), {source, 15}, encoder, bytes);
      expect_same(rows, bytes, decode_copied);
    }
}

/// A pattern of three rows, {1, 4}, {4} and {2}, as the specification shows it, stream by stream.
struct CopiedStreams {
  std::uint8_t source = 1;
  std::vector<std::uint32_t> references = {0, 1, 0}, others = {2, 0, 0};
  std::array<Bytes, 8> masks = {Bytes{0, 1}, {}, Bytes{2}};
  std::vector<std::uint32_t> firsts = {7}, gaps = {2};
  std::uint64_t entries = 4;

  [[nodiscard]] Bytes bytes() const {
    StreamEncoder encoder(1);
    Bytes out = {source};
    encoder.put(std::span(references), out);
    encoder.put(std::span(others), out);
    for (const Bytes& of_a_size : masks) {
      put_varint(of_a_size.size(), out);
      encoder.put(std::span(of_a_size), out);
    }
    encoder.put(std::span(firsts), out);
    encoder.put(std::span(gaps), out);
    return out;
  }
  /// The columns read; nothing where they are refused.
  [[nodiscard]] std::vector<std::uint32_t> read() const {
    const Bytes all = bytes();
    ByteReader in(all);
    StreamDecoder decoder;
    std::vector<std::uint32_t> lengths(3), columns(entries);
    const BlockShape shape = {0, 3, entries, 10, false};
    if (!decode_copied(shape, in, decoder, lengths.data(), columns.data()).ok()) return {};
    return columns;
  }
};

TEST(Pattern, ExampleOfTheSpecification) {
  const CopiedStreams good;
  EXPECT_EQ(good.bytes(),
            (Bytes{0x01, 0x01, 0x03, 0x00, 0x01, 0x00, 0x01, 0x03, 0x02, 0x00, 0x00, 0x02, 0x01, 0x02, 0x00,
                   0x01, 0x00, 0x01, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x02}));
  EXPECT_EQ(good.read(), (std::vector<std::uint32_t>{1, 4, 4, 2}));
}

TEST(Pattern, CopiesWithOneFaultAreRefused) {
  const auto refused = [](const auto& change) {
    CopiedStreams streams;
    change(streams);
    return streams.read().empty();
  };
  using S = CopiedStreams;
  EXPECT_TRUE(refused([](S& s) { s.source = 2; }));
  EXPECT_TRUE(refused([](S& s) { s.references[1] = 2; })) << "a row that is not there";
  EXPECT_TRUE(refused([](S& s) { s.masks[2] = {10}; })) << "a flag of no candidate";
  EXPECT_TRUE(refused([](S& s) { s.masks[0] = {0, 1, 0}; })) << "a mask too many";
  EXPECT_TRUE(refused([](S& s) { s.masks[4] = {1}; })) << "a mask of so many flags that no row has";
  EXPECT_TRUE(refused([](S& s) { s.masks[0] = {0}; })) << "too few masks";
  EXPECT_TRUE(refused([](S& s) {
    s.masks[2] = {5};  // column 1 as copied, and as the diagonal
    s.entries = 5;
  }));
  EXPECT_TRUE(refused([](S& s) { s.firsts = {2}; })) << "a column -1";
  EXPECT_TRUE(refused([](S& s) { s.firsts = {19}; })) << "a column 10 of 10";
  EXPECT_TRUE(refused([](S& s) { s.gaps = {4}; })) << "a column -1 behind another";
  EXPECT_TRUE(refused([](S& s) { s.entries = 5; })) << "fewer entries than the block has";
  EXPECT_TRUE(refused([](S& s) { s.entries = 3; })) << "more";
  EXPECT_TRUE(refused([](S& s) {
    s.others = {5, 0, 0};
    s.gaps = {0, 0, 0, 0};
  })) << "more others than the block has entries";
  const auto with_masks = [&](std::size_t count) { return refused([&](S& s) { s.masks[7] = Bytes(count, 0); }); };
  EXPECT_TRUE(with_masks(4 + 5 * 3 - 3 + 1)) << "more masks than there may be";
  EXPECT_TRUE(refused([](S& s) {
    s.source = 0;
    s.references = {1, 0, 0};
  })) << "a leader before the first column";
}

TEST(Pattern, TheSmallerOneIsTakenThatTheLevelAllows) {
  const auto mesh = rows_of({"mesh", 6400, 6400, samples::shuffled_grid(80)}, 0, true);
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
    std::vector<std::uint32_t> lengths(rows.lengths.size() + guards, guard),
        columns(rows.columns.size() + guards, guard);
    const bool good_still = decode(rows.shape, in, decoder, lengths.data(), columns.data()).ok();
    expect_guards(lengths);
    expect_guards(columns);
    if (!good_still) {
      ++found;
      continue;
    }
    lengths.resize(rows.lengths.size());
    columns.resize(rows.columns.size());
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
      encode_copied(mesh.pattern(), {source, 15}, encoder, good);
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
