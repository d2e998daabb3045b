// Rows dealt out so that as many entries as may be are on their way at once: lanes for short rows, a warp for each
// longer one, blocks for the longest.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/array.hpp"

namespace spress::cuda {

inline constexpr unsigned direct_threads = 256;  ///< of a block
/// Entries that a lane has on their way at once: it waits as long for one.
inline constexpr unsigned direct_batch = 4;

/// Lanes look no further than this behind the entries that 32 bits count.
inline constexpr std::uint64_t most_direct_entries = (std::uint64_t{1} << 32) - 4096;

/// Entries of one row that a block adds up.
struct DirectPiece {
  std::uint32_t entry = 0;    ///< the first
  std::uint32_t entries = 0;  ///< at most two batches of each thread
  std::uint32_t row = 0;
  std::uint32_t split = 0;   ///< which of the rows with several pieces this is
  std::uint32_t first = 0;   ///< of the row's pieces, as a place in the list
  std::uint32_t pieces = 0;  ///< of the row
};

struct DirectRows {
  unsigned log_lanes = 0;              ///< 2^log_lanes lanes share a row
  std::uint32_t most_by_lanes = 0;     ///< entries of a row that they take: a batch each, or two
  std::vector<std::uint32_t> by_warp;  ///< rows with more, up to a batch of each lane
  std::vector<DirectPiece> by_block;   ///< rows that are too long for a warp, too
  std::uint32_t split_rows = 0;        ///< those with several pieces
};

/// Deals rows [0, rows) out: as many lanes to a row as it has entries in the mean, but all rows together no more than
/// `threads` unless a lane would have more than direct_batch entries then. row_ptr: rows + 1, in host memory.
/// Requires: at most most_direct_entries. Cost: two passes over the row pointers.
[[nodiscard]] DirectRows deal_directly(const Positions<Viewed>& row_ptr, std::uint64_t rows, std::uint64_t threads);

}  // namespace spress::cuda
