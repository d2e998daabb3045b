// How large pieces of a bccoo-gpu are, and how many warps of a block work on them: chosen by measurements.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/coo/bccoo_gpu.hpp"

namespace spress::cuda {

/// One block runs on a multiprocessor, so that its warps, at work on neighbouring rows, share lines of x in its cache:
/// as many as shared memory has room for, at most what leaves each thread registers for a batch, the entries of a row
/// that a lane has on their way at once.
template <unsigned most_warps, unsigned row_batch>
struct Crew {
  static constexpr unsigned warps = most_warps, batch = row_batch;
};
using LongBatches = Crew<24, 7>;  // a row of a 7-point stencil at once
using ManyWarps = Crew<28, 6>;

/// Entries of a piece at most, and who takes it: chosen by what was measured on stencils and finite elements.
struct PieceWay {
  std::uint32_t most_entries;
  bool many_warps;
};
[[nodiscard]] inline PieceWay way_for(const BccooGpu<Viewed>& host) {
  constexpr std::uint32_t of_long_rows = 870;   // 32 rows of a 27-point stencil, and little more
  constexpr std::uint32_t of_short_rows = 450;  // 64 rows of a 7-point stencil
  const std::uint64_t row = host.nnz / std::max<std::uint64_t>(host.rows, 1);
  return {row < 14 ? of_short_rows : of_long_rows, row < 14 || row >= 40};
}

}  // namespace spress::cuda
