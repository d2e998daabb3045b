#pragma once

#include <cstdint>
#include <string_view>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Bitmap blocks as `bmsparse`, with the blocks of each block row found by pointers: 12 bytes a block instead of 16.
/// Source: suggested by Freire et al. 2024, section 5.3, without a formula; the model here is ours.
template <class Storage = Owned>
struct BmSparseCsr {
  static constexpr std::string_view name = "bmsparse-csr";
  static constexpr std::string_view summary = "8x8 blocks by block row: pointers, 32-bit block column, 64-bit bitmap";
  static constexpr bool slow_product = true;  ///< blocks are expanded bit by bit; see pacing_formats
  static constexpr bool sized_by_panels = true;
  using Params = NoParams;

  std::uint64_t rows = 0, cols = 0, nnz = 0, blocks = 0;
  Positions<Storage> block_row_ptr;         // block rows + 1, block rows = ceil(rows / 8)
  Array<Storage, std::uint32_t> block_col;  // blocks, ascending within a block row
  Array<Storage, std::uint64_t> bitmaps;    // blocks, bits as in bmsparse
  Positions<Storage> offsets;               // blocks + 1: where a block's values begin
  ValueStore<Storage> values;               // nnz, block by block, row-major within a block

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("blocks", self.blocks...);
    visit.array({"block_row_ptr", Role::pointer}, self.block_row_ptr...);
    visit.array({"block_col", Role::index}, self.block_col...);
    visit.array({"bitmaps", Role::index}, self.bitmaps...);
    visit.array({"offsets", Role::pointer}, self.offsets...);
    visit.store(self.values...);
  }
};

[[nodiscard]] Status validate(const BmSparseCsr<Viewed>& a);

}  // namespace spress
