// The head of a Rutherford-Boeing file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/core/result.hpp"
#include "formats/io/entries/entries.hpp"
#include "formats/io/entries/line_blocks.hpp"
#include "formats/io/readers/fortran_format.hpp"

namespace spress::io {

struct RbHeader : MatrixHead {
  FortranFormat pointers, ids, values;  ///< values: not that of a pattern
  std::string title;                    ///< the first line
};

/// Reads the head, up to the first line of column pointers. An error carries its line.
/// Errors: syntax, out_of_range, too_large, truncated; unsupported for matrices of elements; those of the stream.
[[nodiscard]] Result<RbHeader> read_rb_header(LineReader& lines);

}  // namespace spress::io
