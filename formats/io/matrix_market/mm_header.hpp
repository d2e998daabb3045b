// The head of a Matrix Market file: banner, comments, sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/core/result.hpp"
#include "formats/io/entries/entries.hpp"
#include "formats/io/entries/line_blocks.hpp"

namespace spress::io {

struct MmHeader : MatrixHead {
  bool array = false;        ///< every entry of the (half) matrix in order, column by column, without ids
  bool is_unsigned = false;  ///< declared unsigned-integer
  std::string comments;      ///< lines between banner and sizes, each with its newline; the first 64 MiB
};

/// Reads up to and with the size line. An error carries its line.
/// Errors: syntax, out_of_range, too_large, truncated, and those of the stream.
[[nodiscard]] Result<MmHeader> read_mm_header(LineReader& lines);

}  // namespace spress::io
