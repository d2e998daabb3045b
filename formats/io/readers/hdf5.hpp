// HDF5 files: Binsparse, AnnData (.h5ad), 10x Genomics, MATLAB -v7.3.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/input_file.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"

namespace spress::io {

/// Whether a file is HDF5, by its signature at byte 0, 512, 1024, 2048, ... Errors: unreadable.
[[nodiscard]] Result<bool> is_hdf5(const InputFile& file);

/// Reads one matrix, in a child process: the library trusts what it parses. Of dense arrays, all that is not 0 becomes
/// an entry. 10x Genomics' matrices stay as they are stored, features by barcodes.
/// options.part: the path within the file, such as layers/counts; in MATLAB files the variable's name, with dots.
/// Errors: unreadable, damaged, too_large, not_representable, out_of_range; usage where the file has several matrices
/// or none of that name; unsupported where it has none, for pipes and compressed files, and in a build without HDF5.
[[nodiscard]] Result<Matrix> read_hdf5(const std::shared_ptr<InputFile>& file, const ReadOptions& options);

/// Writes a matrix as Binsparse, in CSR with the values' own type: float64, int64, complex[float64] or, of a pattern,
/// iso[uint8]; of a matrix that is declared symmetric and is, the lower triangle. Appears complete or not at all.
/// Errors: unwritable, too_large; unsupported in a build without HDF5.
[[nodiscard]] Status write_hdf5(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path);

}  // namespace spress::io
