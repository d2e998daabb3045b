// Integers that a double holds exactly.
#pragma once

#include <cmath>
#include <cstdint>

namespace spress::io {

/// 2^53: a double holds every integer up to here in magnitude.
inline constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 53;

/// Whether the value is such an integer. -0.0 is none, since integers have no sign of zero.
[[nodiscard]] inline bool is_exact_integer(double value) {
  return std::abs(value) <= static_cast<double>(largest_exact_integer) && value == std::trunc(value) &&
         !(value == 0 && std::signbit(value));
}

}  // namespace spress::io
