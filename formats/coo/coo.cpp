#include "formats/coo/coo.hpp"

#include "formats/core/checks.hpp"

namespace spress {

Status validate(const Coo<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.nnz));
  SPRESS_CHECK(checks::length("row_idx", a.row_idx.size(), a.nnz));
  SPRESS_CHECK(checks::length("col_idx", a.col_idx.size(), a.nnz));
  for (std::uint64_t k = 0; k < a.nnz; ++k) {
    const bool in_range = a.row_idx[k] < a.rows && a.col_idx[k] < a.cols;
    const bool ascends = k == 0 || a.row_idx[k] > a.row_idx[k - 1] ||
                         (a.row_idx[k] == a.row_idx[k - 1] && a.col_idx[k] > a.col_idx[k - 1]);
    if (!in_range || !ascends)
      return checks::damaged("row_idx, col_idx are out of range or out of order at entry " + std::to_string(k));
  }
  return Ok{};
}

}  // namespace spress
