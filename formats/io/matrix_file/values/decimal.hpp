// A number as digits times a power of ten. Private to formats/io.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "formats/io/entries/exact_integer.hpp"

namespace spress::io {

/// digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

/// No exponent is further from 0.
inline constexpr int largest_exponent = 400;

/// Powers of ten that are doubles.
inline constexpr int largest_exact_power = 22;
inline constexpr std::array<double, largest_exact_power + 1> exact_powers = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The decimal with the fewest digits, at most 17, to which `number` is the nearest double; none for infinities, NaNs
/// and the negative zero.
[[nodiscard]] std::optional<Decimal> shortest_decimal(double number);

/// The digits of a decimal with so many places, if it has at most 15, and `number` is the nearest double: no other
/// decimal of 15 digits has the same one. Else 0. Requires: 0 <= places <= largest_exact_power.
[[nodiscard]] inline std::int64_t digits_with_places(double number, int places) {
  const double power = exact_powers[static_cast<std::size_t>(places)];
  const double scaled = number * power;
  if (!(scaled > -1e15 && scaled < 1e15)) return 0;
  const auto digits = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  return static_cast<double>(digits) / power == number ? digits : 0;
}

/// shortest_decimal of one number after another, faster where they have about as many places behind the point, or about
/// as many digits.
class ShortestDecimals {
 public:
  [[nodiscard]] std::optional<Decimal> of(double number) {
    if (const auto digits = digits_with_places(number, places_); digits != 0) return without_zeros({digits, -places_});
    const int places = places_for(number);
    if (const auto digits = digits_with_places(number, places); digits != 0) return without_zeros({digits, -places});
    return anew(number);
  }

 private:
  /// The places of a number with `digits_` digits, or one more.
  [[nodiscard]] int places_for(double number) const {
    const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(number) >> 52 & 0x7FF) - 1023;
    return std::clamp(digits_ - exponent * 1233 / 4096, 0, largest_exact_power);  // 1233 / 4096 is about log10(2)
  }
  /// Requires: digits other than 0.
  [[nodiscard]] static Decimal without_zeros(Decimal decimal) {
    for (; decimal.digits % 10 == 0; ++decimal.exponent) decimal.digits /= 10;
    return decimal;
  }
  [[nodiscard]] std::optional<Decimal> anew(double number);

  int places_ = 0;  // of the last one that was found anew
  int digits_ = 0;  // the most that were found so
};

/// `decimal` with so many digits more; none where they would be more than 18.
[[nodiscard]] std::optional<Decimal> with_more_digits(Decimal decimal, int more);

/// The number of digits; 1 for 0.
[[nodiscard]] int digit_count(std::int64_t digits);

/// nearest_double where digits or power are no doubles.
[[nodiscard]] double nearest_of_many(Decimal decimal);

/// The double that is nearest, ties to even. Requires: |exponent| <= largest_exponent.
[[nodiscard]] inline double nearest_double(Decimal decimal) {
  const bool is_exact = decimal.digits >= -largest_exact_integer && decimal.digits <= largest_exact_integer;
  if (!is_exact || decimal.exponent < -largest_exact_power || decimal.exponent > largest_exact_power)
    return nearest_of_many(decimal);
  const auto digits = static_cast<double>(decimal.digits);
  return decimal.exponent < 0 ? digits / exact_powers[static_cast<std::size_t>(-decimal.exponent)]
                              : digits * exact_powers[static_cast<std::size_t>(decimal.exponent)];
}

}  // namespace spress::io
