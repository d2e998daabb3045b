// HDF5 files: Binsparse, AnnData (.h5ad), 10x Genomics, MATLAB -v7.3.
#pragma once

#include <filesystem>
#include <string_view>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// Whether a file that begins with these 1024 bytes is HDF5: by its signature at its begin, or behind 512 bytes.
[[nodiscard]] bool is_hdf5(std::string_view head);

/// Reads one matrix, in a child process: the library trusts what it parses. Of dense arrays, all that is not 0 becomes
/// an entry. 10x Genomics' matrices stay as they are stored, features by barcodes. What was compressed or comes from a
/// pipe is unpacked into memory first.
/// options.part: the path within the file, such as layers/counts; in MATLAB files the variable's name, with dots.
/// Errors: damaged, too_large, not_representable, out_of_range; usage where the file has several matrices or none of
/// that name; unsupported where it has none, and in a build without HDF5.
[[nodiscard]] Result<Matrix> read_hdf5(MatrixInput& input, const ReadOptions& options);

/// Writes a matrix as Binsparse, in CSR with the values' own type: float64, int64, complex[float64] or, of a pattern,
/// iso[uint8]; of a matrix that is declared symmetric and is, the lower triangle. Appears complete or not at all.
/// Errors: unwritable, too_large; unsupported in a build without HDF5.
[[nodiscard]] Status write_hdf5(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path);

}  // namespace spress::io
