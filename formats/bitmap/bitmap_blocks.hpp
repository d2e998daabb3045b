// What the formats of 8x8 bitmap blocks share.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "formats/core/checks.hpp"

namespace spress {

/// Rows and columns of a bitmap block. Bit 8*i + j of its bitmap (the lowest is bit 0) is row i, column j.
inline constexpr std::uint64_t bitmap_side = 8;

[[nodiscard]] constexpr std::uint64_t block_rows_of(std::uint64_t rows) {
  return (rows + bitmap_side - 1) / bitmap_side;
}

namespace checks {

/// Block b, by its place in the matrix: it holds an entry, as many as its offsets say, and none outside the matrix.
template <class Format>
[[nodiscard]] Status bitmap_block(const Format& f, std::uint64_t b, std::uint64_t block_row, std::uint64_t block_col) {
  const auto held = static_cast<std::uint64_t>(std::popcount(f.bitmaps[b]));
  if (held == 0 || f.offsets.position(b + 1) - f.offsets.position(b) != held)
    return damaged("bitmap and offsets disagree at block " + std::to_string(b));
  for (std::uint64_t bits = f.bitmaps[b]; bits != 0; bits &= bits - 1) {
    const auto bit = static_cast<std::uint64_t>(std::countr_zero(bits));
    if (block_row * bitmap_side + bit / bitmap_side >= f.rows || block_col * bitmap_side + bit % bitmap_side >= f.cols)
      return damaged("block " + std::to_string(b) + " reaches outside the matrix");
  }
  return Ok{};
}

}  // namespace checks
}  // namespace spress
