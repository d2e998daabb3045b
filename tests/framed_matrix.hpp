// Matrices whose doubles take frames of a chosen width.
#pragma once

#include <bit>
#include <cstdint>
#include <random>

#include "formats/csr.hpp"
#include "formats/value_frames.hpp"
#include "tests/scenarios.hpp"

namespace spress::tests {

inline constexpr std::uint32_t most_decimal_width = 6;  ///< more bytes than that, and shared bits take no more

/// A value of which all but one in fifty need `width` bytes; with `decimal`, one of two digits.
inline double framed_value(std::mt19937_64& random, std::uint32_t width, bool decimal) {
  const bool strange = width > 0 && width < 8 && random() % 50 == 0;
  if (strange) return -1e-5 / 3;
  std::uint64_t drawn = width == 0 ? 0 : random() >> (64 - 8 * width);
  if (width < 8) drawn -= drawn / 8;  // the largest codes are for exceptions
  if (decimal) {
    const auto half = width == 0 ? 0 : std::int64_t{1} << (8 * width - 1);
    return static_cast<double>(static_cast<std::int64_t>(drawn) - half) / 100;
  }
  // Below 8 bytes, one exponent or a few; else sixty.
  const std::uint64_t u =
      width < 8 ? (std::uint64_t{0x7F} << 56) + drawn : (std::uint64_t{993} << 53) + drawn % (std::uint64_t{60} << 53);
  return std::bit_cast<double>(bits_of_shared(u, 0));
}

/// 100 rows: slices of whole turns and of turns with masks, and a row that is cut into pieces.
inline Csr<Owned> framed_matrix(std::uint32_t width, bool decimal) {
  Scenario s;
  s.rows = 100, s.cols = 2000;
  for (std::uint32_t r = 0; r < s.rows; ++r)
    for (std::uint32_t k = 0; k < (r == 90 ? 900u : r >= 64 && r % 5 == 0 ? 3u : 11u); ++k)
      s.entries.emplace_back(r, r + 2 * k);
  std::mt19937_64 random(width);
  for (std::size_t k = 0; k < s.entries.size(); ++k) s.values.push_back(framed_value(random, width, decimal));
  return make_csr(s);
}

}  // namespace spress::tests
