// The head of a Matrix Market file: banner, comments, sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/matrix_market/line_blocks.hpp"

namespace spress::io {

struct MmHeader {
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  bool array = false;        ///< every entry of the (half) matrix in order, column by column, without ids
  bool is_unsigned = false;  ///< declared unsigned-integer
  std::uint64_t rows = 0, cols = 0;
  std::uint64_t entries = 0;  ///< that the body must hold
  std::string comments;       ///< lines between banner and sizes, each with its newline; the first 64 MiB
};

/// Blanks and tabs separate words; the carriage return of CRLF counts as one.
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Takes the next word off the front of `line`; empty at the end of the line.
[[nodiscard]] std::string_view next_word(std::string_view& line);

/// Reads up to and with the size line. An error carries its line.
/// Errors: syntax, out_of_range, too_large, truncated, and those of the stream.
[[nodiscard]] Result<MmHeader> read_mm_header(LineReader& lines);

}  // namespace spress::io
