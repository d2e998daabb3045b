// Consecutive rows of a matrix that is larger than memory.
#pragma once

#include <cstdint>

#include "formats/csr/csr.hpp"

namespace spress {

/// Rows first_row .. first_row + csr.rows - 1 of a matrix, as a CSR of their own: its row_ptr begins with 0, its
/// columns are those of the matrix. Panels of a matrix come in order and begin at multiples of panel_unit, but where
/// whoever gives them says otherwise.
struct RowPanel {
  std::uint64_t first_row = 0;
  Csr<Viewed> csr;
};

/// Rows of an 8x8 block: no block lies in two panels.
inline constexpr std::uint64_t panel_unit = 8;

/// Facts of a matrix that are known once all its panels were seen.
struct WholeMatrix {
  std::uint64_t rows = 0, cols = 0, nnz = 0;
  ValueType type = ValueType::none;
};

}  // namespace spress
