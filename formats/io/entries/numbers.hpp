// Numbers in text: ids and decimals, correctly rounded. The functions `fast_*` read the usual spellings at a number's
// place in a line, eight digits at a time, and give nullptr for anything else; `parse_*` take any token with care.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "formats/core/result.hpp"
#include "formats/io/entries/exact_integer.hpp"

namespace spress::io {

/// A real number: decimals with or without point and exponent (e, E, d or D), a sign, inf, infinity, nan.
/// Every NaN becomes the one quiet NaN without a sign.
/// Errors: syntax; not_representable for decimals beyond the range of double. What is too small becomes 0 or subnormal.
[[nodiscard]] Result<double> parse_real(std::string_view token);

/// A number of an integer matrix; 1e3 and 2.0 are integers too. remedy: ends the text of an error.
/// Errors: syntax; not_representable beyond 2^53 in magnitude.
[[nodiscard]] Result<double> parse_integer(std::string_view token, std::string_view remedy = {});

/// A size or an id. Errors: syntax; out_of_range for negative numbers; too_large beyond 64 bits.
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view token);

/// The number of rows or columns, as `what` says. Errors: as parse_count; too_large beyond 32-bit ids.
[[nodiscard]] Result<std::uint64_t> parse_side(std::string_view what, std::string_view token);

/// A token for an error message: shortened, without unprintable characters.
[[nodiscard]] std::string printable(std::string_view token);

namespace numbers {

static_assert(std::endian::native == std::endian::little, "digits are gathered as on little-endian machines");

inline constexpr std::uint64_t small_powers_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
inline constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Eight characters minus '0' each, the first in the lowest byte.
inline std::uint64_t load_digits(const char* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word ^ 0x3030303030303030u;
}

/// How many of the eight bytes, from the lowest, are digits. (A carry can spoil only bytes above the first non-digit.)
inline int leading_digits(std::uint64_t word) {
  const std::uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
  return std::countr_zero(others) >> 3;
}

/// The number that eight digits make, by pairs, then fours, then all.
inline std::uint64_t eight_digits(std::uint64_t word) {
  word = word * 10 + (word >> 8);
  const std::uint64_t low = (word & 0x000000FF000000FFu) * (100 + (std::uint64_t{1000000} << 32));
  const std::uint64_t high = ((word >> 16) & 0x000000FF000000FFu) * (1 + (std::uint64_t{10000} << 32));
  return (low + high) >> 32;
}

/// Appends the digits at p to m (which wraps when there are too many: count them) and goes behind them.
inline const char* fast_digits(const char* p, std::uint64_t& m) {
  for (;;) {
    const std::uint64_t word = load_digits(p);
    const int n = leading_digits(word);
    if (n == 8) {
      m = m * 100000000 + eight_digits(word);
      p += 8;
      continue;
    }
    // The shift drops what follows and puts zeros before; in two steps because n may be 0.
    m = m * small_powers_of_ten[n] + eight_digits((word << (56 - 8 * n)) << 8);
    return p + n;
  }
}

inline const char* fast_unsigned(const char* p, std::uint64_t& number, int most_digits) {
  number = 0;
  const char* end = fast_digits(p, number);
  const auto digits = end - p;
  return digits >= 1 && digits <= most_digits ? end : nullptr;
}

/// m * 10^exponent rounded to the nearest double; false where that needs more care.
[[nodiscard]] bool scale_decimal(std::uint64_t m, int exponent, double& value);

inline double with_sign(double magnitude, bool negative) { return negative ? -magnitude : magnitude; }

inline const char* fast_real(const char* p, double& value) {
  const bool negative = *p == '-';
  p += negative;
  std::uint64_t m = 0;
  const char* begin = p;
  p = fast_digits(p, m);
  auto digits = p - begin;
  int exponent = 0;
  if (*p == '.') {
    const char* fraction = ++p;
    p = fast_digits(p, m);
    digits += p - fraction;
    exponent = static_cast<int>(fraction - p);
  }
  if (digits == 0 || digits > 19) return nullptr;  // 19 digits always fit 64 bits
  if ((*p | 0x20) == 'e') {
    ++p;
    const bool down = *p == '-';
    p += down || *p == '+';
    std::uint64_t power;
    p = fast_unsigned(p, power, 4);
    if (p == nullptr) return nullptr;
    exponent += down ? -static_cast<int>(power) : static_cast<int>(power);
  }
  if (m <= static_cast<std::uint64_t>(largest_exact_integer) && exponent >= -22 && exponent <= 22) [[likely]] {
    // Both numbers are exact, so one operation rounds correctly.
    const auto exact = static_cast<double>(m);
    value = with_sign(exponent < 0 ? exact / exact_powers_of_ten[-exponent] : exact * exact_powers_of_ten[exponent],
                      negative);
    return p;
  }
  if (!scale_decimal(m, exponent, value)) return nullptr;
  value = with_sign(value, negative);
  return p;
}

inline const char* fast_integer(const char* p, double& value) {
  const bool negative = *p == '-';
  std::uint64_t m;
  p = fast_unsigned(p + negative, m, 15);
  if (p == nullptr) return nullptr;
  value = with_sign(static_cast<double>(m), negative && m != 0);  // an integer zero has no sign
  return p;
}

}  // namespace numbers
}  // namespace spress::io
