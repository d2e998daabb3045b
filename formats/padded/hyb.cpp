#include "formats/padded/hyb.hpp"

#include "formats/core/checks.hpp"

namespace spress {
namespace {

/// The rest ascends by row, then by column, and goes on where a full row of the ELL part ends.
Status check_rest(const Hyb<Viewed>& a) {
  const std::uint64_t base = a.rows * a.width;
  for (std::uint64_t j = 0; j < a.coo_nnz; ++j) {
    const std::uint32_t row = a.coo_row_idx[j], column = a.col_idx[base + j];
    bool good = row < a.rows && column < a.cols && (j == 0 || row >= a.coo_row_idx[j - 1]);
    if (good && j != 0 && row == a.coo_row_idx[j - 1]) {
      good = column > a.col_idx[base + j - 1];
    } else if (good && a.width != 0) {
      const std::uint32_t last = a.col_idx[stretch(a, row).slot(a.width - 1)];
      good = last != no_column && column > last;
    }
    if (!good)
      return checks::damaged("coo_row_idx, col_idx are out of range or out of order at entry " + std::to_string(j) +
                             " of the rest");
  }
  return Ok{};
}

}  // namespace

Status validate(const Hyb<Viewed>& a) {
  // With sides and width of 31 bits no sum below can wrap.
  if (a.width > checks::largest_side) return checks::damaged("width is " + std::to_string(a.width));
  if (a.coo_nnz > a.nnz) return checks::damaged("coo_nnz exceeds nnz");
  SPRESS_CHECK(checks::length("coo_row_idx", a.coo_row_idx.size(), a.coo_nnz));
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.rows * a.width + a.coo_nnz));
  SPRESS_CHECK(checks::length("col_idx", a.col_idx.size(), a.rows * a.width + a.coo_nnz));
  SPRESS_CHECK(checks::stretches(
      a, a.rows, [&](std::uint64_t i) { return stretch(a, i); }, a.nnz - a.coo_nnz));
  return check_rest(a);
}

}  // namespace spress
