#include "formats/io/matrix_file/values/decimal.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace spress::io {
namespace {

constexpr int most_digits = 18;
constexpr std::array<std::int64_t, most_digits + 1> powers_of_ten = [] {
  std::array<std::int64_t, most_digits + 1> powers = {1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();

/// The nearest double by the steps of fast_float that follow its parsing of text; nothing where these do not decide, or
/// where its version does not have them under these names.
template <class Double>
std::optional<Double> nearest_without_text(Decimal decimal) {
  const bool negative = decimal.digits < 0;
  const auto digits = static_cast<std::uint64_t>(decimal.digits);
  if constexpr (requires(Double number, fast_float::adjusted_mantissa rounded) {
                  rounded = fast_float::compute_float<fast_float::binary_format<Double>>(decimal.exponent, digits);
                  fast_float::to_float(negative, rounded, number);
                }) {
    const auto rounded =
        fast_float::compute_float<fast_float::binary_format<Double>>(decimal.exponent, negative ? 0 - digits : digits);
    if (rounded.power2 < 0) return std::nullopt;
    Double number = 0;
    fast_float::to_float(negative, rounded, number);
    return number;
  }
  return std::nullopt;
}

}  // namespace

double nearest_of_many(Decimal decimal) {
  if (const auto number = nearest_without_text<double>(decimal)) return *number;
  std::array<char, 48> text;
  char* const begin = text.data();
  char* end = std::to_chars(begin, begin + 24, decimal.digits).ptr;
  *end++ = 'e';
  end = std::to_chars(end, end + 8, decimal.exponent).ptr;
  double number = 0;
  fast_float::from_chars(begin, end, number);  // beyond the range it gives 0 or infinity, which is what is wanted
  return number;
}

std::optional<Decimal> shortest_decimal(double number) {
  if (number == 0) return std::signbit(number) ? std::nullopt : std::optional(Decimal{});
  if (!std::isfinite(number)) return std::nullopt;
  std::array<char, 32> text;
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific).ptr;
  const char* at = text.data();
  const bool negative = *at == '-';
  at += negative ? 1 : 0;
  Decimal decimal;
  int behind_point = 0;
  bool point = false;
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      point = true;
      continue;
    }
    decimal.digits = 10 * decimal.digits + (*at - '0');
    behind_point += point ? 1 : 0;
  }
  ++at;
  at += *at == '+' ? 1 : 0;
  std::from_chars(at, end, decimal.exponent);
  decimal.exponent -= behind_point;
  if (negative) decimal.digits = -decimal.digits;
  return decimal;
}

std::optional<Decimal> ShortestDecimals::anew(double number) {
  const auto decimal = shortest_decimal(number);
  if (!decimal || decimal->digits == 0 || std::abs(decimal->digits) >= powers_of_ten[15]) return decimal;
  places_ = std::clamp(-decimal->exponent, 0, largest_exact_power);
  digits_ = std::max(digits_, digit_count(decimal->digits));
  return decimal;
}

int digit_count(std::int64_t digits) {
  const std::uint64_t size =
      (digits < 0 ? 0 - static_cast<std::uint64_t>(digits) : static_cast<std::uint64_t>(digits)) | 1;
  // A number of b bits has b * 1233 / 4096 digits or one more: 1233 / 4096 is about log10(2).
  const int fewest = std::min(static_cast<int>(std::bit_width(size)) * 1233 / 4096, most_digits);
  const bool is_more = size >= static_cast<std::uint64_t>(powers_of_ten[static_cast<std::size_t>(fewest)]);
  return std::min(fewest + (is_more ? 1 : 0), most_digits);
}

std::optional<Decimal> with_more_digits(Decimal decimal, int more) {
  if (more < 0 || (decimal.digits != 0 && digit_count(decimal.digits) + more > most_digits)) return std::nullopt;
  if (decimal.digits != 0) decimal.digits *= powers_of_ten[static_cast<std::size_t>(more)];
  decimal.exponent -= more;
  return decimal;
}

}  // namespace spress::io
