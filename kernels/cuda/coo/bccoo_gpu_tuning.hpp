// Tuning of bccoo-gpu: the size of pieces, and the warps of a block. Chosen by measurements on an H200.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/coo/bccoo_gpu.hpp"

namespace spress::cuda {

/// The warps of the one block that runs on a multiprocessor, and the entries of a row that a lane loads at once
/// (batch). Its warps work on neighbouring rows, so they share lines of x in the cache. More warps leave fewer
/// registers for a batch.
template <unsigned most_warps, unsigned row_batch>
struct Crew {
  static constexpr unsigned warps = most_warps, batch = row_batch;
};
using LongBatches = Crew<24, 7>;  // a batch is a row of a 7-point stencil
using ManyWarps = Crew<28, 6>;

/// The most entries of a piece, and whether ManyWarps take it. By measurements on stencils and finite elements.
struct PieceWay {
  std::uint32_t most_entries;
  bool many_warps;
};
[[nodiscard]] inline PieceWay way_for(const BccooGpu<Viewed>& host) {
  constexpr std::uint32_t of_long_rows = 870;   // a little more than 32 rows of a 27-point stencil
  constexpr std::uint32_t of_short_rows = 450;  // 64 rows of a 7-point stencil
  const std::uint64_t row = host.nnz / std::max<std::uint64_t>(host.rows, 1);
  return {row < 14 ? of_short_rows : of_long_rows, row < 14 || row >= 40};
}

}  // namespace spress::cuda
