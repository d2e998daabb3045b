// Loops that take no parallel region where one thread is enough: to begin one takes as long as some hundred entries.
#pragma once

#include "formats/parallel.hpp"

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

}  // namespace spress
