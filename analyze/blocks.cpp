#include "analyze/blocks.hpp"

#include "formats/core/threads.hpp"

namespace spress::analyze {

BlockStatistics blocks_8x8(const Csr<Viewed>& a, int threads) {
  const std::uint64_t block_rows = (a.rows + 7) / 8;
  std::uint64_t count = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : count) num_threads(threads_worth(threads, a.rows + a.nnz))
  for (std::uint64_t i = 0; i < block_rows; ++i) for_each_block(a, i, [&](std::uint32_t, std::uint64_t) { ++count; });
  return block_statistics(count, a.nnz);
}

}  // namespace spress::analyze
