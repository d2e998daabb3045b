// Whether a pattern is symmetric, by one walk through it.
#pragma once

#include <cstdint>

#include "formats/csr/csr.hpp"

namespace spress::reorder {

struct PatternSides {
  bool probably_symmetric = false;  ///< true where it is; where it is not, false but for one time in 2^64
  std::uint64_t diagonal = 0;       ///< entries on the diagonal
};

/// Compares the entries right of the diagonal with the mirror images of those left of it by the sums of their hashes:
/// one walk through memory, where pattern_symmetric (metrics.hpp), which is certain, looks at each entry's image.
/// Requires: a square matrix. Cost: linear in nnz.
[[nodiscard]] PatternSides compare_sides(const Csr<Viewed>& a);

}  // namespace spress::reorder
