// Random numbers as a pure function of (seed, stream, two counters): any entry can be drawn by any thread in any order,
// and the bits do not depend on a standard library. Integer arithmetic only, but for `noise`.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace spress::gallery {

/// What a stream of random numbers is drawn for, so that no two uses share numbers.
enum class Stream : std::uint64_t {
  values,
  table,
  row_shuffle,
  column_shuffle,
  columns,
  lengths,
  row_ranks,
  column_ranks,
  choice,
  natural,
};

/// A bijection of 64-bit numbers that spreads every bit. Source: Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014 (splitmix64).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class Random {
 public:
  constexpr Random(std::uint64_t seed, Stream stream) : key_(mix(mix(seed) + static_cast<std::uint64_t>(stream))) {}
  /// 64 random bits for the counters (a, b).
  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t a, std::uint64_t b = 0) const {
    return mix(mix(key_ ^ a) + b);
  }

 private:
  std::uint64_t key_;
};

/// A number in 0 .. n-1 from 64 random bits. Requires: 1 <= n <= 2^32.
[[nodiscard]] constexpr std::uint64_t below(std::uint64_t bits, std::uint64_t n) { return ((bits >> 32) * n) >> 32; }

/// True with probability p.
[[nodiscard]] constexpr bool chance(std::uint64_t bits, double p) {
  return static_cast<double>(bits >> 11) < p * 0x1p53;
}

/// A number uniform in [-1, 1], never zero, with all 53 bits of the mantissa in use.
[[nodiscard]] constexpr double noise(std::uint64_t bits) {
  const double magnitude = static_cast<double>(static_cast<std::int64_t>(bits >> 1) | 1) * 0x1p-63;
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

/// A number with at most two decimals in -99.99 .. 99.99, never zero.
[[nodiscard]] constexpr double short_decimal(std::uint64_t bits) {
  const auto k = static_cast<std::int64_t>(below(bits, 19998)) - 9999;
  return static_cast<double>(k < 0 ? k : k + 1) / 100.0;
}

/// A permutation of 0 .. n-1. Requires: n <= 2^32.
[[nodiscard]] inline std::vector<std::uint32_t> random_permutation(std::uint64_t n, const Random& random) {
  std::vector<std::uint32_t> p(n);
  for (std::uint64_t i = 0; i < n; ++i) p[i] = static_cast<std::uint32_t>(i);
  for (std::uint64_t i = n; i > 1; --i) std::swap(p[i - 1], p[below(random(i), i)]);
  return p;
}

}  // namespace spress::gallery
