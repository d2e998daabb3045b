// Rows by length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "encode/shared/rows.hpp"
#include "formats/core/threads.hpp"

namespace spress {

/// Orders rows by their lengths, one window after the other, and keeps its memory.
class LengthOrder {
 public:
  /// Writes made(k) for k = 0..n-1 to `order` by length_of(k), longest first, ties in their order. Returns whether they
  /// stood so. A counting sort, unless lengths differ too much for one.
  template <class LengthOf, class Made, class Index>
  bool find(std::uint64_t n, const LengthOf& length_of, const Made& made, Index* order) {
    lengths_.resize(n);
    std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max(), longest = 0, before = shortest;
    bool stand_so = true;
    for (std::uint64_t k = 0; k < n; ++k) {
      const std::uint64_t length = length_of(k);
      lengths_[k] = length;
      stand_so = stand_so && length <= before;
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
      before = length;
    }
    if (stand_so)
      for (std::uint64_t k = 0; k < n; ++k) order[k] = made(k);
    else
      sort(shortest, longest, made, order);
    return stand_so;
  }

 private:
  template <class Made, class Index>
  void sort(std::uint64_t least, std::uint64_t most, const Made& made, Index* order) {
    const std::uint64_t kinds = most - least + 1, n = lengths_.size();
    if (kinds > 8 * n) {
      places_.resize(n);
      std::iota(places_.begin(), places_.end(), std::uint64_t{0});
      std::stable_sort(places_.begin(), places_.end(),
                       [&](std::uint64_t x, std::uint64_t y) { return lengths_[x] > lengths_[y]; });
      for (std::uint64_t k = 0; k < n; ++k) order[k] = made(places_[k]);
      return;
    }
    places_.assign(kinds + 1, 0);  // where each length begins
    for (const std::uint64_t length : lengths_) ++places_[most - length + 1];
    std::partial_sum(places_.begin(), places_.end(), places_.begin());
    for (std::uint64_t k = 0; k < n; ++k) order[places_[most - lengths_[k]]++] = made(k);
  }

  std::vector<std::uint64_t> lengths_, places_;
};

/// made(first, k) for the rows first + k of each window of sigma rows, sorted by length, longest first, ties in their
/// order; empty where all rows stand so.
template <class Index, class Made>
HostArray<Index> sorted_windows(const Csr<Viewed>& a, std::uint64_t sigma, const Made& made) {
  const std::uint64_t windows = a.rows / sigma + (a.rows % sigma != 0 ? 1 : 0);
  const int threads = windows < 2 ? 1 : thread_count(0);
  HostArray<Index> order(a.rows);
  std::vector<LengthOrder> by_length(static_cast<std::size_t>(threads));
  std::vector<std::uint8_t> stood_so(windows);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    parallel_for_dynamic(windows, threads, [&](std::uint64_t window, std::size_t t) {
      const std::uint64_t first = window * sigma, rows = std::min(sigma, a.rows - first);
      const auto length_of = [&](std::uint64_t k) { return row_ptr[first + k + 1] - row_ptr[first + k]; };
      const auto row = [&](std::uint64_t k) { return static_cast<Index>(made(first, k)); };
      stood_so[window] = by_length[t].find(rows, length_of, row, order.data() + first) ? 1 : 0;
    });
  });
  const bool sorted = std::all_of(stood_so.begin(), stood_so.end(), [](std::uint8_t so) { return so != 0; });
  return sorted ? HostArray<Index>() : std::move(order);
}

}  // namespace spress
