// Numbers in text against the C library, bit for bit, through the fast and the careful way.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <random>

#include "formats/io/entries/numbers.hpp"

namespace spress::io {
namespace {

/// Reads `token` both ways and compares with strtod.
void expect_like_strtod(const std::string& token) {
  const double expected = std::strtod(token.c_str(), nullptr);
  const std::string padded = token + '\n' + std::string(32, '\0');
  double fast = 0;
  const char* end = numbers::fast_real(padded.c_str(), fast);
  if (end != nullptr) {
    EXPECT_EQ(end - padded.c_str(), static_cast<std::ptrdiff_t>(token.size())) << token;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(fast), std::bit_cast<std::uint64_t>(expected)) << token << " the fast way";
  }
  const auto careful = parse_real(token);
  if (std::isinf(expected)) {
    EXPECT_EQ(end, nullptr) << token;
    ASSERT_FALSE(careful.ok()) << token;
    EXPECT_EQ(careful.error().code, ErrorCode::not_representable);
  } else {
    ASSERT_TRUE(careful.ok()) << token;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*careful), std::bit_cast<std::uint64_t>(expected))
        << token << " the careful way";
  }
}

std::string printed(const char* format, int precision, double value) {
  char text[512];
  std::snprintf(text, sizeof text, format, precision, value);
  return text;
}

TEST(Numbers, of_random_bits_are_rounded_correctly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    for (const int precision : {3, 15, 16, 17, 18, 25}) expect_like_strtod(printed("%.*e", precision, value));
  }
}

TEST(Numbers, of_usual_size_are_rounded_correctly) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-25, 25);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::copysign(std::pow(10, exponent(random)), random() % 2 == 0 ? -1.0 : 1.0);
    for (const int precision : {1, 4, 15, 16, 17, 19}) {
      expect_like_strtod(printed("%.*g", precision, value));
      expect_like_strtod(printed("%.*f", precision, value));
    }
  }
}

TEST(Numbers, of_random_digits_are_rounded_correctly) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    std::string token = random() % 2 == 0 ? "-" : "";
    const auto digits = random() % 22 + 1, point = random() % (digits + 1);
    for (std::uint64_t k = 0; k < digits; ++k) {
      if (k == point) token += '.';
      token += static_cast<char>('0' + random() % 10);
    }
    if (random() % 2 == 0) token += "e" + std::to_string(static_cast<int>(random() % 700) - 350);
    expect_like_strtod(token);
  }
}

TEST(Numbers, half_way_between_two_doubles_go_to_even) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    // Odd 54-bit numbers lie half way; a digit behind decides.
    const std::uint64_t half = (random() >> 10 | std::uint64_t{1} << 53) | 1;
    const std::string token = std::to_string(half);
    expect_like_strtod(token);
    expect_like_strtod(token + ".0");
    expect_like_strtod(token + "e-5");
    expect_like_strtod(token + ".00000000000000000000000000000000000001");
  }
}

TEST(Numbers, the_fast_way_takes_the_usual_spellings) {
  for (const auto* token :
       {"1", "-1", "0.5", "1e5", "1E-5", "12345678", "123456789", "-3.0440310077517503e-01", "0.12345678901234567",
        "1e+22", "9007199254740993", "1.2345678901234567e-300", "1234567890123456789"}) {
    double value = 0;
    EXPECT_NE(numbers::fast_real((std::string(token) + '\n' + std::string(32, '\0')).c_str(), value), nullptr) << token;
  }
}

TEST(Numbers, the_fast_way_leaves_the_rest_to_the_careful_one) {
  for (const auto* token :
       {"", "-", ".", "e5", "1e", "1e+", "+1", "nan", "inf", "12345678901234567890", "1e999", "--1"}) {
    double value = 0;
    EXPECT_EQ(numbers::fast_real((std::string(token) + '\n' + std::string(32, '\0')).c_str(), value), nullptr) << token;
  }
}

TEST(Numbers, integers_are_exact_or_refused) {
  EXPECT_EQ(*parse_integer("9007199254740992"), 9007199254740992.0);
  EXPECT_EQ(*parse_integer("-9007199254740992"), -9007199254740992.0);
  EXPECT_EQ(*parse_integer("90071992547409920e-1"), 9007199254740992.0);
  EXPECT_EQ(*parse_integer("+00012.500E+1"), 125.0);
  EXPECT_EQ(*parse_integer("0e99999999999999999999"), 0.0);
  EXPECT_FALSE(std::signbit(*parse_integer("-0")));
  for (const auto* token : {"9007199254740993", "1e16", "99999999999999999999999", "1e400"})
    EXPECT_EQ(parse_integer(token).error().code, ErrorCode::not_representable) << token;
  for (const auto* token : {"1.5", "1e-1", "", "+", "1 ", "nan", "0.1e0", "9007199254740992.0000000000000001"})
    EXPECT_EQ(parse_integer(token).error().code, ErrorCode::syntax) << token;
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    const std::int64_t number = static_cast<std::int64_t>(random()) >> (random() % 60 + 4);
    const std::string token = std::to_string(number);
    double fast = 0;
    const char* end = numbers::fast_integer((token + '\n' + std::string(32, '\0')).c_str(), fast);
    if (std::abs(number) > 9007199254740992) continue;
    EXPECT_EQ(*parse_integer(token), static_cast<double>(number));
    EXPECT_TRUE(end == nullptr || fast == static_cast<double>(number)) << token;
  }
}

TEST(Numbers, counts_are_whole_and_fit) {
  EXPECT_EQ(*parse_count("18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(*parse_count("+7"), 7u);
  EXPECT_EQ(*parse_count("-0"), 0u);
  EXPECT_EQ(parse_count("18446744073709551616").error().code, ErrorCode::too_large);
  EXPECT_EQ(parse_count("-1").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_count("-99999999999999999999").error().code, ErrorCode::out_of_range);
  for (const auto* token : {"", "-", "1.0", "1e3", "x", "1x"})
    EXPECT_EQ(parse_count(token).error().code, ErrorCode::syntax) << token;
}

}  // namespace
}  // namespace spress::io
