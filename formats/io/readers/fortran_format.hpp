// Fortran's formats for numbers in columns of a fixed width: (16I5), (1P,5D16.8), (3E25.16E3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/core/result.hpp"

namespace spress::io {

/// One edit descriptor, repeated along a line.
struct FortranFormat {
  std::uint64_t per_line = 1;  ///< fields
  std::size_t width = 0;       ///< characters of a field
  int decimals = 0;            ///< digits behind the point that a field without a point lacks
  int scale = 0;               ///< of kP: a field without an exponent is 10^k times the number
  bool integer = false;        ///< I; else D, E, F or G
};

/// The widest field that is read.
inline constexpr std::size_t widest_field = 60;

/// Errors: syntax; unsupported for what no matrix needs (several descriptors in a line).
[[nodiscard]] Result<FortranFormat> parse_fortran_format(std::string_view text);

/// The format in which `fields` numbers really stand in a line. SciPy's hb_write sets real numbers in one column less
/// than it says. The narrower width is taken if some field of the declared width is no number, and if the narrower
/// fields all end with a digit.
[[nodiscard]] FortranFormat format_of_line(std::string_view line, const FortranFormat& format, std::uint64_t fields);

/// The field `k` of a line, without blanks around it; empty where the line has no more.
[[nodiscard]] std::string_view field_of(std::string_view line, const FortranFormat& format, std::uint64_t k);

/// The number in a field: letters e, E, d, D, q, Q or none (1.0-3) before the exponent; a point that the format
/// implies; inf and nan. Errors: syntax; not_representable beyond the range of double.
[[nodiscard]] Result<double> parse_fortran_real(std::string_view field, const FortranFormat& format);

}  // namespace spress::io
