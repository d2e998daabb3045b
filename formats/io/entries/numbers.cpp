#include "formats/io/entries/numbers.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "formats/core/checks.hpp"

namespace spress::io {
namespace {

Error bad_number(std::string_view token, std::string_view wanted) {
  return {ErrorCode::syntax, '\'' + printable(token) + "' is no " + std::string(wanted)};
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y;
         });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A decimal taken apart: +-0.DIGITS * 10^point, with the digits as written and without the zeros on both sides.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t point = 0;
};

/// Splits [sign] digits [. digits] [(e|d) [sign] digits]; false if it is anything else.
bool split_decimal(std::string_view text, Decimal& decimal) {
  std::size_t at = 0;
  const auto sign = [&] {
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) return text[at++] == '-';
    return false;
  };
  decimal.negative = sign();
  bool pointed = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !pointed)); ++at) {
    if (text[at] == '.')
      pointed = true;
    else
      decimal.digits += text[at];
    if (!pointed) ++decimal.point;
  }
  if (decimal.digits.empty()) return false;
  if (at < text.size()) {
    if (std::string_view("eEdD").find(text[at]) == std::string_view::npos) return false;
    ++at;
    const bool down = sign();
    if (at == text.size()) return false;
    std::int64_t power = 0;
    for (; at < text.size() && is_digit(text[at]); ++at)
      power = std::min<std::int64_t>(power * 10 + (text[at] - '0'), 1'000'000'000'000);
    if (at != text.size()) return false;
    decimal.point += down ? -power : power;
  }
  const std::size_t first = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, first);
  decimal.point -= static_cast<std::int64_t>(first);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  return true;
}

/// inf, infinity and nan with or without a sign; false if it is none of them.
bool parse_special(std::string_view token, double& value) {
  const bool negative = token.starts_with('-');
  if (negative || token.starts_with('+')) token.remove_prefix(1);
  if (equal_ignoring_case(token, "nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (!equal_ignoring_case(token, "inf") && !equal_ignoring_case(token, "infinity")) return false;
  value = numbers::with_sign(std::numeric_limits<double>::infinity(), negative);
  return true;
}

}  // namespace

std::string printable(std::string_view token) {
  constexpr std::size_t most = 40;
  std::string text;
  for (const char c : token.substr(0, most)) text += c >= 0x20 && c < 0x7F ? c : '?';
  return token.size() > most ? text + "..." : text;
}

bool numbers::scale_decimal(std::uint64_t m, int exponent, double& value) {
  const auto rounded = fast_float::compute_float<fast_float::binary_format<double>>(exponent, m);
  if (rounded.power2 < 0 || rounded.power2 >= 0x7FF) return false;
  value = std::bit_cast<double>(static_cast<std::uint64_t>(rounded.mantissa) |
                                static_cast<std::uint64_t>(rounded.power2) << 52);
  return true;
}

Result<double> parse_real(std::string_view token) {
  double value = 0;
  if (parse_special(token, value)) return value;
  Decimal decimal;
  if (!split_decimal(token, decimal)) return bad_number(token, "number");
  if (decimal.digits.empty()) return numbers::with_sign(0.0, decimal.negative);
  const auto too_big = [&] {
    return Error{ErrorCode::not_representable,
                 '\'' + printable(token) + "' is beyond the range of double (about 1.8e308)"};
  };
  if (decimal.point > 400) return too_big();
  if (decimal.point < -400) return numbers::with_sign(0.0, decimal.negative);
  const std::string plain = "0." + decimal.digits + 'e' + std::to_string(decimal.point);
  fast_float::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (std::isinf(value)) return too_big();
  return numbers::with_sign(value, decimal.negative);
}

Result<double> parse_integer(std::string_view token, std::string_view remedy) {
  Decimal decimal;
  if (!split_decimal(token, decimal)) return bad_number(token, "integer");
  const auto digits = static_cast<std::int64_t>(decimal.digits.size());
  if (digits == 0) return 0.0;
  if (decimal.point < digits) return bad_number(token, "integer" + std::string(remedy));
  std::uint64_t magnitude = 0;
  const auto beyond = [&] {
    return Error{
        ErrorCode::not_representable,
        '\'' + printable(token) + "' is beyond 2^53, where double no longer holds every integer" + std::string(remedy)};
  };
  if (decimal.point > 16) return beyond();
  for (std::int64_t i = 0; i < decimal.point; ++i)
    magnitude =
        magnitude * 10 + static_cast<std::uint64_t>(i < digits ? decimal.digits[static_cast<std::size_t>(i)] - '0' : 0);
  if (magnitude > static_cast<std::uint64_t>(largest_exact_integer)) return beyond();
  return numbers::with_sign(static_cast<double>(magnitude), decimal.negative);
}

Result<std::uint64_t> parse_count(std::string_view token) {
  std::string_view digits = token;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return bad_number(token, "whole number");
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (negative && (number != 0 || parsed.ec != std::errc()))
    return Error{ErrorCode::out_of_range, '\'' + printable(token) + "' is negative"};
  if (parsed.ec != std::errc()) return Error{ErrorCode::too_large, '\'' + printable(token) + "' does not fit 64 bits"};
  return number;
}

Result<std::uint64_t> parse_side(std::string_view what, std::string_view word) {
  SPRESS_TRY(const std::uint64_t side, parse_count(word));
  if (side > checks::largest_side)
    return Error{ErrorCode::too_large, std::to_string(side) + ' ' + std::string(what) +
                                           " do not fit 32-bit ids (at most " + std::to_string(checks::largest_side) +
                                           ')'};
  return side;
}

}  // namespace spress::io
