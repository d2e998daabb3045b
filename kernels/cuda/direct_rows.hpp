// Rows of a small matrix dealt out so that all its entries are on their way at once: lanes for short rows, a warp for
// each longer one, blocks for the longest.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/array.hpp"

namespace spress::cuda {

inline constexpr unsigned direct_threads = 256;  ///< of a block
/// Entries that a lane has on their way at once, and how often it fetches so many before others had better help.
inline constexpr unsigned direct_batch = 4, direct_rounds = 2;

/// Entries of one row that a block adds up.
struct alignas(16) DirectPiece {
  std::uint64_t entry = 0;    ///< the first
  std::uint32_t entries = 0;  ///< at most those that a block takes in direct_rounds
  std::uint32_t row = 0;
  std::uint32_t first = 0;   ///< of the row's pieces, as a place in the list
  std::uint32_t pieces = 0;  ///< of the row
  std::uint32_t split = 0;   ///< which of the rows with several pieces this is
  std::uint32_t unused = 0;
};
static_assert(sizeof(DirectPiece) == 32);

struct DirectRows {
  unsigned log_lanes = 0;              ///< 2^log_lanes lanes share a row
  std::uint32_t most_by_lanes = 0;     ///< entries of a row that they take
  std::vector<std::uint32_t> by_warp;  ///< rows with more
  std::vector<DirectPiece> by_block;   ///< rows that are too long for a warp, too
  std::uint32_t split_rows = 0;        ///< those with several pieces
};

/// Deals rows [0, rows) out: as many lanes to a row as it has entries in the mean, unless there are fewer than
/// `threads` for all. row_ptr: rows + 1, in host memory. Cost: a pass over the row pointers.
[[nodiscard]] DirectRows deal_directly(const Positions<Viewed>& row_ptr, std::uint64_t rows, std::uint64_t threads);

}  // namespace spress::cuda
