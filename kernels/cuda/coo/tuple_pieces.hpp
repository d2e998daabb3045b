// Cuts a bccoo-gpu into pieces, each for one turn of a warp. On the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/coo/bccoo_gpu.hpp"

namespace spress::cuda {

/// The work of one warp: entries of a chunk, or of two neighbouring chunks of the same format, whose tuples follow each
/// other in memory. A piece ends with a row, unless the row is longer than a piece.
struct alignas(16) TuplePiece {
  std::uint64_t begin;        // of its tuples in data
  std::uint32_t first_row;    // of its first entry
  std::uint32_t next_row;     // of the next piece's first entry; in the last piece the rows of the matrix
  std::uint32_t column;       // of the first entry's chunk
  std::uint32_t next_column;  // of the chunk after it
  std::uint16_t entries;
  std::uint16_t here;             // entries of the first entry's chunk
  std::uint8_t next_chunk_row;    // of the chunk after it, counted from first_row
  std::uint8_t rows_less_one;     // from the row of the first entry to that of the last
  std::uint8_t lane_bits;         // 2^lane_bits lanes take a row
  std::uint8_t format_and_begun;  // the chunk's format, and begun_bit if the row of the first entry begins before
};
inline constexpr unsigned begun_bit = 8;
inline constexpr std::uint32_t piece_rows = 256;  // the most rows of a piece
static_assert(piece_rows <= 256);                 // rows_less_one has a byte

[[nodiscard]] constexpr std::uint8_t format_of(const TuplePiece& piece) {
  return piece.format_and_begun & (begun_bit - 1);
}

/// The pieces of a matrix, in order, of at most `most` entries. Where nine in ten pieces are smaller, the others are
/// cut smaller, too, so that more warps fit. width: bytes of a value, 0, 4 or 8.
template <std::size_t width>
[[nodiscard]] std::vector<TuplePiece> cut_into_pieces(const BccooGpu<Viewed>& host, std::uint32_t most);

/// The chunks as they are, each a piece, which may end within a row. Requires: at most 65535 entries in each.
template <std::size_t width>
[[nodiscard]] std::vector<TuplePiece> chunks_as_pieces(const BccooGpu<Viewed>& host);

}  // namespace spress::cuda
