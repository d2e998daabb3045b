#include "formats/io/matrix_file/streams/stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace spress::io {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <class T>
Bytes stream_of(const std::vector<T>& numbers, int level = 3) {
  StreamEncoder encoder(level);
  Bytes bytes;
  encoder.put(std::span<const T>(numbers), bytes);
  return bytes;
}

template <class T>
void expect_round_trip(const std::vector<T>& numbers, std::set<std::string>* codings = nullptr) {
  const Bytes bytes = stream_of(numbers);
  ByteReader in(bytes);
  StreamDecoder decoder;
  std::vector<StreamNote> notes;
  decoder.tell(&notes);
  std::vector<T> back(numbers.size());
  const auto status = decoder.next("numbers", in, numbers.size(), back.data());
  ASSERT_TRUE(status.ok()) << status.error().text();
  EXPECT_EQ(back, numbers);
  EXPECT_EQ(in.left(), 0U);
  if (codings != nullptr && !notes.empty()) codings->insert(notes.front().coding);
}

TEST(Stream, KeepsNumbersOfEveryKindInEveryCoding) {
  std::set<std::string> codings;
  std::mt19937_64 random(1);
  for (const std::size_t count : {0, 1, 2, 3, 100, 5000, 70000}) {
    std::vector<std::uint64_t> same(count, 77), small(count), wide(count), rising(count), jagged(count), single(count);
    std::vector<std::uint64_t> planes(count), steps(count);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      small[i] = random() % 5;
      wide[i] = random();
      rising[i] = sum += random() % 3;
      jagged[i] = random() % 20 == 0 ? random() >> 40 : random() % 100;
      single[i] = random() % 2;
      planes[i] = (random() % 200) << 32 | 5;
      steps[i] = (i * 1000003) + random() % 2 + (i % 50 == 0 ? 1u << 20 : 0);
    }
    for (const auto* numbers : {&same, &small, &wide, &rising, &jagged, &single, &planes, &steps}) {
      expect_round_trip(*numbers, &codings);
      std::vector<std::uint32_t> half(numbers->begin(), numbers->end());
      expect_round_trip(half, &codings);
      std::vector<std::uint16_t> quarter(numbers->begin(), numbers->end());
      expect_round_trip(quarter, &codings);
      std::vector<std::uint8_t> bytes(numbers->begin(), numbers->end());
      expect_round_trip(bytes, &codings);
    }
  }
  for (const char* coding : {"same", "bits", "plain", "plain+zstd", "planes+zstd", "varint+zstd"})
    EXPECT_TRUE(codings.contains(coding)) << coding;
}

/// Streams that were put before do not show in the bytes: not even those of the same bytes, but of another kind or
/// width.
TEST(Stream, DoesNotDependOnWhatWasPutBefore) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> wide(600);
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = (std::uint64_t{1} << 63) + i * i + random() % 3;
  std::vector<std::uint16_t> narrow(4 * wide.size());
  std::memcpy(narrow.data(), wide.data(), 2 * narrow.size());
  using Kind = StreamEncoder::Kind;
  for (const int level : {1, 6, 19}) {
    const auto put = [&](StreamEncoder& encoder, const auto& numbers, Kind kind) {
      Bytes bytes;
      encoder.put(std::span(numbers), bytes, kind);
      return bytes;
    };
    StreamEncoder encoder(level);
    for (int round = 0; round < 2; ++round) {
      for (const Kind kind : {Kind::integers, Kind::floating}) {
        StreamEncoder fresh(level), other(level);
        EXPECT_EQ(put(encoder, wide, kind), put(fresh, wide, kind));
        EXPECT_EQ(put(encoder, narrow, kind), put(other, narrow, kind));
      }
      for (std::uint16_t i = 0; i < 80; ++i) {  // more than are kept
        std::vector<std::uint16_t> numbers(50, i);
        numbers[0] = 300;
        StreamEncoder fresh(level);
        ASSERT_EQ(put(encoder, numbers, Kind::integers), put(fresh, numbers, Kind::integers));
      }
    }
    StreamEncoder integers(level), floating(level);
    EXPECT_NE(put(integers, wide, Kind::integers), put(floating, wide, Kind::floating));
  }
}

