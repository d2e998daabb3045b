// MATLAB files: -v6 and -v7 by a parser of our own, -v7.3 through HDF5.
#pragma once

#include <string_view>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Whether a file that begins with these bytes is a MATLAB file.
[[nodiscard]] bool is_matlab(std::string_view head);

/// Reads one matrix: a sparse variable, the field A of a struct with the explicit zeros of its field Zeros and its
/// texts as comments (as the SuiteSparse Collection has them), or a dense matrix, of which all that is not 0 becomes an
/// entry.
/// options.part: the variable's name, with dots for fields.
/// Errors: truncated, damaged, too_large, not_representable, out_of_range; usage where the file has several matrices or
/// none of that name; unsupported where it has none, for MATLAB 4, and for -v7.3 in a build without HDF5.
[[nodiscard]] Result<Matrix> read_matlab(MatrixInput& input, const ReadOptions& options);

}  // namespace spress::io
