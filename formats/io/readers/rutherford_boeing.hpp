// Rutherford-Boeing files and their predecessors, Harwell-Boeing: compressed columns as text in Fortran's formats.
// Source: I. Duff, R. Grimes, J. Lewis, "The Rutherford-Boeing sparse matrix collection", 1997.
#pragma once

#include <filesystem>
#include <string_view>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Whether a file begins with the four lines of a head: counts in the second, the type in the third.
[[nodiscard]] bool begins_rutherford_boeing(std::string_view head);

/// Reads an assembled matrix: real, complex, integer or pattern; unsymmetric, symmetric, skew, Hermitian, rectangular.
/// Right-hand sides and what else follows the values is not read.
/// Errors: syntax, out_of_range, truncated, not_representable, too_large, each with its line; unsupported for matrices
/// of elements; those of the input.
[[nodiscard]] Result<Matrix> read_rutherford_boeing(MatrixInput& input, const ReadOptions& options);

/// Writes a matrix whose numbers read back to the same bits (but for the payloads of NaNs): its lower triangle where
/// info.symmetry is what the entries really have, bit for bit.
/// Errors: unwritable.
[[nodiscard]] Status write_rutherford_boeing(const Csr<Viewed>& a, const MatrixInfo& info,
                                             const std::filesystem::path& path);

}  // namespace spress::io