/// Bits are taken where they are smallest, and not where an outlier widens them, wherever it stands.
TEST(Stream, OneOutlierDecidesAgainstBits) {
  std::mt19937 random(4);
  constexpr unsigned bits = 20;
  std::vector<std::uint32_t> numbers(60000);
  for (std::uint32_t& number : numbers) number = random() % (1u << bits);
  const auto is_in_bits = [&] {
    std::set<std::string> codings;
    expect_round_trip(numbers, &codings);
    return codings == std::set<std::string>{"bits"};
  };
  EXPECT_TRUE(is_in_bits());
  for (const std::size_t place : {std::size_t{1}, std::size_t{1023}, std::size_t{1024}, numbers.size() - 1}) {
    const std::uint32_t before = std::exchange(numbers[place], 1u << 30);
    EXPECT_FALSE(is_in_bits()) << place;
    numbers[place] = before;
  }
  for (std::size_t i = 0; i < 1024; ++i) numbers[i] %= 1u << (bits / 2);
  EXPECT_LE(stream_of(numbers).size(), numbers.size() * bits / 8 + 16) << "narrow ones in front change nothing";
}

TEST(Stream, ExamplesOfTheSpecification) {
  EXPECT_EQ(stream_of<std::uint32_t>({3, 3, 3}), (Bytes{0x00, 0x03}));
  const Bytes varints = {0x14, 0x04, 0x01, 0xAC, 0x02, 0x02};
  ByteReader in(varints);
  StreamDecoder decoder;
  std::vector<std::uint32_t> back(3);
  ASSERT_TRUE(decoder.next("numbers", in, 3, back.data()).ok());
  EXPECT_EQ(back, (std::vector<std::uint32_t>{1, 300, 2}));
}

TEST(Stream, RefusesWhatIsNone) {
  StreamDecoder decoder;
  std::array<std::uint16_t, 4> out;
  const std::vector<Bytes> wrong = {
      {},                                       // nothing
      {0x06, 0x00},                             // a layout that there is not
      {0x41, 0x02, 0x01, 0x02},                 // bit 6
      {0x08, 0x01},                             // differences of one number
      {0x20, 0x01, 0x00, 0x00, 0x00},           // wider than wanted
      {0x01, 0x03, 0x01, 0x02, 0x03},           // too few bytes
      {0x01, 0x05, 1, 2, 3, 4, 5},              // too many
      {0x01, 0x84, 0x00, 1, 2, 3, 4},           // a size in more bytes than it needs
      {0x14, 0x04, 0x80, 0x80, 0x80, 0x80},     // varints that do not end
      {0x14, 0x06, 0xFF, 0xFF, 0x7F, 1, 2, 3},  // a varint beyond two bytes
      {0x03, 0x04, 1, 2, 3, 4},                 // planes of bytes
      {0x82, 0x04, 1, 2, 3, 4},                 // bits and zstd
      {0x81, 0x04, 1, 2, 3, 4},                 // no zstd frame
      {0x05, 0x01, 0x00},                       // bytes of the range coder
  };
  for (const Bytes& bytes : wrong) {
    ByteReader in(bytes);
    EXPECT_FALSE(decoder.next("numbers", in, 4, out.data()).ok()) << testing::PrintToString(bytes);
  }
}

TEST(Stream, TakesVarintsOfEveryLengthAnywhere) {
  std::mt19937_64 random(9);
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 3000; ++i) numbers.push_back(random() >> random() % 64);
  numbers.insert(numbers.end(), {0, 1, 127, 128, (1u << 14) - 1, std::uint64_t{1} << 55, (std::uint64_t{1} << 56) - 1,
                                 std::uint64_t{1} << 56, (std::uint64_t{1} << 63) - 1, ~std::uint64_t{0}, 3});
  const auto decode = [](const Bytes& varints, std::size_t count, std::vector<std::uint64_t>& out) {
    Bytes bytes = {0x34};
    put_varint(varints.size(), bytes);
    bytes.insert(bytes.end(), varints.begin(), varints.end());
    ByteReader in(bytes);
    StreamDecoder decoder;
    out.resize(count);
    return decoder.next("numbers", in, count, out.data()).ok();
  };
  for (std::size_t first = 0; first < numbers.size(); first += first < 2990 ? 299 : 1) {
    const std::vector<std::uint64_t> some(numbers.begin() + static_cast<std::ptrdiff_t>(first), numbers.end());
    Bytes varints;
    for (const std::uint64_t number : some) put_varint(number, varints);
    std::vector<std::uint64_t> back;
    ASSERT_TRUE(decode(varints, some.size(), back));
    EXPECT_EQ(back, some);
    EXPECT_FALSE(decode(varints, some.size() + 1, back));
    EXPECT_EQ(decode(varints, some.size() - 1, back), some.size() == 1);  // a stream of nothing takes no bytes
  }
  const Bytes beyond_64_bits = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02};
  const Bytes without_end(12, 0x80);
  std::vector<std::uint64_t> back;
  EXPECT_FALSE(decode(beyond_64_bits, 1, back));
  EXPECT_FALSE(decode(without_end, 1, back));
}

