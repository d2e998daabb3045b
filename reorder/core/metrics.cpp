#include "reorder/core/metrics.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "formats/core/threads.hpp"

namespace spress::reorder {
namespace {

/// Lowers `target` to `value`. The minimum is the same in whatever order the threads come.
void lower_to(std::uint32_t& target, std::uint32_t value) {
  std::atomic_ref<std::uint32_t> shared(target);
  std::uint32_t seen = shared.load(std::memory_order_relaxed);
  while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// Lowers the first neighbor of each row that the panel says something of.
template <class Position>
void lower_first_neighbors(const RowPanel& panel, const Position* row_ptr, HostArray<std::uint32_t>& first) {
  const Csr<Viewed>& a = panel.csr;
  const auto rows = static_cast<std::int64_t>(a.rows);
#pragma omp parallel for schedule(dynamic, 4096) if (walk_is_worth_threads(a.nnz))
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto r = static_cast<std::uint32_t>(panel.first_row + static_cast<std::uint64_t>(i));
    const std::uint32_t* end = a.col_idx.data() + row_ptr[i + 1];
    const std::uint32_t* begin = a.col_idx.data() + row_ptr[i];
    if (begin != end) lower_to(first[r], *begin);
    for (const std::uint32_t* c = std::upper_bound(begin, end, r); c != end; ++c) lower_to(first[*c], r);
  }
}

/// A row is active from the step of its first neighbor to its own. The steps are taken in bands, so that the counts of
/// rows that become active take little memory.
void measure_wavefronts(const HostArray<std::uint32_t>& first, EnvelopeMetrics& metrics) {
  constexpr std::uint64_t least_band = 1 << 20;
  const std::uint64_t n = first.size();
  if (n == 0) return;
  HostArray<std::uint32_t> entering(std::min(n, std::max(least_band, (n + 7) / 8)));
  std::uint64_t active = 0, sum = 0;
  double squares = 0;
  for (std::uint64_t begin = 0; begin < n; begin += entering.size()) {
    const std::uint64_t steps = std::min<std::uint64_t>(entering.size(), n - begin);
    std::fill_n(entering.data(), steps, 0u);
    for (std::uint64_t r = begin; r < n; ++r)
      if (const std::uint64_t step = std::uint64_t{first[r]} - begin; step < steps) ++entering[step];
    for (std::uint64_t step = 0; step < steps; ++step) {
      active += entering[step];
      metrics.max_wavefront = std::max(metrics.max_wavefront, active);
      sum += active;
      squares += static_cast<double>(active) * static_cast<double>(active);
      --active;
    }
  }
  metrics.mean_wavefront = static_cast<double>(sum) / static_cast<double>(n);
  metrics.rms_wavefront = std::sqrt(squares / static_cast<double>(n));
}

template <class Position>
void measure_band(const RowPanel& panel, const Position* row_ptr, std::uint64_t& widest, std::uint64_t& sum) {
  const Csr<Viewed>& a = panel.csr;
  std::uint64_t bandwidth = 0, profile = 0;
  const auto rows = static_cast<std::int64_t>(a.rows);
#pragma omp parallel for schedule(static) reduction(max : bandwidth) reduction(+ : profile) if (walk_is_worth_threads(a.nnz))
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint64_t begin = row_ptr[i], end = row_ptr[i + 1];
    if (begin == end) continue;
    const std::int64_t r = static_cast<std::int64_t>(panel.first_row) + i;
    const std::int64_t first = a.col_idx[begin], last = a.col_idx[end - 1];
    bandwidth = std::max(
        {bandwidth, static_cast<std::uint64_t>(std::abs(r - first)), static_cast<std::uint64_t>(std::abs(r - last))});
    if (first < r) profile += static_cast<std::uint64_t>(r - first);
  }
  widest = std::max(widest, bandwidth);
  sum += profile;
}

/// A run of rows.
struct RowRun {
  std::uint64_t first = 0, last = 0;
};

/// By row from `run` on, its first entry in a column of the run or behind it. Ends early where `wanted` is not set.
template <class Position>
void find_first_images(const Csr<Viewed>& a, const Position* row_ptr, RowRun run, Position* next,
                       const std::atomic<bool>& wanted) {
  const std::uint32_t* const columns = a.col_idx.data();
  for (std::uint64_t r = run.first; r < a.rows && wanted.load(std::memory_order_relaxed); ++r) {
    const std::uint32_t *const row = columns + row_ptr[r], *const end = columns + row_ptr[r + 1];
    const auto from = run.first == 0 ? row : std::lower_bound(row, end, static_cast<std::uint32_t>(run.first));
    next[r] = static_cast<Position>(from - columns);
  }
}

/// Entries of the run's rows right of the diagonal look for their mirror images: those of a column are met in the order
/// in which its row has them, from next[column] on. Clears all_met and ends early where one is missing, there or in
/// another run. Returns how many more entries there are right of the diagonal than left of it.
template <class Position>
std::int64_t meet_images(const Csr<Viewed>& a, const Position* row_ptr, RowRun run, Position* next,
                         std::atomic<bool>& all_met) {
  constexpr std::uint64_t places_ahead = 32, entries_ahead = 16;  // fetched before they are needed
  const std::uint32_t* const columns = a.col_idx.data();
  const std::uint64_t end = row_ptr[run.last];
  std::int64_t surplus = 0;
  for (std::uint64_t r = run.first; r < run.last && all_met.load(std::memory_order_relaxed); ++r)
    for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
      if (end - k > places_ahead) {
        __builtin_prefetch(next + columns[k + places_ahead], 1);
        if (const std::uint32_t soon = columns[k + entries_ahead]; soon > r) __builtin_prefetch(columns + next[soon]);
      }
      const std::uint32_t c = columns[k];
      surplus += static_cast<int>(c > r) - static_cast<int>(c < r);
      if (c <= r) continue;
      const std::uint64_t image = next[c]++;
      if (image < row_ptr[std::size_t{c} + 1] && columns[image] == r) continue;
      all_met.store(false, std::memory_order_relaxed);
      break;
    }
  return surplus;
}

