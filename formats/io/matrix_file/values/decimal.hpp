// A number as digits times a power of ten. Private to formats/io.
#pragma once

#include <cstdint>
#include <optional>

namespace spress::io {

/// digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

/// No exponent is further from 0.
inline constexpr int largest_exponent = 400;

/// The decimal with the fewest digits, at most 17, to which `number` is the nearest double; none for infinities, NaNs
/// and the negative zero.
[[nodiscard]] std::optional<Decimal> shortest_decimal(double number);

/// The same number with so many digits more; none where they would be more than 18.
[[nodiscard]] std::optional<Decimal> with_more_digits(Decimal decimal, int more);

/// The number of digits; 1 for 0.
[[nodiscard]] int digit_count(std::int64_t digits);

/// The double that is nearest, ties to even. Requires: |exponent| <= largest_exponent.
[[nodiscard]] double nearest_double(Decimal decimal);

}  // namespace spress::io