/// Varints as they are defined, one byte after the other.
template <class T>
bool read_varints(const Bytes& bytes, std::size_t count, std::vector<T>& out) {
  constexpr std::size_t most = (8 * sizeof(T) + 6) / 7;
  std::size_t at = 0;
  out.assign(count, 0);
  for (T& number : out) {
    unsigned __int128 sum = 0;
    std::size_t length = 0;
    do {
      if (at == bytes.size() || length == most) return false;
      sum |= static_cast<unsigned __int128>(bytes[at] & 127u) << 7 * length++;
    } while (bytes[at++] >= 128);
    if (sum > std::numeric_limits<T>::max()) return false;
    number = static_cast<T>(sum);
  }
  return at == bytes.size();
}

template <class T>
void expect_varints_as_defined() {
  std::mt19937_64 random(sizeof(T));
  std::size_t refused = 0, runs = 4000;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t count = 1 + random() % 40;
    const bool is_hostile = run % 2 == 0;
    Bytes varints;
    for (std::size_t i = 0; i < count; ++i) {
      const auto likely = static_cast<T>(random() >> random() % 64);
      Bytes one;
      put_varint(is_hostile && random() % 30 == 0 ? random() : likely % (run % 3 == 0 ? 100 : likely + 1), one);
      for (std::size_t longer = random() % 20 == 0 ? random() % 4 : 0; is_hostile && longer > 0; --longer) {
        one.back() |= 128;
        one.push_back(0);
      }
      varints.insert(varints.end(), one.begin(), one.end());
    }
    Bytes bytes = {static_cast<std::uint8_t>(sizeof(T) == 2 ? 0x14 : sizeof(T) == 4 ? 0x24 : 0x34)};
    put_varint(varints.size(), bytes);
    bytes.insert(bytes.end(), varints.begin(), varints.end());
    std::vector<T> expected, back(count);
    const bool good = read_varints(varints, count, expected);
    refused += good ? 0 : 1;
    ByteReader in(bytes);
    StreamDecoder decoder;
    ASSERT_EQ(decoder.next("numbers", in, count, back.data()).ok(), good) << testing::PrintToString(varints);
    if (good) {
      ASSERT_EQ(back, expected);
    }
  }
  EXPECT_GT(refused, runs / 40);
  EXPECT_LT(refused, runs / 2);
}

TEST(Stream, TakesVarintsAsTheyAreDefined) {
  expect_varints_as_defined<std::uint16_t>();
  expect_varints_as_defined<std::uint32_t>();
  expect_varints_as_defined<std::uint64_t>();
}

TEST(Stream, OneNumberStandsForNoMoreThanAMillion) {
  const Bytes bytes = {0x00, 0x03};
  std::vector<std::uint8_t> out(longest_same + 1);
  StreamDecoder decoder;
  ByteReader most(bytes), more(bytes);
  EXPECT_TRUE(decoder.next("numbers", most, longest_same, out.data()).ok());
  EXPECT_FALSE(decoder.next("numbers", more, longest_same + 1, out.data()).ok());
  expect_round_trip(std::vector<std::uint8_t>(longest_same + 1, 9));
}

TEST(Varints, AreRefusedBeyond64BitsAndInMoreBytesThanTheyNeed) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    Bytes bytes;
    put_varint(number, bytes);
    std::uint64_t back = 1;
    ByteReader in(bytes);
    ASSERT_TRUE(in.varint(back));
    EXPECT_EQ(back, number);
  }
  std::uint64_t ignored = 0;
  for (const Bytes& bytes : {Bytes{}, Bytes{0x80}, Bytes{0x80, 0x00}, Bytes(10, 0xFF), Bytes(11, 0x80)}) {
    ByteReader in(bytes);
    EXPECT_FALSE(in.varint(ignored));
  }
}

}  // namespace
}  // namespace spress::io