/// Each entry right of the diagonal has its mirror image, and there are as many entries on either side: then the
/// mirror images are all there is on the left.
template <class Position>
bool mirrored(const Csr<Viewed>& a, const Position* row_ptr) {
  const std::uint64_t blocks = row_blocks_worth(a.nnz, a.nnz / std::max<std::uint64_t>(1, 4 * a.rows));
  HostArray<Position> next(blocks * a.rows);
  std::int64_t surplus = 0;
  std::atomic<bool> all_met{true};
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(blocks)) reduction(+ : surplus)
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const RowRun run = {row_block_begin(row_ptr, a.rows, b, blocks), row_block_begin(row_ptr, a.rows, b + 1, blocks)};
    find_first_images(a, row_ptr, run, next.data() + b * a.rows, all_met);
    surplus += meet_images(a, row_ptr, run, next.data() + b * a.rows, all_met);
  }
  return all_met && surplus == 0;
}

}  // namespace

EnvelopeCounter::EnvelopeCounter(std::uint64_t rows, std::uint64_t cols) : first_(rows == cols ? rows : 0) {
  for (std::uint64_t r = 0; r < first_.size(); ++r) first_[r] = static_cast<std::uint32_t>(r);
}

void EnvelopeCounter::add(const RowPanel& panel) {
  with_positions(panel.csr.row_ptr, [&](const auto* row_ptr) {
    measure_band(panel, row_ptr, bandwidth_, profile_);
    if (!first_.empty()) lower_first_neighbors(panel, row_ptr, first_);
  });
}

EnvelopeMetrics EnvelopeCounter::metrics() const {
  EnvelopeMetrics metrics;
  metrics.bandwidth = bandwidth_;
  metrics.profile = profile_;
  measure_wavefronts(first_, metrics);
  return metrics;
}

EnvelopeMetrics envelope_metrics(const Csr<Viewed>& a) {
  EnvelopeCounter counter(a.rows, a.cols);
  counter.add({0, a});
  return counter.metrics();
}

bool pattern_symmetric(const Csr<Viewed>& a) {
  return a.rows == a.cols && with_positions(a.row_ptr, [&](const auto* row_ptr) { return mirrored(a, row_ptr); });
}

}  // namespace spress::reorder
