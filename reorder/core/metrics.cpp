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

/// For each row of A + A^T the first row it is adjacent to, or itself where that lies behind it.
template <class Position>
HostArray<std::uint32_t> first_neighbors(const Csr<Viewed>& a, const Position* row_ptr) {
  HostArray<std::uint32_t> first(a.rows);
  for (std::uint64_t r = 0; r < a.rows; ++r) first[r] = static_cast<std::uint32_t>(r);
  const auto rows = static_cast<std::int64_t>(a.rows);
#pragma omp parallel for schedule(dynamic, 4096) if (walk_is_worth_threads(a.nnz))
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto r = static_cast<std::uint32_t>(i);
    const std::uint32_t* end = a.col_idx.data() + row_ptr[i + 1];
    const std::uint32_t* begin = a.col_idx.data() + row_ptr[i];
    if (begin != end) lower_to(first[r], *begin);
    for (const std::uint32_t* c = std::upper_bound(begin, end, r); c != end; ++c) lower_to(first[*c], r);
  }
  return first;
}

/// A row is active from the step of its first neighbor to its own.
void measure_wavefronts(const HostArray<std::uint32_t>& first, EnvelopeMetrics& metrics) {
  const std::size_t n = first.size();
  if (n == 0) return;
  HostArray<std::uint32_t> entering(n, 0);
  for (std::size_t r = 0; r < n; ++r) ++entering[first[r]];
  std::uint64_t active = 0, sum = 0;
  double squares = 0;
  for (std::size_t step = 0; step < n; ++step) {
    active += entering[step];
    metrics.max_wavefront = std::max(metrics.max_wavefront, active);
    sum += active;
    squares += static_cast<double>(active) * static_cast<double>(active);
    --active;
  }
  metrics.mean_wavefront = static_cast<double>(sum) / static_cast<double>(n);
  metrics.rms_wavefront = std::sqrt(squares / static_cast<double>(n));
}

template <class Position>
void measure_band(const Csr<Viewed>& a, const Position* row_ptr, EnvelopeMetrics& metrics) {
  std::uint64_t bandwidth = 0, profile = 0;
  const auto rows = static_cast<std::int64_t>(a.rows);
#pragma omp parallel for schedule(static) reduction(max : bandwidth) reduction(+ : profile) if (walk_is_worth_threads(a.nnz))
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint64_t begin = row_ptr[i], end = row_ptr[i + 1];
    if (begin == end) continue;
    const std::int64_t first = a.col_idx[begin], last = a.col_idx[end - 1];
    bandwidth = std::max(
        {bandwidth, static_cast<std::uint64_t>(std::abs(i - first)), static_cast<std::uint64_t>(std::abs(i - last))});
    if (first < i) profile += static_cast<std::uint64_t>(i - first);
  }
  metrics.bandwidth = bandwidth;
  metrics.profile = profile;
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

EnvelopeMetrics envelope_metrics(const Csr<Viewed>& a) {
  EnvelopeMetrics metrics;
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    measure_band(a, row_ptr, metrics);
    if (a.rows == a.cols) measure_wavefronts(first_neighbors(a, row_ptr), metrics);
  });
  return metrics;
}

bool pattern_symmetric(const Csr<Viewed>& a) {
  return a.rows == a.cols && with_positions(a.row_ptr, [&](const auto* row_ptr) { return mirrored(a, row_ptr); });
}

}  // namespace spress::reorder
