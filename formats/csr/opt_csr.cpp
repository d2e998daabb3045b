#include "formats/csr/opt_csr.hpp"

#include "formats/core/checks.hpp"
#include "formats/csr/opt_csr_columns.hpp"

namespace spress {
Status validate(const OptCsr<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.nnz));
  if (a.index >= IndexMode::automatic) return checks::damaged("index must be delta, anchored or diagonal");
  SPRESS_CHECK(checks::monotone("section_start", a.section_start, 4, a.rows));
  SPRESS_CHECK(checks::monotone("row_ptr", a.row_ptr, a.rows + 1, a.nnz));
  SPRESS_CHECK(checks::length("first_col", a.first_col.size(), a.index == IndexMode::delta ? a.rows : 0));
  SPRESS_CHECK(checks::permutation("row_perm", a.row_perm, a.rows));
  const auto row_at = [&](int s) { return a.section_start.position(static_cast<std::size_t>(s)); };
  const auto entries = [&](int s) { return a.row_ptr.position(row_at(s + 1)) - a.row_ptr.position(row_at(s)); };
  SPRESS_CHECK(checks::length("col8", a.col8.size(), entries(0)));
  SPRESS_CHECK(checks::length("col16", a.col16.size(), entries(1)));
  SPRESS_CHECK(checks::length("col32", a.col32.size(), entries(2)));
  std::int64_t broken = -1;
  const auto inside = [&](std::int64_t row, std::int64_t col, std::int64_t previous) {
    broken = row;
    return col > previous && col < static_cast<std::int64_t>(a.cols);
  };
  if (for_each_column(a, inside)) return Ok{};
  return checks::damaged("the codes of row " + std::to_string(broken) + " leave the matrix or do not ascend");
}

}  // namespace spress
