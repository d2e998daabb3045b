// Counts the blocks that the entries of a row take in a segment.
#pragma once

#include <array>
#include <cstdint>

namespace spress::amb {

/// Numbers of blocks by block size less 1. More elements than block sizes, so that they fill vectors.
using Counts = std::array<std::int32_t, 16>;

/// Counts the blocks of n ascending columns for every block size. A block that the end of the segment pushes left
/// covers the same columns. first_col: of the segment.
[[nodiscard]] Counts count_all_blocks(const std::uint32_t* cols, std::uint64_t n, std::uint64_t first_col);

/// Counts the blocks of n ascending columns for one block size.
[[nodiscard]] inline std::uint32_t count_blocks(const std::uint32_t* cols, std::uint64_t n, std::uint32_t block) {
  std::uint32_t count = 0;
  std::uint64_t next = 0;
  for (std::uint64_t k = 0; k < n; ++k)
    if (cols[k] >= next) {
      ++count;
      next = std::uint64_t{cols[k]} + block;
    }
  return count;
}

}  // namespace spress::amb
