// A coarse picture of a pattern.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/csr/row_panel.hpp"

namespace spress::analyze {

struct Spy {
  std::uint32_t size = 0;  ///< cells per side
  std::string cells;       ///< size*size digits, row-major: 0 empty, 9 full, each step below a factor of about 4
};

/// Cell (i, j) covers the rows r with r * size / rows == i, and columns likewise. `size` cells per side, or the longer
/// side of the matrix if that is less.
[[nodiscard]] Spy spy(const Csr<Viewed>& a, std::uint32_t size, int threads = 0);

/// Counts the entries of a matrix that comes in panels, cell by cell.
class SpyCounter {
 public:
  /// rows, cols: of the whole matrix.
  SpyCounter(std::uint64_t rows, std::uint64_t cols, std::uint32_t size);
  void add(const RowPanel& panel, int threads = 0);
  [[nodiscard]] Spy picture() const;

 private:
  std::uint64_t rows_, cols_, size_;
  std::vector<std::uint64_t> counts_;  // size * size
};

}  // namespace spress::analyze
