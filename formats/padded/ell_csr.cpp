#include "formats/padded/ell_csr.hpp"

#include "formats/core/checks.hpp"

namespace spress {
namespace {

Status check_scalars(const EllCsr<Viewed>& a) {
  const auto expect = [](bool good, std::string_view what, std::uint64_t value) -> Status {
    if (good) return Ok{};
    return checks::damaged(std::string(what) + " is " + std::to_string(value));
  };
  SPRESS_CHECK(expect(a.threshold >= 1 && a.threshold <= a.long_row, "threshold", a.threshold));
  SPRESS_CHECK(expect(a.per_thread >= 1 && a.per_thread <= a.most_per_thread, "per_thread", a.per_thread));
  SPRESS_CHECK(expect(a.ell_rows <= a.rows, "ell_rows", a.ell_rows));
  return expect(a.ell_slots <= a.col_idx.size(), "ell_slots", a.ell_slots);
}

Status check_ell_warps(const EllCsr<Viewed>& a) {
  const std::uint64_t warps = a.warp_width.size();
  SPRESS_CHECK(checks::monotone("warp_row", a.warp_row, warps + 1, a.ell_rows));
  SPRESS_CHECK(checks::monotone("warp_start", a.warp_start, warps + 1, a.ell_slots));
  for (std::uint64_t w = 0; w < warps; ++w) {
    const EllWarp warp = ell_warp(a, w);
    if (a.warp_width[w] >= a.threshold || warp.rows == 0 || warp.lanes() > a.warp_size ||
        a.warp_start.position(w + 1) - a.warp_start.position(w) != warp.slots())
      return checks::damaged("warp_row, warp_start and warp_width do not fit together at warp " + std::to_string(w));
  }
  return Ok{};
}

/// The pieces of the CSR part are not empty and not longer than L may be, and no row is left out.
Status check_csr_warps(const EllCsr<Viewed>& a) {
  const std::uint64_t warps = a.csr_warp_row.size(), csr_rows = a.rows - a.ell_rows;
  SPRESS_CHECK(checks::monotone("csr_warp_start", a.csr_warp_start, warps + 1, a.col_idx.size() - a.ell_slots));
  std::uint64_t next = 0;  // the first row not met yet
  for (std::uint64_t p = 0; p < warps; ++p) {
    const std::uint64_t entries = a.csr_warp_start.position(p + 1) - a.csr_warp_start.position(p);
    const bool begins = a.csr_warp_row[p] == next, goes_on = p != 0 && a.csr_warp_row[p] + 1 == next;
    next += begins;
    if (!(begins || goes_on) || next > csr_rows || entries == 0 || entries > a.most_per_warp)
      return checks::damaged("csr_warp_row, csr_warp_start do not cut the rows at warp " + std::to_string(p));
  }
  return checks::length("the CSR part in rows", next, csr_rows);
}

Status check_csr_columns(const EllCsr<Viewed>& a) {
  for (std::uint64_t p = 0; p < a.csr_warp_row.size(); ++p) {
    const std::uint64_t first = a.csr_warp_start.position(p);
    for (std::uint64_t k = first; k < a.csr_warp_start.position(p + 1); ++k) {
      const std::uint32_t* column = a.col_idx.data() + a.ell_slots + k;
      const bool row_begins = k == first && (p == 0 || a.csr_warp_row[p] != a.csr_warp_row[p - 1]);
      if (*column >= a.cols || (!row_begins && *column <= column[-1]))
        return checks::damaged("col_idx is out of range or does not ascend in row " +
                               std::to_string(a.csr_warp_row[p]) + " of the CSR part");
    }
  }
  return Ok{};
}

}  // namespace

Status validate(const EllCsr<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.col_idx.size()));
  SPRESS_CHECK(check_scalars(a));
  SPRESS_CHECK(checks::permutation("row_perm", a.row_perm, a.rows));
  SPRESS_CHECK(check_ell_warps(a));
  SPRESS_CHECK(check_csr_warps(a));
  const std::uint64_t csr_nnz = a.col_idx.size() - a.ell_slots;
  if (csr_nnz > a.nnz) return checks::damaged("the CSR part holds more than nnz entries");
  SPRESS_CHECK(checks::stretches(
      a, a.warp_width.size() * a.warp_size, [&](std::uint64_t i) { return stretch(a, i); }, a.nnz - csr_nnz));
  return check_csr_columns(a);
}

}  // namespace spress
