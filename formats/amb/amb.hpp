#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// The column from which the column ids of an amb count.
enum class ColumnBase : std::uint8_t { segment, step, none };
template <>
struct EnumNames<ColumnBase> {
  static constexpr std::array<std::string_view, 3> names = {"segment", "step", "none"};
};

/// The measure by which all segments of an amb are alike.
enum class EqualSegments : std::uint8_t { columns, entries };
template <>
struct EnumNames<EqualSegments> {
  static constexpr std::array<std::string_view, 2> names = {"columns", "entries"};
};

/// Adaptive multi-level blocking. Columns are cut into segments of `segment` columns; each segment is a SELL-32-sigma:
/// in every window of `sigma` rows the rows are sorted by their number of blocks, falling, ties in the order of the
/// rows, and cut into chunks of 32, each padded to its longest row; chunks without entries are dropped. A block is
/// `block` contiguous columns of a row under one column id. Blocks are laid greedily from a row's first entry in the
/// segment; one that would reach over the end of the segment begins as far left as it must, so that a kernel never
/// reads x outside. Source: Nagasaka, Nukada, Matsuoka, "Adaptive multi-level blocking" (C = 32, sigma <= 32768,
/// segments of fewer than 65536 columns, blocks of 1 to 10).
///
/// Chunks stand in the order of their segments, then windows. Chunk c has chunk_length[c] & 0xFFFF steps of 32 block
/// slots (lanes), from slot chunk_start[c] on; lane j is row window[c] * sigma + perm[32 * c + j]. Block slot s in lane
/// j has its value of column offset t at value slot (s - j) * block + 32 * t + j: lanes side by side throughout.
///
/// Zero filling. A value slot inside a block without an entry holds code 0 and is multiplied, as in the paper, where
/// code 0 is the number 0 (raw, narrow): an infinite or NaN element of x next to an entry then makes the row NaN. For
/// decoding bit for bit, `present` has one bit per value slot; it counts as index bytes (block / 8 bytes per block, not
/// in the paper) and is left out where every block is full. The products of other stores go by these bits.
///
/// A column id is 16 bits from the first column of its segment, as in the paper (ColumnBase::segment). Two layouts
/// differ:
///
/// step_col holds a first column for each step: 16-bit ids count from there, and the matrix is one segment, so that
/// rows stay whole. A lane whose next block is too far away for a step has no block there and goes on later.
///
/// wide_col holds 32-bit ids from column 0 in place of block_col. Segments may then have any width: this is segmented
/// SELL-C-sigma, or non-uniformly segmented SELL-C-sigma if the segments are not equally wide.
///
/// The permutation is always held: the rows of a chunk do not follow from its number, since empty chunks are dropped.
template <class Storage = Owned>
struct Amb {
  static constexpr std::string_view name = "amb";
  static constexpr std::string_view summary = "column segments of 32-row chunks, 16-bit ids for blocks of columns";

  static constexpr std::uint32_t lanes = 32, largest_segment = 65535, largest_sigma = 32768, largest_block = 10;
  static constexpr std::uint16_t no_block = 0xFFFF;  ///< the id of a padding slot: no segment has such a column
  static constexpr std::uint32_t no_wide_block = 0xFFFFFFFF;  ///< the same in wide_col
  static constexpr std::uint64_t no_column = ~std::uint64_t{0};
  static constexpr std::uint16_t no_row = 0xFFFF;  ///< in perm: a lane behind the last row of the matrix

