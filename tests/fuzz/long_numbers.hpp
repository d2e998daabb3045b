// Texts that say large sizes.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace spress::fuzz {

/// Sides of this many digits are legal, but only cost memory.
[[nodiscard]] inline bool has_long_number(std::string_view text) {
  std::size_t digits = 0;
  return std::any_of(text.begin(), text.end(), [&](char byte) {
    digits = std::isdigit(static_cast<unsigned char>(byte)) != 0 ? digits + 1 : 0;
    return digits > 6;
  });
}

}  // namespace spress::fuzz
