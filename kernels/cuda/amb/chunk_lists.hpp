// What the warps of a product take of an amb: pieces of long chunks, or stretches of short ones. On the host.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/amb/amb.hpp"

namespace spress::cuda::amb {

/// Steps of one chunk that a warp takes at most: a chunk with a row of many entries is shared by several.
inline constexpr std::uint32_t piece_steps = 256;
/// Steps of several chunks that a warp takes at most. Chunks that are shorter than short_chunk bytes on average are put
/// together, where their blocks are small.
inline constexpr std::uint32_t stretch_steps = 32, short_chunk = 2048, small_block = 3;

/// Steps [first, last) of a chunk.
struct alignas(16) ChunkPiece {
  std::uint64_t chunk;
  std::uint32_t first, last;
};

/// Whole chunks of one segment, one behind the other, or steps of one long chunk.
struct ChunkStretch {
  std::uint64_t step, chunk;  // the first of each
  std::uint32_t steps;
  std::uint32_t column;  // first column of the segment
};

/// Pieces of all chunks, or none where no chunk is long.
[[nodiscard]] std::vector<ChunkPiece> cut_long_chunks(const Amb<Viewed>& host);

/// Short chunks are put together, long ones cut.
[[nodiscard]] std::vector<ChunkStretch> join_short_chunks(const Amb<Viewed>& host);

/// In how many pieces the entries of a row are at most; 3 stands for more than that as well.
[[nodiscard]] unsigned most_pieces_of_a_row(const Amb<Viewed>& host);

}  // namespace spress::cuda::amb
