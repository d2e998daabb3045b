#include "analyze/spy.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "formats/core/threads.hpp"

namespace spress::analyze {
namespace {

char shade(std::uint64_t entries, double cell_area) {
  if (entries == 0) return '0';
  const double share = std::min(1.0, static_cast<double>(entries) / std::max(1.0, cell_area));
  return static_cast<char>('0' + std::clamp(9 + static_cast<int>(std::lround(std::log2(share) / 2)), 1, 9));
}

}  // namespace

Spy spy(const Csr<Viewed>& a, std::uint32_t size, int threads) {
  Spy out;
  out.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, std::max(a.rows, a.cols)));
  const std::uint64_t n = out.size;
  std::vector<std::uint64_t> counts(n * n);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_worth(threads, a.nnz))
  for (std::uint64_t i = 0; i < n; ++i) {  // rows r of band i: i*rows <= r*n < (i+1)*rows
    const std::uint64_t first = (i * a.rows + n - 1) / n, last = ((i + 1) * a.rows + n - 1) / n;
    for (std::uint64_t k = a.row_ptr.position(first); k < a.row_ptr.position(last); ++k)
      ++counts[i * n + a.col_idx[k] * n / a.cols];
  }
  const double area = n == 0 ? 0
                             : static_cast<double>(a.rows) / static_cast<double>(n) * static_cast<double>(a.cols) /
                                   static_cast<double>(n);
  out.cells.resize(n * n);
  std::transform(counts.begin(), counts.end(), out.cells.begin(), [&](std::uint64_t c) { return shade(c, area); });
  return out;
}

}  // namespace spress::analyze
