#include "formats/bitmap/bmsparse_csr.hpp"

#include "formats/bitmap/bitmap_blocks.hpp"

namespace spress {

Status validate(const BmSparseCsr<Viewed>& a) {
  SPRESS_CHECK(checks::shape(a.rows, a.cols, a.values, a.nnz));
  SPRESS_CHECK(checks::length("block_col", a.block_col.size(), a.blocks));
  SPRESS_CHECK(checks::length("bitmaps", a.bitmaps.size(), a.blocks));
  SPRESS_CHECK(checks::monotone("block_row_ptr", a.block_row_ptr, block_rows_of(a.rows) + 1, a.blocks));
  SPRESS_CHECK(checks::monotone("offsets", a.offsets, a.blocks + 1, a.nnz));
  return with_positions(a.block_row_ptr, [&](const auto* ptr) -> Status {
    for (std::uint64_t i = 0; i < block_rows_of(a.rows); ++i)
      for (std::uint64_t b = ptr[i]; b < ptr[i + 1]; ++b) {
        if (b > ptr[i] && a.block_col[b] <= a.block_col[b - 1])
          return checks::damaged("block_col does not ascend at block " + std::to_string(b));
        SPRESS_CHECK(checks::bitmap_block(a, b, i, a.block_col[b]));
      }
    return Ok{};
  });
}

}  // namespace spress
