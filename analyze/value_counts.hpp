// How often each value of a matrix occurs, values being told apart by their bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "formats/distinct.hpp"

namespace spress::analyze {

namespace detail {

inline constexpr std::uint64_t few = 4096;         // distinct values whose table stays in the first cache
inline constexpr std::uint64_t part_size = 32768;  // keys whose table stays in the second cache
inline constexpr std::uint64_t most_parts = 4096;  // so that writing to all of them at once stays cheap

/// Keys grouped by their hash, so that equal ones stand in one part: part p is start[p] .. start[p + 1].
template <class Bits>
struct Parts {
  HostArray<Bits> keys;
  std::vector<std::uint64_t> start;
};

template <class Bits>
Parts<Bits> split(const Bits* keys, std::uint64_t n, std::uint64_t parts, int threads) {
  const auto cuts = static_cast<std::uint64_t>(threads);
  const int shift = 64 - std::countr_zero(parts);
  const auto for_each_key = [&](std::uint64_t cut, auto&& use) {
    for (std::uint64_t i = n / cuts * cut, end = cut + 1 == cuts ? n : n / cuts * (cut + 1); i < end; ++i)
      use(keys[i], hash_bits(keys[i]) >> shift);
  };
  std::vector<std::vector<std::uint64_t>> next(cuts);  // by cut and part: keys there, then where its next key goes
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::uint64_t cut = 0; cut < cuts; ++cut) {
    std::vector<std::uint64_t> counts(parts);
    for_each_key(cut, [&](const Bits&, std::uint64_t part) { ++counts[part]; });
    next[cut] = std::move(counts);
  }
  Parts<Bits> out{HostArray<Bits>(n), {0}};
  std::uint64_t at = 0;
  for (std::uint64_t part = 0; part < parts; ++part) {
    for (auto& row : next) at += std::exchange(row[part], at);
    out.start.push_back(at);
  }
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::uint64_t cut = 0; cut < cuts; ++cut)
    for_each_key(cut,
                 [&, row = next[cut].data()](const Bits& key, std::uint64_t part) { out.keys[row[part]++] = key; });
  return out;
}

}  // namespace detail

/// Counts all distinct keys and sums them up. add(summary, table) is called with tables that each hold keys that no
/// other holds, by several threads, each with a summary of its own; merge(all, mine) by one thread at a time. The order
/// of tables is open. Complexity: linear in n; scratch memory of the keys' size where more than a few thousand are
/// distinct.
template <class Summary, class Bits, class Add, class Merge>
[[nodiscard]] Summary count_values(const Bits* keys, std::uint64_t n, int threads, Add&& add, Merge&& merge) {
  Summary all;
  if (const auto counts = count_distinct(keys, n, n <= detail::part_size ? n : detail::few, threads)) {
    add(all, *counts);
    return all;
  }
  threads = threads_worth(threads, n);
  const std::uint64_t parts = std::clamp<std::uint64_t>(std::bit_ceil(n / detail::part_size), 2, detail::most_parts);
  const detail::Parts<Bits> split_keys = detail::split(keys, n, parts, threads);
#pragma omp parallel num_threads(threads)
  {
    Summary mine;
    CountTable<Bits> counts;
#pragma omp for schedule(dynamic, 1) nowait
    for (std::uint64_t part = 0; part < parts; ++part) {
      counts.clear();
      for (std::uint64_t i = split_keys.start[part]; i < split_keys.start[part + 1]; ++i)
        counts.add(split_keys.keys[i]);
      add(mine, counts);
    }
#pragma omp critical(spress_value_counts)
    merge(all, mine);
  }
  return all;
}

/// The bits of the `limit` most frequent values (all of them if fewer are distinct), most frequent first, ties by bit
/// pattern. threads: 0 for OpenMP's default. Bits: std::uint32_t, std::uint64_t or Bytes16.
template <class Bits>
[[nodiscard]] std::vector<Bits> most_frequent(const Bits* bits, std::uint64_t n, std::size_t limit, int threads = 0);

}  // namespace spress::analyze
