#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Blocked compressed COO, as the library yaSpMV has it: the blocks of bsr, in the order of their block rows, each with
/// the 16-bit difference of its block column to that of the block before, and one bit that says whether its block row
/// ends with it. There are no row pointers.
///
/// Blocks are dealt out in groups of 512, which a warp of a GPU multiplies. Lane l of a group takes `steps`
/// neighbouring blocks, from block l * steps of the group on: 16, and as few as hold them all in the last group. Their
/// values stand step by step, for coalesced loads: value s of the block (that of row s % r and column s / r) which lane
/// l takes in step t stands in value slot group_slot + (t * r * c + s) * 32 + l. Slots of lanes without a block are
/// padding.
///
/// The first block column of a group is given as it is. A difference that 16 bits do not hold has `far_mark` in its
/// place and stands in `far`, modulo 2^32. Block rows without a block have no bits: `block_row` lists those with
/// blocks, and is left out where all have some.
///
/// Zero filling is that of bsr.
///
/// Source: Nagasaka et al. compare with it (their BCCOO); the format is by Yan, Li, Zhang, Zhou (2014). The layout of
/// differences too long for 16 bits, and the skipping of rows without blocks, are ours.
template <class Storage = Owned>
struct Yaspmv {
  static constexpr std::string_view name = "yaspmv";
  static constexpr std::string_view summary = "blocks in COO order, 16-bit column differences, a bit where a row ends";
  static constexpr bool slow_product = true;  ///< blocks come one after another, values lie for a GPU's warps

  static constexpr std::uint32_t largest_side = 4;
  static constexpr std::uint64_t lanes = 32, most_steps = 16, group = lanes * most_steps;
  static constexpr std::uint16_t far_mark = 0x8000;

  struct Params {
    AutoNumber r = std::nullopt, c = std::nullopt;
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("r", r, "rows per block, 1 to 4, or auto: about the fewest bytes");
      visit.option("c", c, "columns per block, 1 to 4, or auto");
    }
  };

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint32_t r = 1, c = 1;
  std::uint64_t blocks = 0;
  Array<Storage, std::uint32_t> first_col;  // groups: block column of the first block
  Array<Storage, std::uint32_t> first_row;  // groups: its place among the block rows with blocks
  Positions<Storage> far_start;             // groups + 1, into far
  Array<Storage, std::uint16_t> col_diff;   // blocks; 0 for the first of a group
  Array<Storage, std::uint32_t> far;        // differences that col_diff does not hold
  Array<Storage, std::uint32_t> row_end;    // a bit per block (bit i % 32 of word i / 32)
  Array<Storage, std::uint32_t> block_row;  // block rows with blocks, ascending; or empty: all
  Array<Storage, std::uint32_t> present;    // a bit per value slot, or empty: every one that is no padding
  ValueStore<Storage> values;               // slots()

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("r", self.r...);
    visit.scalar("c", self.c...);
    visit.scalar("blocks", self.blocks...);
    visit.array({"first_col", Role::index}, self.first_col...);
    visit.array({"first_row", Role::index}, self.first_row...);
    visit.array({"far_start", Role::pointer}, self.far_start...);
    visit.array({"col_diff", Role::index}, self.col_diff...);
    visit.array({"far", Role::index}, self.far...);
    visit.array({"row_end", Role::pointer}, self.row_end...);
    visit.array({"block_row", Role::index}, self.block_row...);
    visit.array({"present", Role::index}, self.present...);
    visit.store(self.values...);
  }

  [[nodiscard]] static constexpr std::uint64_t groups_of(std::uint64_t blocks) { return (blocks + group - 1) / group; }
  /// Steps of the group that begins with block `first`.
  [[nodiscard]] static constexpr std::uint64_t steps_of(std::uint64_t blocks, std::uint64_t first) {
    return std::min(most_steps, (blocks - first + lanes - 1) / lanes);
  }
  /// Value slots of so many blocks, each of `of_block`.
  [[nodiscard]] static constexpr std::uint64_t slots_of(std::uint64_t blocks, std::uint64_t of_block) {
    if (blocks == 0) return 0;
    const std::uint64_t last = (groups_of(blocks) - 1) * group;
    return (last + steps_of(blocks, last) * lanes) * of_block;
  }

  [[nodiscard]] std::uint64_t groups() const { return groups_of(blocks); }
  [[nodiscard]] std::uint64_t slots_of_block() const { return std::uint64_t{r} * c; }
  [[nodiscard]] std::uint64_t slots() const { return slots_of(blocks, slots_of_block()); }
  /// The value slot of value 0 of block b; value s stands 32 * s slots behind it.
  [[nodiscard]] std::uint64_t first_slot(std::uint64_t b) const {
    const std::uint64_t begin = b / group * group, steps = steps_of(blocks, begin), place = b - begin;
    if (steps == most_steps) return (begin + place % most_steps * lanes) * slots_of_block() + place / most_steps;
    return (begin + place % steps * lanes) * slots_of_block() + place / steps;
  }
  [[nodiscard]] bool ends_row(std::uint64_t b) const { return (row_end[b / 32] >> b % 32 & 1) != 0; }
  [[nodiscard]] bool has_entry(std::uint64_t slot) const {
    return present.empty() || (present[slot / 32] >> slot % 32 & 1) != 0;
  }
  /// Block row h of those with blocks.
  [[nodiscard]] std::uint64_t block_row_at(std::uint64_t h) const { return block_row.empty() ? h : block_row[h]; }
};

/// Calls use(h, b, column) for the blocks of those block rows that begin in groups [first, last), in their order: block
/// b lies in block row h of those with blocks, in that block column. Requires: validate(f) holds, first < last <=
/// groups.
template <class Use>
[[gnu::always_inline]] inline void for_each_block(const Yaspmv<Viewed>& f, std::uint64_t first, std::uint64_t last,
                                                  Use&& use) {
  using F = Yaspmv<Viewed>;
  const std::uint64_t behind = last * F::group;
  bool mine = first == 0 || f.ends_row(first * F::group - 1);
  for (std::uint64_t g = first; g < f.groups() && (mine || g < last); ++g) {
    std::uint64_t h = f.first_row[g], far = f.far_start.position(g);
    std::uint32_t column = f.first_col[g];
    for (std::uint64_t b = g * F::group; b < std::min(f.blocks, (g + 1) * F::group); ++b) {
      const std::uint16_t difference = f.col_diff[b];
      column +=
          difference == F::far_mark ? f.far[far++] : static_cast<std::uint32_t>(static_cast<std::int16_t>(difference));
      if (mine) use(h, b, column);
      if (!f.ends_row(b)) continue;
      if (b + 1 >= behind) return;
      mine = true;
      ++h;
    }
  }
}

[[nodiscard]] Status validate(const Yaspmv<Viewed>& a);

}  // namespace spress
