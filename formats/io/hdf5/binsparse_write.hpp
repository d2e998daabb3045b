// Writes a matrix in the Binsparse format into an HDF5 file.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"
#include "formats/io/entries/declaration.hpp"

namespace spress::io::hdf5 {

/// Writes the file at `path`, which is emptied first. For a child process.
/// a: raw values of type f64 or c128, or none. said: what is declared of it; of a symmetric matrix the lower triangle
/// is written. comments: kept where they are short.
/// Errors: unwritable.
/// Source: Binsparse specification, version 0.1.
[[nodiscard]] Status write_binsparse(const Csr<Viewed>& a, const Declaration& said, const std::string& comments,
                                     const std::string& path);

}  // namespace spress::io::hdf5
