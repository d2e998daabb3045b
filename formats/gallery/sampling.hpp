// Random columns, lengths and weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "formats/gallery/random.hpp"
#include "formats/gallery/rows.hpp"

namespace spress::gallery {

/// Columns begin .. begin + width - 1, from which some are chosen.
struct Window {
  std::uint64_t begin, width;
};

/// Writes k different columns of the window, ascending. draw(t), t = 0, 1, ..., gives columns of the window by any
/// distribution; where it gives too few different ones, and where more than half of the window is wanted, the choice is
/// uniform. bits(t) gives 64 random bits. Requires: k <= width.
/// Cost: k log k, or width where k is more than half of it.
template <class Bits, class Draw>
void choose_columns(Window window, std::uint64_t k, const Bits& bits, const Draw& draw, RowWriter& out) {
  if (2 * k > window.width) {
    for (std::uint64_t i = 0, left = k; left > 0; ++i)  // column i is taken with probability left / (width - i)
      if (below(bits(i), window.width - i) < left) {
        out.add(window.begin + i);
        --left;
      }
    return;
  }
  const std::uint64_t patience = 16 * k + 64;
  std::uint32_t* cols = out.cols() + out.count();
  for (std::uint64_t have = 0, t = 0; have < k;) {
    for (; have < k; ++have, ++t)
      cols[have] = static_cast<std::uint32_t>(t < patience ? draw(t) : window.begin + below(bits(t), window.width));
    std::sort(cols, cols + k);
    have = static_cast<std::uint64_t>(std::unique(cols, cols + k) - cols);
  }
  out.grow(k);
}

/// The same, every set of k columns equally likely.
template <class Bits>
void choose_columns(Window window, std::uint64_t k, const Bits& bits, RowWriter& out) {
  choose_columns(
      window, k, bits, [&](std::uint64_t t) { return window.begin + below(bits(t), window.width); }, out);
}

/// x^(-e/64) by square roots and products, which are rounded alike on every machine (a library's pow is not).
/// Requires: x >= 1.
[[nodiscard]] inline double inverse_power(double x, std::uint64_t sixty_fourths) {
  double product = 1.0, root = x;
  for (std::uint64_t whole = sixty_fourths / 64; whole > 0; --whole) product *= x;
  for (std::uint64_t bit = 32; bit > 0; bit /= 2) {
    root = std::sqrt(root);
    if ((sixty_fourths & bit) != 0) product *= root;
  }
  return 1.0 / product;
}

/// The exponent of a power law of ranks whose sizes follow a power law of exponent gamma: 64 / (gamma - 1), rounded.
/// Requires: 1.2 <= gamma <= 10.
[[nodiscard]] inline std::uint64_t rank_exponent(double gamma) {
  return static_cast<std::uint64_t>(64.0 / (gamma - 1.0) + 0.5);
}
[[nodiscard]] inline bool is_exponent(double gamma) { return gamma >= 1.2 && gamma <= 10.0; }

/// Draws 0 .. n-1 with given weights: the inverse of a cumulative table of integers.
class Weighted {
 public:
  /// weight(i) in 0 .. 1; none is taken as smaller than 2^-32. Requires: n >= 1.
  template <class Weight>
  Weighted(std::uint64_t n, const Weight& weight) : ends_(n) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) ends_[i] = sum += static_cast<std::uint64_t>(weight(i) * 0x1p32) + 1;
  }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t bits) const {
    const std::uint64_t at = bits % ends_.back();
    return static_cast<std::uint64_t>(std::upper_bound(ends_.begin(), ends_.end(), at) - ends_.begin());
  }

 private:
  std::vector<std::uint64_t> ends_;
};

}  // namespace spress::gallery
