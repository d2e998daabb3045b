#include "kernels/cuda/direct_rows.hpp"

#include <algorithm>

namespace spress::cuda {
namespace {

constexpr std::uint64_t by_lane = direct_batch * direct_rounds;
constexpr std::uint64_t most_by_warp = 32 * by_lane, most_by_block = direct_threads * by_lane;

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
  const auto pieces = static_cast<std::uint32_t>((end - at + most_by_block - 1) / most_by_block);
  for (; at < end; at += most_by_block) {
    DirectPiece piece;
    piece.entry = at;
    piece.entries = static_cast<std::uint32_t>(std::min(most_by_block, end - at));
    piece.row = row;
    piece.first = first;
    piece.pieces = pieces;
    piece.split = out.split_rows;
    out.by_block.push_back(piece);
  }
  if (pieces > 1) ++out.split_rows;
}

template <class Position>
DirectRows deal(const Position* row_ptr, std::uint64_t rows, std::uint64_t threads) {
  DirectRows out;
  out.log_lanes = lanes_for(rows, row_ptr[rows] - row_ptr[0], threads);
  out.most_by_lanes = static_cast<std::uint32_t>(by_lane << out.log_lanes);
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
