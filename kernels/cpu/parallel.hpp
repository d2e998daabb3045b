// How CPU kernels share work: contiguous pieces of about equal cost, one per thread, cut where no two threads write the
// same row. The cuts depend on the number of threads, the sums of a row never do.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace spress::cpu {

[[nodiscard]] inline int thread_count(int requested) { return requested > 0 ? requested : omp_get_max_threads(); }

/// First item of piece `part` of `parts` when items 0..n-1 have cumulated costs cost[0..n] (never falling).
template <class Cost>
[[nodiscard]] std::uint64_t balanced_cut(const Cost* cost, std::uint64_t n, int part, int parts) {
  if (part <= 0) return 0;
  if (part >= parts) return n;
  const auto total = static_cast<double>(cost[n] - cost[0]);
  const auto wanted = cost[0] + static_cast<Cost>(total * part / parts);
  return static_cast<std::uint64_t>(std::lower_bound(cost, cost + n, wanted) - cost);
}

/// Runs work(first, last) for contiguous pieces of 0..n-1 balanced by cost[0..n].
template <class Cost, class Work>
void for_balanced_pieces(const Cost* cost, std::uint64_t n, int threads, Work&& work) {
  const int parts = thread_count(threads);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part)
    work(balanced_cut(cost, n, part, parts), balanced_cut(cost, n, part + 1, parts));
}

/// Runs work(first, last) for contiguous pieces of 0..n-1, each cut moved forward to the next item that begins a row:
/// begins(k) is true where item k and item k-1 belong to different rows.
template <class Begins, class Work>
void for_row_aligned_pieces(std::uint64_t n, int threads, Begins&& begins, Work&& work) {
  const int parts = thread_count(threads);
  const auto cut = [&](int part) {
    std::uint64_t k = n / static_cast<std::uint64_t>(parts) * static_cast<std::uint64_t>(part);
    if (part == parts) return n;
    while (k > 0 && k < n && !begins(k)) ++k;
    return k;
  };
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) work(cut(part), cut(part + 1));
}

}  // namespace spress::cpu
