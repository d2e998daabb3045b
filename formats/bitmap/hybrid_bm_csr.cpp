#include "formats/bitmap/hybrid_bm_csr.hpp"

#include <algorithm>
#include <bit>

#include "formats/bitmap/bitmap_blocks.hpp"
#include "formats/csr/opt_csr_columns.hpp"

namespace spress {
namespace {

template <class Part>
Status check_part(std::string_view name, const HybridBmCsr<Viewed>& a, const Part& part) {
  const std::uint64_t rows = part.nnz == 0 ? 0 : a.rows;
  if (part.rows == rows && part.cols == a.cols) return Ok{};
  return checks::damaged("part " + std::string(name) + " is of " + std::to_string(part.rows) + " x " +
                         std::to_string(part.cols) + ", expected " + std::to_string(rows) + " x " +
                         std::to_string(a.cols));
}

bool has_block(const BmSparseCsr<Viewed>& bm, std::uint64_t block_row, std::uint64_t block_col) {
  if (bm.rows == 0) return false;
  const std::uint32_t* cols = bm.block_col.data();
  return std::binary_search(cols + bm.block_row_ptr.position(block_row),
                            cols + bm.block_row_ptr.position(block_row + 1), block_col);
}

/// No entry of the rest lies where a dense block is: else an entry could stand in both parts.
Status check_apart(const HybridBmCsr<Viewed>& a) {
  std::int64_t broken = -1;
  const bool apart = for_each_column(a.csr, [&](std::int64_t row, std::int64_t col, std::int64_t) {
    broken = row;
    return !has_block(a.bm, static_cast<std::uint64_t>(row) / bitmap_side,
                      static_cast<std::uint64_t>(col) / bitmap_side);
  });
  if (apart) return Ok{};
  return checks::damaged("part csr holds an entry of row " + std::to_string(broken) + " in a dense block");
}

}  // namespace

Status validate(const HybridBmCsr<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.nnz));
  if (a.threshold < 1 || a.threshold > a.none_dense) return checks::damaged("threshold must be 1 to 65");
  if (a.bm.nnz > a.nnz || a.csr.nnz != a.nnz - a.bm.nnz)
    return checks::damaged("the parts hold " + std::to_string(a.bm.nnz) + " and " + std::to_string(a.csr.nnz) +
                           " entries, expected " + std::to_string(a.nnz) + " together");
  SPRESS_CHECK(check_part("bm", a, a.bm));
  SPRESS_CHECK(check_part("csr", a, a.csr));
  SPRESS_CHECK(validate(dense_part(a)));
  SPRESS_CHECK(validate(scattered_part(a)));
  for (std::uint64_t b = 0; b < a.bm.blocks; ++b)
    if (static_cast<std::uint32_t>(std::popcount(a.bm.bitmaps[b])) < a.threshold)
      return checks::damaged("block " + std::to_string(b) + " holds fewer entries than the threshold");
  return check_apart(a);
}

}  // namespace spress
