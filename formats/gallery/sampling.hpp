// Rows with random columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/gallery/random.hpp"
#include "formats/gallery/rows.hpp"

namespace spress::gallery {

/// Writes k different columns among those that draw(t), t = 0, 1, ..., gives, ascending.
/// Requires: draw gives at least k different ones, and soon.
template <class Draw>
void choose_columns_by(std::uint64_t k, const Draw& draw, RowWriter& out) {
  std::uint32_t* cols = out.cols();
  for (std::uint64_t have = 0, t = 0; have < k;) {
    for (; have < k; ++have, ++t) cols[have] = static_cast<std::uint32_t>(draw(t));
    std::sort(cols, cols + k);
    have = static_cast<std::uint64_t>(std::unique(cols, cols + k) - cols);
  }
  out.counted(k);
}

/// Writes k different columns in begin .. begin+width-1, ascending, each set of k equally likely. Requires: k <= width.
/// `bits(t)` gives 64 random bits for t = 0, 1, ... Cost: k log k, or width where k is more than half of it.
template <class Bits>
void choose_columns(std::uint64_t begin, std::uint64_t width, std::uint64_t k, const Bits& bits, RowWriter& out) {
  if (2 * k > width) {
    for (std::uint64_t i = 0, left = k; left > 0; ++i)  // column i is taken with probability left / (width - i)
      if (below(bits(i), width - i) < left) {
        out.add(begin + i);
        --left;
      }
    return;
  }
  choose_columns_by(
      k, [&](std::uint64_t t) { return begin + below(bits(t), width); }, out);
}

}  // namespace spress::gallery
