// METIS's graphs: a line for each vertex with its neighbours, from 1.
// Source: the METIS 5 manual, section 4.1.1, "Graph file".
#pragma once

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Reads the adjacency matrix: a pattern, or integers where edges have weights. Sizes and weights of vertices are not
/// read. Errors: syntax, out_of_range, truncated, too_large, each with its line; syntax also where an edge is not
/// listed at both of its ends with one weight; those of the input.
[[nodiscard]] Result<Matrix> read_metis(MatrixInput& input, const ReadOptions& options);

}  // namespace spress::io
