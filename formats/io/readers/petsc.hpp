// PETSc's binary matrices: big-endian compressed rows, as MatView writes them with a binary viewer.
// Source: the PETSc manual, MatLoad: int classid, rows, columns, entries, entries of each row, columns, values.
#pragma once

#include <filesystem>
#include <string_view>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Whether a file begins with the class id of a matrix, in 32 or 64 bits.
[[nodiscard]] bool begins_petsc(std::string_view head);

/// Reads a sparse or dense matrix of double or complex values, whose width the length of the file shows; of a dense one
/// the nonzeros become entries. Another object behind it is not read, and told in info.note.
/// Errors: truncated, out_of_range, damaged, too_large; those of the input.
[[nodiscard]] Result<Matrix> read_petsc(MatrixInput& input, const ReadOptions& options);

/// Writes a matrix for builds of PETSc with 32-bit indices, of complex scalars where the values are. The values of a
/// pattern are ones. Errors: unwritable; too_large where a number does not fit 32 bits.
[[nodiscard]] Status write_petsc(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path);

}  // namespace spress::io
