// A matrix on its way from the child that parsed it to the parent, which believes nothing of it.
#pragma once

#include <cstdint>
#include <span>

#include "formats/core/result.hpp"
#include "formats/io/foreign/stored_matrix.hpp"
#include "formats/io/hdf5/hdf5_object.hpp"

namespace spress::io::hdf5 {

/// StoredMatrix, with places in the child's output for its arrays. Plain bytes.
struct PlacedMatrix {
  Arrangement arrangement = Arrangement::compressed;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  Triangle triangle = Triangle::both;
  bool by_columns = false, boolean = false, one_value = false, paired = false, majors_listed = false;
  std::uint64_t rows = 0, cols = 0;
  Placed pointers, major_ids, minor_ids, values, comments;

  /// Takes the values of a dataset, and with them the field.
  [[nodiscard]] Status take_values(const Object& dataset, ChildOutput& output);
  /// Takes comments, unless a line of them has no % in front.
  [[nodiscard]] Status take_comments(const std::string& lines, ChildOutput& output);
};

/// What ends a child's output.
struct PlacedFile {
  PlacedMatrix matrix, zeros;
  bool has_zeros = false;
};

/// Appends it. Errors: too_large.
[[nodiscard]] Status hand_over(const PlacedFile& file, ChildOutput& output);

/// A matrix and its explicit zeros, with views of the child's output.
struct ReceivedFile {
  StoredMatrix matrix, zeros;
  bool has_zeros = false;
};

/// Checks that all arrays lie within `bytes`. Errors: damaged.
[[nodiscard]] Result<ReceivedFile> receive(std::span<const std::uint8_t> bytes);

}  // namespace spress::io::hdf5
