#include "formats/opt_csr.hpp"

#include "formats/checks.hpp"

namespace spress {
namespace {

/// Undoes the codes of one section and checks that each row's columns ascend inside the matrix.
template <class Code>
Status validate_section(const OptCsr<Viewed>& a, std::uint64_t begin, std::uint64_t end, const Code* codes) {
  using Signed = std::make_signed_t<Code>;
  const std::uint64_t base = a.row_ptr.position(begin);
  for (std::uint64_t i = begin; i < end; ++i) {
    const auto row = static_cast<std::int64_t>(a.row_perm.empty() ? i : a.row_perm[i]);
    std::int64_t previous = -1;
    for (std::uint64_t k = a.row_ptr.position(i); k < a.row_ptr.position(i + 1); ++k) {
      const Code code = codes[k - base];
      const bool first = k == a.row_ptr.position(i);
      std::int64_t col;
      if (a.index == IndexMode::diagonal || (first && a.index == IndexMode::anchored))
        col = row + static_cast<Signed>(code);
      else
        col = first ? static_cast<std::int64_t>(a.first_col[i]) : previous + static_cast<std::int64_t>(code);
      if (col <= previous || col >= static_cast<std::int64_t>(a.cols))
        return checks::damaged("the codes of row " + std::to_string(row) + " leave the matrix or do not ascend");
      previous = col;
    }
  }
  return Ok{};
}

}  // namespace

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
  SPRESS_CHECK(validate_section(a, row_at(0), row_at(1), a.col8.data()));
  SPRESS_CHECK(validate_section(a, row_at(1), row_at(2), a.col16.data()));
  return validate_section(a, row_at(2), row_at(3), a.col32.data());
}

}  // namespace spress
