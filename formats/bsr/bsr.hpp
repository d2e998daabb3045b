#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Block sparse rows: dense blocks of r rows and c columns, of which the first row is a multiple of r, the first column
/// one of c. Block row i has blocks block_ptr[i] .. block_ptr[i + 1] - 1, block b the columns from c * block_col[b] on.
/// The values of a block stand column by column: that of row i and column j of block b in value slot r * c * b + r * j
/// + i. Blocks may reach over the last row and column of the matrix.
///
/// Zero filling. A value slot without an entry holds code 0 and is multiplied where code 0 is the number 0 (raw,
/// narrow), as in every BSR: an infinite or NaN element of x next to an entry then makes the row NaN. For decoding bit
/// for bit, `present` has one bit per value slot; it counts as index bytes and is left out where every block is full.
/// The products of other stores go by these bits.
template <class Storage = Owned>
struct Bsr {
  static constexpr std::string_view name = "bsr";
  static constexpr std::string_view summary = "dense blocks of r x c entries under one column id";

  static constexpr std::uint32_t largest_side = 8;

  struct Params {
    AutoNumber r = std::nullopt, c = std::nullopt;
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("r", r, "rows per block, 1 to 8, or auto: about the fewest bytes of r and c from 2 to 8");
      visit.option("c", c, "columns per block, 1 to 8, or auto");
    }
  };

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint32_t r = 1, c = 1;
  std::uint64_t blocks = 0;
  Positions<Storage> block_ptr;             // block rows + 1
  Array<Storage, std::uint32_t> block_col;  // blocks: first column over c
  Array<Storage, std::uint32_t> present;    // a bit per value slot (bit i % 32 of word i / 32), or empty: all
  ValueStore<Storage> values;               // blocks * r * c

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("r", self.r...);
    visit.scalar("c", self.c...);
    visit.scalar("blocks", self.blocks...);
    visit.array({"block_ptr", Role::pointer}, self.block_ptr...);
    visit.array({"block_col", Role::index}, self.block_col...);
    visit.array({"present", Role::index}, self.present...);
    visit.store(self.values...);
  }

  [[nodiscard]] std::uint64_t block_rows() const { return (rows + r - 1) / r; }
  [[nodiscard]] std::uint32_t slots_of_block() const { return r * c; }
  [[nodiscard]] bool has_entry(std::uint64_t slot) const {
    return present.empty() || (present[slot / 32] >> slot % 32 & 1) != 0;
  }
};

[[nodiscard]] Status validate(const Bsr<Viewed>& a);

}  // namespace spress
