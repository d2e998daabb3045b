#pragma once

#include <cstdint>
#include <string_view>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Bitmap blocks: every 8x8 block that holds an entry is a 64-bit key and a 64-bit bitmap.
/// Blocks are sorted by block row, then block column. Bit 8*i + j of a bitmap (the lowest is bit 0) is row i, column j
/// of the block. Source: Zhang and Gruenwald 2018, as described by Freire et al. 2024, section 5.
template <class Storage = Owned>
struct BmSparse {
  static constexpr std::string_view name = "bmsparse";
  static constexpr std::string_view summary = "8x8 blocks: 64-bit key, 64-bit bitmap, start of its values";
  static constexpr bool slow_product = true;  ///< blocks are expanded bit by bit; see pacing_formats
  static constexpr bool sized_by_panels = true;
  using Params = NoParams;

  std::uint64_t rows = 0, cols = 0, nnz = 0, blocks = 0;
  Array<Storage, std::uint64_t> keys;     // blocks: block row in the upper, block column in the lower 32 bits
  Array<Storage, std::uint64_t> bitmaps;  // blocks
  Positions<Storage> offsets;             // blocks + 1: where a block's values begin
  ValueStore<Storage> values;             // nnz, block by block, row-major within a block

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("blocks", self.blocks...);
    visit.array({"keys", Role::index}, self.keys...);
    visit.array({"bitmaps", Role::index}, self.bitmaps...);
    visit.array({"offsets", Role::pointer}, self.offsets...);
    visit.store(self.values...);
  }
};

[[nodiscard]] Status validate(const BmSparse<Viewed>& a);

}  // namespace spress
