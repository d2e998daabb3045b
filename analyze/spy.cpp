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

SpyCounter::SpyCounter(std::uint64_t rows, std::uint64_t cols, std::uint32_t size)
    : rows_(rows), cols_(cols), size_(std::min<std::uint64_t>(size, std::max(rows, cols))), counts_(size_ * size_) {}

void SpyCounter::add(const RowPanel& panel, int threads) {
  const Csr<Viewed>& a = panel.csr;
  if (a.nnz == 0) return;
  const std::uint64_t n = size_, end = panel.first_row + a.rows;
  const auto begin_of = [&](std::uint64_t i) {  // rows r of band i: i*rows <= r*n < (i+1)*rows
    return std::clamp((i * rows_ + n - 1) / n, panel.first_row, end) - panel.first_row;
  };
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_worth(threads, a.nnz))
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t k = a.row_ptr.position(begin_of(i)); k < a.row_ptr.position(begin_of(i + 1)); ++k)
      ++counts_[i * n + a.col_idx[k] * n / cols_];
}

Spy SpyCounter::picture() const {
  Spy out;
  out.size = static_cast<std::uint32_t>(size_);
  const auto n = static_cast<double>(size_);
  const double area = size_ == 0 ? 0 : static_cast<double>(rows_) / n * static_cast<double>(cols_) / n;
  out.cells.resize(counts_.size());
  std::transform(counts_.begin(), counts_.end(), out.cells.begin(), [&](std::uint64_t c) { return shade(c, area); });
  return out;
}

Spy spy(const Csr<Viewed>& a, std::uint32_t size, int threads) {
  SpyCounter counter(a.rows, a.cols, size);
  counter.add({0, a}, threads);
  return counter.picture();
}

}  // namespace spress::analyze
