// Reads a matrix from an HDF5 file, in a child process.
#pragma once

#include <string>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/input_file.hpp"

namespace spress::io::hdf5 {

/// Requires: file.is_regular().
/// Errors: those of hand_over_matrix, run_in_child and assemble_stored.
[[nodiscard]] Result<Matrix> read_matrix(const InputFile& file, const std::string& part, bool matlab, int threads);

}  // namespace spress::io::hdf5
