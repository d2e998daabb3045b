// Numbers as words, singles and decimals.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "formats/io/matrix_file/values/decimal.hpp"
#include "formats/io/matrix_file/values/numbers.hpp"
#include "formats/io/matrix_file/values/value_table.hpp"

namespace spress::io {
namespace {

std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

std::size_t expect_round_trip(const std::vector<double>& numbers, NumbersKind kind, bool ascending = false) {
  StreamEncoder encoder(6);
  std::vector<std::uint8_t> bytes;
  encode_numbers(numbers, ascending, encoder, bytes);
  EXPECT_EQ(bytes.front(), static_cast<std::uint8_t>(kind));
  ByteReader in(bytes);
  StreamDecoder decoder;
  std::vector<double> back(numbers.size());
  const auto status = decode_numbers(numbers.size(), in, decoder, back.data());
  EXPECT_TRUE(status.ok()) << status.error().text();
  EXPECT_EQ(bits_of(back), bits_of(numbers));
  EXPECT_EQ(in.left(), 0U);
  return bytes.size();
}

TEST(Numbers, TakeTheKindThatTheyAre) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const std::size_t count : {30, 1000, 40000}) {
    std::vector<double> noise(count), singles(count), cents(count), printed(count), integers(count);
    for (std::size_t i = 0; i < count; ++i) {
      noise[i] = uniform(random);
      singles[i] = static_cast<float>(uniform(random));
      cents[i] = static_cast<double>(static_cast<std::int64_t>(random() % 100000) - 50000) / 100;
      printed[i] =
          std::stod(std::to_string(1 + random() % 99999) + "e" + std::to_string(static_cast<int>(random() % 9) - 12));
      integers[i] = static_cast<double>(random() % 1000000);
    }
    expect_round_trip(noise, NumbersKind::words);
    expect_round_trip(singles, NumbersKind::singles);
    EXPECT_LT(expect_round_trip(cents, NumbersKind::decimal), 3 * count + 40);
    EXPECT_LT(expect_round_trip(printed, NumbersKind::decimal), 3 * count + 80);
    EXPECT_LT(expect_round_trip(integers, NumbersKind::decimal), 3 * count + 40);
  }
}

TEST(Numbers, KeepBitsThatNoDecimalHas) {
  std::vector<double> numbers(500);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 10;
  numbers[3] = -0.0;
  numbers[4] = std::numeric_limits<double>::infinity();
  numbers[77] = std::bit_cast<double>(0x7FF8000000000123u);
  numbers[499] = std::bit_cast<double>(0xFFF0000000000456u);
  expect_round_trip(numbers, NumbersKind::decimal);
}

TEST(Decimals, AreTheShortestAndComeBack) {
  const auto check = [](double number, std::int64_t digits, int exponent) {
    const auto decimal = shortest_decimal(number);
    ASSERT_TRUE(decimal.has_value());
    EXPECT_EQ(decimal->digits, digits) << number;
    EXPECT_EQ(decimal->exponent, exponent) << number;
    EXPECT_EQ(nearest_double(*decimal), number);
  };
  check(0, 0, 0);
  check(1, 1, 0);
  check(-2.5, -25, -1);
  check(1500, 15, 2);
  check(0.1, 1, -1);
  check(1e300, 1, 300);
  check(5e-324, 5, -324);
  check(1.7976931348623157e308, 17976931348623157, 292);
  for (const double none : std::array<double, 4>{-0.0, INFINITY, -INFINITY, std::nan("")})
    EXPECT_FALSE(shortest_decimal(none).has_value());
}

TEST(Decimals, OfRandomDoublesComeBack) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const double number = std::bit_cast<double>(random());
    const auto decimal = shortest_decimal(number);
    if (!decimal) continue;
    ASSERT_EQ(nearest_double(*decimal), number);
    const auto longer = with_more_digits(*decimal, 1);
    ASSERT_EQ(longer ? nearest_double(*longer) : number, number);
  }
}

TEST(Decimals, OneAfterAnotherAreTheShortest) {
  std::mt19937_64 random(11);
  ShortestDecimals decimals;
  for (int i = 0; i < 200000; ++i) {
    double number = std::bit_cast<double>(random());
    const auto digits = static_cast<double>(static_cast<std::int64_t>(random()) >> random() % 64);
    const double power = std::pow(10.0, static_cast<double>(random() % 23));
    if (i % 5 == 1) number = digits / power;
    if (i % 5 == 2) number = digits * power;
    if (i % 5 == 3) number = static_cast<double>(random() % 2000) / 1000 - 1;
    if (i % 5 == 4) number = std::nextafter(static_cast<double>(random() % 2000) / 1000, 3);
    const auto decimal = decimals.of(number), shortest = shortest_decimal(number);
    ASSERT_EQ(decimal.has_value(), shortest.has_value()) << number;
    if (!decimal) continue;
    ASSERT_EQ(decimal->digits, shortest->digits) << number;
    ASSERT_EQ(decimal->exponent, shortest->exponent) << number;
  }
}

double as_c_reads_it(const Decimal& decimal) {
  const std::string text = std::to_string(decimal.digits) + "e" + std::to_string(decimal.exponent);
  return std::strtod(text.c_str(), nullptr);
}

TEST(Decimals, AreReadAsTheNearestDouble) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    const Decimal decimal = {static_cast<std::int64_t>(random()) >> random() % 60,
                             static_cast<int>(random() % 80) - 40};
    ASSERT_EQ(nearest_double(decimal), as_c_reads_it(decimal)) << decimal.digits << "e" << decimal.exponent;
  }
}

