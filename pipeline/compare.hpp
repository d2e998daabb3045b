// Whether two matrices are the same, and if not, where they differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/core/matrix.hpp"

namespace spress::pipeline {

struct Difference {
  std::string first;              ///< "row 3, column 5: 0.5 and 0.25", counted from 1 as in Matrix Market files
  std::uint64_t entries = 0;      ///< that differ, or that one of the two lacks; 0 where shapes or types differ
  std::optional<double> largest;  ///< |a - b|, where a missing entry is 0; none where shapes or types differ
};

/// Compares shape, type of the values, entries and values, these bit for bit: -0.0 is not 0.0, and a NaN is itself.
/// What the sources say besides (names, symmetry as declared) does not count.
[[nodiscard]] std::optional<Difference> difference(const Csr<Viewed>& a, const Csr<Viewed>& b);

}  // namespace spress::pipeline