  struct Params {
    AutoNumber block = std::nullopt, segment = std::nullopt;
    std::uint32_t sigma = largest_sigma;
    ColumnBase base = ColumnBase::segment;
    EqualSegments equal = EqualSegments::columns;
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("block", block, "columns per block, 1 to 10, or auto: least traffic by the paper's model");
      visit.option("segment", segment, "columns per segment, or auto: least traffic; at most 65535 unless base=none");
      visit.option("sigma", sigma, "rows per sorting window, a multiple of 32, at most 32768");
      visit.option("base", base, "16-bit columns from that of the segment or of the step, or none: 32-bit columns");
      visit.option("equal", equal, "what segments have equally many of; entries: with 32-bit columns, as base=none");
    }
  };

  std::uint64_t rows = 0, cols = 0, nnz = 0;
  std::uint32_t block = 1, segment = 1, sigma = lanes;
  std::uint64_t chunks = 0, blocks = 0;        // blocks: those that are no padding
  std::uint64_t used_lanes = 0;                // lanes of all chunks that are rows
  Positions<Storage> chunk_start;              // chunks + 1, in block slots
  Array<Storage, std::uint32_t> chunk_length;  // chunks: steps in the lower half, segment in the upper
  Array<Storage, std::uint16_t> window;        // chunks
  Array<Storage, std::uint16_t> perm;          // 32 * chunks: rows within the window
  Array<Storage, std::uint16_t> block_col;     // block slots: first column from the base, or no_block
  Array<Storage, std::uint32_t> step_col;      // block slots / 32: the base of each step, or empty: the segment's
  Array<Storage, std::uint32_t> wide_col;      // block slots: first column, or no_wide_block; then no block_col
  Array<Storage, std::uint32_t> present;       // a bit per value slot (bit i % 32 of word i / 32), or empty: all
  ValueStore<Storage> values;                  // block slots * block

  template <class Visitor, class... Self>
  static void describe(Visitor& visit, Self&... self) {
    const auto& f = std::get<0>(std::tie(self...));
    visit.scalar("rows", self.rows...);
    visit.scalar("cols", self.cols...);
    visit.scalar("nnz", self.nnz...);
    visit.scalar("block", self.block...);
    visit.scalar("segment", self.segment...);
    visit.scalar("sigma", self.sigma...);
    visit.scalar("chunks", self.chunks...);
    visit.scalar("blocks", self.blocks...);
    visit.scalar("used_lanes", self.used_lanes...);
    visit.array({"chunk_start", Role::pointer}, self.chunk_start...);
    visit.array({"chunk_length", Role::pointer}, self.chunk_length...);
    visit.array({"window", Role::permutation}, self.window...);
    visit.array({"perm", Role::permutation, lanes * f.chunks - f.used_lanes}, self.perm...);
    visit.array({"block_col", Role::index, f.block_col.empty() ? 0 : f.block_col.size() - f.blocks}, self.block_col...);
    visit.array({.name = "step_col", .role = Role::index, .optional = true}, self.step_col...);
    visit.array({.name = "wide_col",
                 .role = Role::index,
                 .padding = f.wide_col.empty() ? 0 : f.wide_col.size() - f.blocks,
                 .optional = true},
                self.wide_col...);
    visit.array({"present", Role::index}, self.present...);
    visit.store(self.values...);
  }

  [[nodiscard]] std::uint32_t steps(std::uint64_t c) const { return chunk_length[c] & 0xFFFFu; }
  [[nodiscard]] std::uint64_t slots() const { return block_col.size() + wide_col.size(); }
  [[nodiscard]] ColumnBase base() const {
    return !step_col.empty() ? ColumnBase::step : wide_col.empty() ? ColumnBase::segment : ColumnBase::none;
  }
  /// The column from which the ids of chunk c count, but for the base of each step.
  [[nodiscard]] std::uint64_t first_col(std::uint64_t c) const {
    return base() == ColumnBase::segment ? std::uint64_t{chunk_length[c] >> 16} * segment : 0;
  }
  /// The first column of the block in a slot of chunk c, or no_column.
  [[nodiscard]] std::uint64_t column(std::uint64_t c, std::uint64_t slot) const {
    if (!wide_col.empty()) return wide_col[slot] == no_wide_block ? no_column : wide_col[slot];
    if (block_col[slot] == no_block) return no_column;
    return block_col[slot] + (step_col.empty() ? first_col(c) : step_col[slot / lanes]);
  }
  [[nodiscard]] std::uint64_t first_row(std::uint64_t c) const { return std::uint64_t{window[c]} * sigma; }
  /// Which of the 32 value slots from `first` on hold an entry, if all blocks there are `blocks_there`.
  [[nodiscard]] std::uint32_t present_at(std::uint64_t first, std::uint32_t blocks_there) const {
    return present.empty() ? blocks_there : present[first / lanes];
  }
};

/// Calls use(first, last) for the chunks of each segment that has any, segment after segment. The rows of a segment's
/// chunks are all different.
template <class Storage, class Use>
void for_each_segment(const Amb<Storage>& f, Use&& use) {
  for (std::uint64_t first = 0; first < f.chunks;) {
    const std::uint32_t segment = f.chunk_length[first] >> 16;
    const auto* behind = std::partition_point(f.chunk_length.data() + first, f.chunk_length.data() + f.chunks,
                                              [&](std::uint32_t length) { return length >> 16 == segment; });
    const auto last = static_cast<std::uint64_t>(behind - f.chunk_length.data());
    use(first, last);
    first = last;
  }
}

[[nodiscard]] Status validate(const Amb<Viewed>& a);

}  // namespace spress
