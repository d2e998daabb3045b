// Loops whose items are dealt out, and sums: they begin no parallel region for one thread either.
#pragma once

#include <vector>

#include "formats/core/parallel.hpp"

namespace spress {

/// Calls use(i, t) for 0..n-1, dealt out one by one to `threads` threads, t being the number of the one that calls.
/// What a call throws is thrown again here. Requires: threads > 0.
template <class Use>
void each_index(std::uint64_t n, int threads, const Use& use) {
  if (threads == 1 || n < 2) {
    for (std::uint64_t i = 0; i < n; ++i) use(i, std::size_t{0});
    return;
  }
  RegionErrors errors;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::uint64_t i = 0; i < n; ++i) errors.attempt(use, i, static_cast<std::size_t>(omp_get_thread_num()));
  errors.rethrow();
}

/// The sum of of(i) for 0..n-1, each of type Sum, of which Sum{} is zero. Requires: threads > 0.
template <class Sum, class Of>
[[nodiscard]] Sum sum_over(std::uint64_t n, int threads, const Of& of) {
  constexpr std::uint64_t part = 1024;
  const auto sum_of = [&](std::uint64_t first, std::uint64_t last) {
    Sum sum = {};
    for (std::uint64_t i = first; i < last; ++i) sum += of(i);
    return sum;
  };
  if (threads == 1) return sum_of(0, n);
  std::vector<Sum> sums((n + part - 1) / part);
  each_index(sums.size(), threads,
             [&](std::uint64_t p, std::size_t) { sums[p] = sum_of(p * part, std::min(n, (p + 1) * part)); });
  Sum all = {};
  for (const Sum& sum : sums) all += sum;
  return all;
}

}  // namespace spress
