#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "formats/core/description.hpp"
#include "formats/core/params.hpp"
#include "formats/values/values.hpp"

namespace spress {

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
/// The permutation is always held: the rows of a chunk do not follow from its number, since empty chunks are dropped.
template <class Storage = Owned>
struct Amb {
  static constexpr std::string_view name = "amb";
  static constexpr std::string_view summary = "column segments of 32-row chunks, 16-bit ids for blocks of columns";

  static constexpr std::uint32_t lanes = 32, largest_segment = 65535, largest_sigma = 32768, largest_block = 10;
  static constexpr std::uint16_t no_block = 0xFFFF;  ///< the id of a padding slot: no segment has such a column
  static constexpr std::uint16_t no_row = 0xFFFF;    ///< in perm: a lane behind the last row of the matrix

  struct Params {
    AutoNumber block = std::nullopt, segment = std::nullopt;
    std::uint32_t sigma = largest_sigma;
    template <class Visitor>
    void describe(Visitor& visit) {
      visit.option("block", block, "columns per block, 1 to 10, or auto: least traffic by the paper's model");
      visit.option("segment", segment, "columns per segment, at most 65535, or auto: least traffic");
      visit.option("sigma", sigma, "rows per sorting window, a multiple of 32, at most 32768");
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
  Array<Storage, std::uint16_t> block_col;     // block slots: first column within the segment, or no_block
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
    visit.array({"block_col", Role::index, f.block_col.size() - f.blocks}, self.block_col...);
    visit.array({"present", Role::index}, self.present...);
    visit.store(self.values...);
  }

  [[nodiscard]] std::uint32_t steps(std::uint64_t c) const { return chunk_length[c] & 0xFFFFu; }
  [[nodiscard]] std::uint64_t first_col(std::uint64_t c) const {
    return std::uint64_t{chunk_length[c] >> 16} * segment;
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
