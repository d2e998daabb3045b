// Writes a matrix to an HDF5 file that appears complete or not at all.
#pragma once

#include <filesystem>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"

namespace spress::io::hdf5 {

/// Writes the Binsparse format, in a child process. Errors: unwritable, too_large.
[[nodiscard]] Status write_matrix(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path);

}  // namespace spress::io::hdf5
