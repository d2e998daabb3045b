// A fold: the way in which the upper triangle of a matrix follows from the lower one. Private to formats/io.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <string_view>

#include "formats/csr/csr.hpp"

namespace spress::io {

/// The way in which an entry above the diagonal follows from the one below it. The values are those of the file.
enum class Fold : std::uint8_t {
  none,       ///< all entries are stored
  symmetric,  ///< it is the same
  skew,       ///< its sign is the other one
  hermitian,  ///< the sign of its imaginary part is the other one
  pattern     ///< it is there, with a value of its own
};
inline constexpr Fold last_fold = Fold::pattern;

/// The value above the diagonal for the one below. Bits, so that zeros and NaNs keep their signs.
[[nodiscard]] inline double negated_bits(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63));
}

/// The value above the diagonal that the fold gives for the one below. Requires: not Fold::pattern.
[[nodiscard]] inline double mirror_of(double value, Fold fold) {
  return fold == Fold::skew ? negated_bits(value) : value;
}
[[nodiscard]] inline std::complex<double> mirror_of(std::complex<double> value, Fold fold) {
  if (fold == Fold::skew) return {negated_bits(value.real()), negated_bits(value.imag())};
  return fold == Fold::hermitian ? std::complex(value.real(), negated_bits(value.imag())) : value;
}

/// The strongest fold that holds bit for bit; Fold::symmetric for a symmetric pattern without values.
/// Requires: raw values of type double or complex-double, or none. Complexity: one pass. Memory: at most 4
/// positions a row.
[[nodiscard]] Fold fold_of(const Csr<Viewed>& a, int threads);

}  // namespace spress::io

namespace spress {

template <>
struct EnumNames<io::Fold> {
  static constexpr std::array<std::string_view, 5> names = {"none", "symmetric", "skew-symmetric", "hermitian",
                                                            "pattern"};
};

}  // namespace spress
