#include "formats/csr/csr.hpp"

#include "formats/core/checks.hpp"

namespace spress {

Status validate(const Csr<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.nnz));
  SPRESS_CHECK(checks::monotone("row_ptr", a.row_ptr, a.rows + 1, a.nnz));
  SPRESS_CHECK(checks::length("col_idx", a.col_idx.size(), a.nnz));
  return with_positions(a.row_ptr, [&](const auto* row_ptr) -> Status {
    for (std::uint64_t r = 0; r < a.rows; ++r)
      for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k)
        if (a.col_idx[k] >= a.cols || (k > row_ptr[r] && a.col_idx[k] <= a.col_idx[k - 1]))
          return checks::damaged("col_idx is out of range or does not ascend in row " + std::to_string(r));
    return Ok{};
  });
}

}  // namespace spress
