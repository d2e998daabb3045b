// A matrix as other programs store it: arrays of any number type, by rows or by columns, not checked yet.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "formats/core/array.hpp"
#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"

namespace spress::io {

/// An array of numbers in memory that somebody else owns, aligned to its elements; empty where there is none.
struct StoredArray {
  DType type = DType::f64;  ///< no complex ones
  std::span<const std::uint8_t> bytes;
  [[nodiscard]] std::uint64_t size() const { return bytes.size() / size_of(type); }
};

enum class Arrangement : std::uint8_t { coordinates, compressed, dense };
enum class Triangle : std::uint8_t { both, lower, upper };

/// Majors are rows, or columns where `by_columns` is set; minors are the others. Ids count from 0.
struct StoredMatrix {
  Arrangement arrangement = Arrangement::compressed;
  bool by_columns = false;
  std::uint64_t rows = 0, cols = 0;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;  ///< not general: the other triangle follows from the stored one
  Triangle triangle = Triangle::both;     ///< the stored one
  bool boolean = false;                   ///< values are truths, of a pattern where all are true; field: integer
  bool one_value = false;                 ///< the only value is that of every entry; an integer 1 makes a pattern
  bool paired = false;                    ///< complex: `values` holds real and imaginary parts in turn
  StoredArray pointers;                   ///< compressed: one more than there are majors, or major_ids
  StoredArray major_ids;                  ///< coordinates: entries; compressed: the majors with entries, or nothing
  bool majors_listed = false;             ///< compressed: major_ids are given
  StoredArray minor_ids;                  ///< entries
  StoredArray values;                     ///< entries; dense: rows * cols, major by major; nothing for a pattern
  StoredArray imaginary;                  ///< complex and not paired: as many as values
  std::string comments;                   ///< as in MatrixInfo
};

/// The matrix of `stored`, and at the entries of `zeros` explicit zeros. Entries are sorted, duplicates summed. Of
/// dense arrays, all that is not 0 becomes an entry. Name and path are left to the caller. zeros: null for none; its
/// values do not count. Requires: the arrays lie in memory; all else may be wrong. Errors: damaged for arrays whose
/// lengths or numbers do not fit and for `zeros` of another shape, out_of_range for ids, not_representable for integers
/// beyond 2^53, too_large. Throws std::bad_alloc. Memory: about twice the finished matrix beside the arrays.
[[nodiscard]] Result<Matrix> assemble_stored(const StoredMatrix& stored, const StoredMatrix* zeros, int threads);

}  // namespace spress::io
