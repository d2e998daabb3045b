#include "formats/csr/transpose.hpp"

#include <algorithm>
#include <numeric>

namespace spress {
namespace {

/// Row pointers of the transpose, as 64-bit numbers.
HostArray<std::uint64_t> column_begins(const Csr<Viewed>& a) {
  HostArray<std::uint64_t> begins(a.cols + 1, 0);
  for (const std::uint32_t col : a.col_idx) ++begins[col + std::size_t{1}];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

}  // namespace

Csr<Owned> transpose(const Csr<Viewed>& a) {
  Csr<Owned> out;
  out.rows = a.cols;
  out.cols = a.rows;
  out.nnz = a.nnz;
  auto next = column_begins(a);
  out.row_ptr = Positions<Owned>(position_type(a.nnz), a.cols + 1);
  fill_positions(out.row_ptr, [&](auto* to) { std::copy(next.begin(), next.end(), to); });
  out.col_idx = HostArray<std::uint32_t>(a.nnz);
  out.values = empty_like(a.values, a.nnz);
  HostArray<std::uint64_t> from(a.nnz);  // the place in `a` of each entry
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    for (std::uint64_t r = 0; r < a.rows; ++r)
      for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
        const std::uint64_t at = next[a.col_idx[k]]++;
        out.col_idx[at] = static_cast<std::uint32_t>(r);
        from[at] = k;
      }
  });
  permute_codes(out.values, a.values, [&](auto* to, const auto* codes) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t at = 0; at < a.nnz; ++at) to[at] = codes[from[at]];
  });
  return out;
}

}  // namespace spress