TEST(Decimals, BesideTheMiddleOfTwoDoublesAreReadAsTheNearest) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 100000; ++i) {
    const int exponent = -static_cast<int>(random() % 28);
    const long double power = std::pow(10.0L, -exponent);
    const auto number = static_cast<double>(static_cast<long double>(random() >> 2 | std::uint64_t{1} << 61) / power);
    const long double middle = (static_cast<long double>(number) + std::nextafter(number, INFINITY)) / 2;
    for (const int away : {-1, 0, 1}) {
      const Decimal decimal = {static_cast<std::int64_t>(middle * power) + away, exponent};
      ASSERT_EQ(nearest_double(decimal), as_c_reads_it(decimal)) << decimal.digits << "e" << decimal.exponent;
    }
  }
}

TEST(Decimals, HaveBounds) {
  EXPECT_EQ(digit_count(0), 1);
  std::int64_t least = 1;  // that has so many digits
  for (int digits = 1; digits <= 18; ++digits, least *= 10) {
    EXPECT_EQ(digit_count(least), digits);
    EXPECT_EQ(digit_count(-least), digits);
    EXPECT_EQ(digit_count(9 * least + (least - 1)), digits) << "the largest";
  }
  EXPECT_FALSE(with_more_digits({123, 0}, 16).has_value());
  EXPECT_EQ(with_more_digits({123, 0}, 15)->digits, 123000000000000000);
  EXPECT_EQ(nearest_double({std::numeric_limits<std::int64_t>::min(), 400}), -INFINITY);
  EXPECT_EQ(nearest_double({std::numeric_limits<std::int64_t>::min(), -400}), -0.0);
}

/// Complex numbers that repeat are one list; others, whose imaginary parts are all alike, are two.
TEST(Numbers, OfComplexValuesStandTogetherWhereThatIsSmaller) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> noise(-1, 1);
  std::vector<double> repeated, flat;
  for (int i = 0; i < 600; ++i) repeated.push_back(noise(random));
  for (int i = 0; i < 900; ++i) {
    const std::size_t before = 2 * (random() % 300);
    repeated.insert(repeated.end(), {repeated[before], repeated[before + 1]});
  }
  for (int i = 0; i < 600; ++i) flat.insert(flat.end(), {noise(random), 0.5});
  for (const auto* parts : {&repeated, &flat}) {
    StreamEncoder encoder(6);
    std::vector<std::uint8_t> bytes;
    encode_complex(*parts, encoder, bytes);
    EXPECT_EQ(bytes.front() == static_cast<std::uint8_t>(NumbersKind::pairs), parts == &repeated);
    ByteReader in(bytes);
    StreamDecoder decoder;
    std::vector<double> back(parts->size());
    ASSERT_TRUE(decode_complex(parts->size() / 2, in, decoder, back.data()).ok());
    EXPECT_EQ(bits_of(back), bits_of(*parts));
    EXPECT_EQ(in.left(), 0U);
    if (parts != &repeated) continue;
    ByteReader as_doubles(bytes);
    EXPECT_FALSE(decode_numbers(parts->size(), as_doubles, decoder, back.data()).ok());
  }
}

/// High levels look for repeats that stand too far apart for a sample to show them.
TEST(Numbers, ThatRepeatFarApartAreFoundAtHighLevels) {
  std::mt19937_64 random(13);
  std::vector<double> numbers(40000);
  for (double& number : numbers) number = static_cast<double>(random() % 10'000'000) / 1e7;
  numbers.insert(numbers.end(), numbers.begin(), numbers.begin() + 40000);
  StreamEncoder encoder(19);
  std::vector<std::uint8_t> bytes, once;
  encode_numbers(numbers, false, encoder, bytes);
  encode_numbers(std::span(numbers).first(40000), false, encoder, once);
  EXPECT_LT(bytes.size(), once.size() * 11 / 10);
}

/// One row of values, `different` distinct ones in turn, scattered.
Csr<Owned> row_of(std::uint64_t count, std::uint64_t different) {
  Csr<Owned> a;
  a.rows = 1;
  a.cols = a.nnz = count;
  a.row_ptr = Positions<Owned>(position_type(count), 2);
  fill_positions(a.row_ptr, [&]<class P>(P* row_ptr) {
    row_ptr[0] = 0;
    row_ptr[1] = static_cast<P>(count);
  });
  a.col_idx = HostArray<std::uint32_t>(count);
  std::iota(a.col_idx.data(), a.col_idx.data() + count, 0u);
  a.values = uninitialised_raw_store(ValueType::f64, count);
  auto* values = a.values.codes.as<double>();
  for (std::uint64_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * 7919 % different);
  return a;
}

/// A sample of many values is looked at first.
TEST(Tables, HoldAsManyValuesAsTheyMay) {
  for (const std::uint64_t count : {3000, 16384, 20000, 300000, 1 << 21}) {
    for (const std::uint64_t different : {std::uint64_t{1}, std::uint64_t{200}, count / 30, count / 3}) {
      const auto a = row_of(count, different);
      const auto table = ValueTable::of(view_of(a), 2);
      ASSERT_TRUE(table) << count << " values, " << different << " different";
      EXPECT_EQ(table->size(), different);
    }
    for (const std::uint64_t different : {count / 3 + 1, count / 2, count}) {
      const auto a = row_of(count, different);
      EXPECT_FALSE(ValueTable::of(view_of(a), 2)) << count << " values, " << different << " different";
    }
  }
}

}  // namespace
}  // namespace spress::io
