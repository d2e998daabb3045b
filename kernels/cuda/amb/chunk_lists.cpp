#include "kernels/cuda/amb/chunk_lists.hpp"

#include <algorithm>

namespace spress::cuda::amb {
namespace {

constexpr std::uint32_t lanes = Amb<>::lanes;

}  // namespace

std::vector<ChunkPiece> cut_long_chunks(const Amb<Viewed>& host) {
  std::vector<ChunkPiece> pieces;
  const auto long_chunk = [&](std::uint64_t c) { return host.steps(c) > piece_steps; };
  bool any = false;
  for (std::uint64_t c = 0; c < host.chunks && !any; ++c) any = long_chunk(c);
  for (std::uint64_t c = 0; c < host.chunks && any; ++c)
    for (std::uint32_t k = 0; k < host.steps(c); k += piece_steps)
      pieces.push_back({c, k, std::min<std::uint32_t>(k + piece_steps, host.steps(c))});
  return pieces;
}

std::vector<ChunkStretch> join_short_chunks(const Amb<Viewed>& host) {
  std::vector<ChunkStretch> stretches;
  std::uint32_t chunks = lanes;  // of the last stretch; a full stretch has `lanes`
  for (std::uint64_t c = 0; c < host.chunks; ++c) {
    const std::uint64_t step = host.chunk_start.position(c) / lanes;
    const std::uint32_t steps = host.steps(c), column = static_cast<std::uint32_t>(host.first_col(c));
    if (chunks < lanes && stretches.back().column == column && stretches.back().steps + steps <= stretch_steps) {
      stretches.back().steps += steps;
      ++chunks;
      continue;
    }
    for (std::uint32_t k = 0; k < steps; k += piece_steps)
      stretches.push_back({step + k, c, std::min(piece_steps, steps - k), column});
    chunks = steps <= piece_steps ? 1 : lanes;
  }
  return stretches;
}

unsigned most_pieces_of_a_row(const Amb<Viewed>& host) {
  std::vector<std::uint8_t> pieces(host.rows, 0);
  unsigned most = 0;
  for (std::uint64_t c = 0; c < host.chunks && most < 3; ++c) {
    const std::uint32_t more = (host.steps(c) + piece_steps - 1) / piece_steps;
    for (std::uint32_t j = 0; j < lanes && host.perm[lanes * c + j] != Amb<>::no_row; ++j) {
      auto& count = pieces[host.first_row(c) + host.perm[lanes * c + j]];
      count = static_cast<std::uint8_t>(std::min(count + more, 3u));
      most = std::max<unsigned>(most, count);
    }
  }
  return most;
}

}  // namespace spress::cuda::amb
