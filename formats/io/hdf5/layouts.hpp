// How programs lay a matrix out in an HDF5 file: one function for each layout. For a child process.
#pragma once

#include <string>

#include "formats/core/result.hpp"
#include "formats/io/hdf5/hdf5_object.hpp"
#include "formats/io/hdf5/placed_matrix.hpp"

namespace spress::io::hdf5 {

/// Binsparse: a group with the attribute `binsparse`.
/// Source: Binsparse specification, version 0.1.
[[nodiscard]] bool is_binsparse(const Object& group);
[[nodiscard]] Result<PlacedMatrix> place_binsparse(const Object& group, ChildOutput& output);

/// AnnData, and h5sparse before it: a group with data, indices, indptr, and the shape as an attribute.
[[nodiscard]] bool is_anndata(const Object& group);
[[nodiscard]] Result<PlacedMatrix> place_anndata(const Object& group, ChildOutput& output);

/// 10x Genomics: a group with data, indices, indptr and shape; rows are features, columns barcodes.
[[nodiscard]] bool is_tenx(const Object& group);
[[nodiscard]] Result<PlacedMatrix> place_tenx(const Object& group, ChildOutput& output);

/// MATLAB -v7.3: a group with the attribute MATLAB_sparse and datasets data, ir, jc.
[[nodiscard]] bool is_matlab_sparse(const Object& group);
[[nodiscard]] Result<PlacedMatrix> place_matlab_sparse(const Object& group, ChildOutput& output);
/// The texts of the struct that holds a matrix, as comments. Errors: too_large.
[[nodiscard]] Status place_texts(const Object& structure, PlacedMatrix& matrix, ChildOutput& output);

/// A dataset with two dimensions, of which MATLAB stores the columns one after another.
[[nodiscard]] bool is_dense(const Object& dataset, bool matlab);
[[nodiscard]] Result<PlacedMatrix> place_dense(const Object& dataset, bool matlab, ChildOutput& output);

}  // namespace spress::io::hdf5
