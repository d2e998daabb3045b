// NumPy's archives of arrays (.npz): SciPy's sparse matrices, or one dense array.
// Source: scipy.sparse.save_npz, whose arrays are named as the members of the matrix object.
#pragma once

#include <filesystem>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Reads a sparse matrix (csr, csc, coo, bsr, dia) with every type of number; entries that are stored twice are summed.
/// Of dia the zeros are padding and no entries, as SciPy has it. Without a sparse matrix it reads the only array of two
/// dimensions, or the one that options.part names.
/// Errors: syntax, out_of_range, truncated, damaged, not_representable, too_large; not_found for the part; those of the
/// input.
[[nodiscard]] Result<Matrix> read_npz(MatrixInput& input, const ReadOptions& options);

/// Writes a csr matrix as SciPy loads it: indices of 32 bits where they fit, else 64; values as float64, complex128,
/// int64 for integers; a pattern as booleans. Errors: unwritable.
[[nodiscard]] Status write_npz(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path);

}  // namespace spress::io
