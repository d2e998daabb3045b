// Finds the matrix of an HDF5 file, whatever program wrote it. For a child process.
#pragma once

#include <string>

#include "formats/core/result.hpp"
#include "formats/io/hdf5/hdf5_object.hpp"
#include "formats/io/hdf5/placed_matrix.hpp"

namespace spress::io::hdf5 {

/// Hands over the matrix called `part`, or the one that the file is there for where part is empty: that of the root's
/// Binsparse descriptor, X of AnnData, the field A of a MATLAB struct; else the only sparse one, else the only dense
/// one. matlab: names have dots, and dense arrays are stored by columns. Errors: usage where there are several, or none
/// of that name; unsupported where there is none; those of the layouts.
[[nodiscard]] Status hand_over_matrix(const Object& root, const std::string& part, bool matlab, ChildOutput& output);

}  // namespace spress::io::hdf5
