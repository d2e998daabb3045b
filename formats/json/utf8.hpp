// UTF-8, byte by byte.
#pragma once

#include <cstddef>
#include <string_view>

namespace spress::json {

/// The first character of a text, or the bytes that begin none.
struct Sequence {
  std::size_t bytes;  ///< at least 1
  bool valid;
};

/// Requires: the text is not empty.
[[nodiscard]] inline Sequence first_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xc2 || lead > 0xf4) return {1, false};
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return {1, false};
  for (std::size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf) return {i, false};
  return {length, true};
}

}  // namespace spress::json
