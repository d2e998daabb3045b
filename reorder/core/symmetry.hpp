// Whether a pattern is symmetric, by one walk through it.
#pragma once

#include <cstdint>

#include "formats/csr/row_panel.hpp"

namespace spress::reorder {

struct PatternSides {
  bool probably_symmetric = false;  ///< true where it is; where it is not, false but for one time in 2^64
  std::uint64_t diagonal = 0;       ///< entries on the diagonal
};

/// Compares the entries right of the diagonal with the mirror images of those left of it by the sums of their hashes:
/// one walk through memory, where pattern_symmetric (metrics.hpp), which is certain, looks at each entry's image.
/// Requires: a square matrix. Cost: linear in nnz.
[[nodiscard]] PatternSides compare_sides(const Csr<Viewed>& a);

/// Whether the pattern of a matrix that comes in panels is symmetric: as compare_sides, with sums of 128 bits under a
/// key drawn by chance, so that no file can be made to mislead it. Where the pattern is not symmetric, it says so but
/// for one time in 2^128.
class MirrorSums {
 public:
  MirrorSums();
  void add(const RowPanel& panel);
  /// Requires: all panels of a square matrix were added.
  [[nodiscard]] bool balanced() const { return sums_[0] == 0 && sums_[1] == 0; }

 private:
  std::uint64_t keys_[2], sums_[2] = {0, 0};
};

}  // namespace spress::reorder
