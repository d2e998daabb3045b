// The 8x8 blocks that hold at least one entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "formats/csr/csr.hpp"

namespace spress::analyze {

struct BlockStatistics {
  std::uint64_t count = 0;
  double nnz_per_block = 0;  ///< 0 where there are no blocks
};

/// The statistics of `count` blocks with nnz entries.
[[nodiscard]] constexpr BlockStatistics block_statistics(std::uint64_t count, std::uint64_t nnz) {
  return {count, count == 0 ? 0 : static_cast<double>(nnz) / static_cast<double>(count)};
}

/// Complexity: nnz + 8 * blocks.
[[nodiscard]] BlockStatistics blocks_8x8(const Csr<Viewed>& a, int threads = 0);

/// Calls use(block_col, bitmap) for each occupied block of rows 8*block_row .. 8*block_row + 7, by ascending column.
/// Bit 8*i + j of the bitmap is row i, column j of the block.
template <class Use>
void for_each_block(const Csr<Viewed>& a, std::uint64_t block_row, Use&& use) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t first = block_row * 8, height = std::min<std::uint64_t>(8, a.rows - first);
  const std::uint32_t* at[8];
  const std::uint32_t* end[8];
  std::uint32_t head[8];  // block column of each row's next entry
  std::uint32_t next = none;
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    for (std::uint64_t i = 0; i < height; ++i) {
      at[i] = a.col_idx.data() + row_ptr[first + i];
      end[i] = a.col_idx.data() + row_ptr[first + i + 1];
    }
  });
  for (std::uint64_t i = 0; i < height; ++i) {
    head[i] = at[i] == end[i] ? none : *at[i] / 8;
    next = std::min(next, head[i]);
  }
  while (next != none) {
    const std::uint32_t block_col = next;
    std::uint64_t bitmap = 0;
    next = none;
    for (std::uint64_t i = 0; i < height; ++i) {
      if (head[i] == block_col) {
        for (; at[i] != end[i] && *at[i] / 8 == block_col; ++at[i]) bitmap |= std::uint64_t{1} << (8 * i + *at[i] % 8);
        head[i] = at[i] == end[i] ? none : *at[i] / 8;
      }
      next = std::min(next, head[i]);
    }
    use(block_col, bitmap);
  }
}

}  // namespace spress::analyze
