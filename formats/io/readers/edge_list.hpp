// Edge lists: a line for each entry, row and column and perhaps a value, between blanks, tabs, commas or semicolons.
#pragma once

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Reads the adjacency matrix of a graph: a pattern where lines have two words; where they have three, integers if all
/// values are some, else reals. Lines that begin with # or % are comments, and a line of words before the first entry
/// names the columns, if no word of it begins a number. Lists of KONECT may have a fourth word, a time, which is not
/// read. Ids begin with options.index_base. Without one, they begin with 0 where an id is 0, and with 1 in lists of
/// KONECT
/// ("% sym unweighted"). Undirected graphs of SNAP and KONECT (which list each edge once) become symmetric matrices.
/// Where comments count the edges ("# Nodes: N Edges: M", "% M N N"), fewer lines are an error.
/// The matrix is square and as large as the largest id or, where they say it, as the comments' sizes, which for
/// KONECT's bipartite graphs may differ.
/// Errors: syntax, out_of_range, truncated, not_representable, too_large, each with its line; usage where the base is
/// not known; those of the input.
[[nodiscard]] Result<Matrix> read_edge_list(MatrixInput& input, const ReadOptions& options);

}  // namespace spress::io
