// Row pointers of row lengths. Private to formats/io.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/core/threads.hpp"

namespace spress::io {

/// Writes to[i], the sum of the first i lengths, for i = 0..n of n lengths.
template <class Length, class To>
void running_sums(const HostArray<Length>& lengths, To* to, int threads) {
  const std::uint64_t n = lengths.size();
  const auto parts = static_cast<std::uint64_t>(threads_worth(threads, n));
  const auto begin = [&](std::uint64_t part) { return n / parts * part + std::min(part, n % parts); };
  std::vector<std::uint64_t> before(parts + 1);
  parallel_for(parts - 1, static_cast<int>(parts), [&](std::uint64_t p) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = begin(p); i < begin(p + 1); ++i) sum += lengths[i];
    before[p + 1] = sum;
  });
  for (std::uint64_t p = 1; p < parts; ++p) before[p] += before[p - 1];
  parallel_for(parts, static_cast<int>(parts), [&](std::uint64_t p) {
    std::uint64_t at = before[p];
    for (std::uint64_t i = begin(p); i < begin(p + 1); ++i) {
      to[i] = static_cast<To>(at);
      at += lengths[i];
    }
    if (p + 1 == parts) to[n] = static_cast<To>(at);
  });
}

/// The positions at which rows of these lengths begin, and the end. Requires: they add up to `entries`.
template <class Length>
[[nodiscard]] Positions<Owned> positions_of(const HostArray<Length>& lengths, std::uint64_t entries, int threads) {
  Positions<Owned> positions(position_type(entries), lengths.size() + 1);
  fill_positions(positions, [&](auto* to) { running_sums(lengths, to, threads); });
  return positions;
}

}  // namespace spress::io
