// Numbers from 0 as digits, and back, without signs or blanks. Private to formats/io, but for parse_number.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spress::io {

/// 16 hexadecimal digits, lower case.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t number) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
  return digits;
}

/// The number that all of the text spells; none where it spells none, or one beyond 64 bits.
[[nodiscard]] inline std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace spress::io
