// A bccoo-gpu cut into pieces, one for each turn of a warp. On the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/coo/bccoo_gpu.hpp"

namespace spress::cuda {

/// What one warp takes: entries of a chunk, or of a chunk and the next one where both are coded alike: their tuples
/// lie behind one another. Pieces end with rows, unless a row is longer than a piece.
struct alignas(16) TuplePiece {
  std::uint64_t begin;        // of its tuples in data
  std::uint32_t first_row;    // of its first entry
  std::uint32_t next_row;     // of the next piece's first entry; behind the last piece the rows of the matrix
  std::uint32_t column;       // of the first entry's chunk
  std::uint32_t next_column;  // of the chunk behind that one
  std::uint16_t entries;
  std::uint16_t here;             // entries of the first entry's chunk
  std::uint8_t next_chunk_row;    // of the chunk behind that one, counted from first_row
  std::uint8_t rows_less_one;     // from the row of the first entry to that of the last
  std::uint8_t lane_bits;         // as many lanes take a row
  std::uint8_t format_and_begun;  // the chunk's format, and begun_bit if the row of the first entry begins before
};
inline constexpr unsigned begun_bit = 8;
inline constexpr std::uint32_t piece_rows = 256;  // at most
static_assert(piece_rows <= 256);                 // rows_less_one has a byte

[[nodiscard]] constexpr std::uint8_t format_of(const TuplePiece& piece) {
  return piece.format_and_begun & (begun_bit - 1);
}

/// The pieces of a matrix, in order. most: entries of a piece. Where all but few pieces are smaller than that, those
/// few are cut smaller, too: then more warps have room. width: bytes of a value, 0, 4 or 8.
template <std::size_t width>
[[nodiscard]] std::vector<TuplePiece> cut_into_pieces(const BccooGpu<Viewed>& host, std::uint32_t most);

}  // namespace spress::cuda
