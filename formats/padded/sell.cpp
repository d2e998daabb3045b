#include "formats/padded/sell.hpp"

#include "formats/core/checks.hpp"

namespace spress {
namespace {

Status check_slices(const Sell<Viewed>& a, std::uint64_t slices) {
  SPRESS_CHECK(checks::monotone("slice_start", a.slice_start, slices + 1, a.slots));
  for (std::uint64_t s = 0; s < slices; ++s)
    if ((a.slice_start.position(s + 1) - a.slice_start.position(s)) % a.c != 0)
      return checks::damaged("slice " + std::to_string(s) + " is not made of columns of c rows");
  return Ok{};
}

Status check_windows(const Sell<Viewed>& a) {
  SPRESS_CHECK(checks::permutation("row_perm", a.row_perm, a.rows));
  for (std::uint64_t i = 0; i < a.row_perm.size(); ++i)
    if (a.row_perm[i] / a.sigma != i / a.sigma)
      return checks::damaged("row_perm moves row " + std::to_string(a.row_perm[i]) +
                             " out of its window of sigma rows");
  return Ok{};
}

}  // namespace

Status validate(const Sell<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.slots));
  if (a.c < 1 || a.c > a.largest_c) return checks::damaged("c is " + std::to_string(a.c));
  if (a.sigma < 1) return checks::damaged("sigma is 0");
  SPRESS_CHECK(checks::length("col_idx", a.col_idx.size(), a.slots));
  const std::uint64_t slices = slice_count(a.rows, a.c);
  SPRESS_CHECK(check_slices(a, slices));
  SPRESS_CHECK(check_windows(a));
  return checks::stretches(
      a, slices * a.c, [&](std::uint64_t i) { return stretch(a, i); }, a.nnz);
}

}  // namespace spress
