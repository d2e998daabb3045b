// Lists what each warp of an amb product takes: pieces of long chunks, or stretches of short ones. On the host.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/amb/amb.hpp"

namespace spress::cuda::amb {

/// The most steps of one chunk that a warp takes: several warps share a longer chunk.
inline constexpr std::uint32_t piece_steps = 256;
/// The most steps of several chunks that a warp takes. Chunks of small blocks are put together where they have fewer
/// than short_chunk bytes on average.
inline constexpr std::uint32_t stretch_steps = 32, short_chunk = 2048, small_block = 3;

/// Steps [first, last) of a chunk.
struct alignas(16) ChunkPiece {
  std::uint64_t chunk;
  std::uint32_t first, last;
};

/// Whole chunks with one base that follow each other, or steps of one long chunk.
struct ChunkStretch {
  std::uint64_t step, chunk;  // the first of each
  std::uint32_t steps;
  std::uint32_t column;  // base of the chunks
};

/// The pieces of all chunks; none where no chunk is long.
[[nodiscard]] std::vector<ChunkPiece> cut_long_chunks(const Amb<Viewed>& host);

/// Puts short chunks together and cuts long ones.
[[nodiscard]] std::vector<ChunkStretch> join_short_chunks(const Amb<Viewed>& host);

/// The most pieces that hold entries of one row; 3 stands for 3 or more.
[[nodiscard]] unsigned most_pieces_of_a_row(const Amb<Viewed>& host);

}  // namespace spress::cuda::amb
