#include "kernels/cuda/csr/direct_rows.hpp"

#include <algorithm>

namespace spress::cuda {
namespace {

constexpr std::uint64_t warp = 32;
constexpr std::uint64_t most_by_warp = warp * direct_batch;
/// A second batch takes a block less than it takes to meet others; of many pieces, each is one batch.
constexpr std::uint64_t of_piece = direct_threads * direct_batch, most_by_block = 2 * of_piece;

unsigned lanes_for(std::uint64_t rows, std::uint64_t nnz, std::uint64_t threads) {
  const auto wanted = [&](unsigned log_lanes) {
    const std::uint64_t lanes = rows << log_lanes;
    return direct_batch * lanes < nnz || (lanes < nnz && 2 * lanes <= threads);
  };
  unsigned log_lanes = 0;
  while (log_lanes < 5 && wanted(log_lanes)) ++log_lanes;
  return log_lanes;
}

void cut_row(std::uint32_t row, std::uint64_t at, std::uint64_t end, DirectRows& out) {
  const auto first = static_cast<std::uint32_t>(out.by_block.size());
  const std::uint64_t most = end - at <= most_by_block ? most_by_block : of_piece;
  const auto pieces = static_cast<std::uint32_t>((end - at + most - 1) / most);
  for (; at < end; at += most) {
    DirectPiece piece;
    piece.entry = static_cast<std::uint32_t>(at);
    piece.entries = static_cast<std::uint32_t>(std::min(most, end - at));
    piece.row = row;
    piece.first = first;
    piece.pieces = pieces;
    piece.split = out.split_rows;
    out.by_block.push_back(piece);
  }
  if (pieces > 1) ++out.split_rows;
}

/// One batch of each lane, but two where warps for all rows that have more would be too many.
template <class Position>
std::uint32_t most_by_lanes(const Position* row_ptr, std::uint64_t rows, unsigned log_lanes, std::uint64_t threads) {
  const std::uint32_t most = direct_batch << log_lanes;
  std::uint64_t longer = 0;
  for (std::uint64_t r = 0; r < rows; ++r) longer += row_ptr[r + 1] - row_ptr[r] > most ? 1 : 0;
  return longer * warp <= threads ? most : 2 * most;
}

template <class Position>
DirectRows deal(const Position* row_ptr, std::uint64_t rows, std::uint64_t threads) {
  DirectRows out;
  out.log_lanes = lanes_for(rows, row_ptr[rows] - row_ptr[0], threads);
  out.most_by_lanes = most_by_lanes(row_ptr, rows, out.log_lanes, threads);
  for (std::uint64_t r = 0; r < rows; ++r) {
    const std::uint64_t begin = row_ptr[r], end = row_ptr[r + 1];
    if (end - begin <= out.most_by_lanes) continue;
    if (end - begin <= most_by_warp)
      out.by_warp.push_back(static_cast<std::uint32_t>(r));
    else
      cut_row(static_cast<std::uint32_t>(r), begin, end, out);
  }
  return out;
}

}  // namespace

DirectRows deal_directly(const Positions<Viewed>& row_ptr, std::uint64_t rows, std::uint64_t threads) {
  return with_positions(row_ptr, [&](const auto* at) { return deal(at, rows, threads); });
}

}  // namespace spress::cuda
