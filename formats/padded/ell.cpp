#include "formats/padded/ell.hpp"

#include "formats/core/checks.hpp"

namespace spress {

Status validate(const Ell<Viewed>& a) {
  // rows fits 31 bits once shape has passed, so a width of 32 bits keeps the product exact.
  if (a.width > checks::largest_side) return checks::damaged("width is " + std::to_string(a.width));
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.rows * a.width));
  SPRESS_CHECK(checks::length("col_idx", a.col_idx.size(), a.rows * a.width));
  return checks::stretches(
      a, a.rows, [&](std::uint64_t i) { return stretch(a, i); }, a.nnz);
}

}  // namespace spress
