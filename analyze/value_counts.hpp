// How often each value of a matrix occurs, values being told apart by their bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "formats/values/distinct.hpp"

namespace spress::analyze {

namespace detail {

inline constexpr std::uint64_t cached_values = 4096;  // distinct values whose table stays in the first cache
inline constexpr std::uint64_t part_size = 8192;      // keys whose marks stay in the first cache
inline constexpr std::uint64_t most_parts = 4096;     // so that writing to all of them at once stays cheap

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
  const auto count = [&](std::uint64_t cut) {
    std::vector<std::uint64_t> counts(parts);
    for_each_key(cut, [&](const Bits&, std::uint64_t part) { ++counts[part]; });
    next[cut] = std::move(counts);
  };
  RegionErrors errors;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::uint64_t cut = 0; cut < cuts; ++cut) errors.attempt(count, cut);
  errors.rethrow();
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

/// Counts the keys of one part. A table would miss the cache, or guess a branch wrongly, for nearly every key of a
/// matrix of many distinct values. So bounds come first: how many keys share a place by their hash.
template <class Bits>
class PartCounter {
 public:
  /// Adds each distinct key with its count to the summary, less those that it does not want.
  template <class Summary>
  void count(const Bits* keys, std::uint64_t n, Summary& summary) {
    bounds_.assign(std::bit_ceil(4 * n + 1), 0);
    for (std::uint64_t i = 0; i < n; ++i) {
      std::uint8_t& bound = bounds_[place_of(keys[i])];
      bound = static_cast<std::uint8_t>(bound + (bound != unbounded ? 1 : 0));
    }
    // What a summary wants may grow less in between: a key that it turns down late would not have been kept.
    for (std::uint64_t i = 0; i < n; ++i)
      if (const std::uint8_t bound = bounds_[place_of(keys[i])]; bound == 1)
        summary.add(keys[i], 1);
      else if (bound == unbounded || summary.wants(keys[i], bound))
        table_.add(keys[i]);
    table_.for_each([&](const Bits& key, std::uint64_t count) { summary.add(key, count); });
    table_.clear();
  }

 private:
  static constexpr std::uint8_t unbounded = 255;
  /// Takes other bits of the hash than parts and tables do.
  [[nodiscard]] std::size_t place_of(const Bits& key) const { return (hash_bits(key) >> 20) & (bounds_.size() - 1); }

  std::vector<std::uint8_t> bounds_;
  CountTable<Bits> table_;
};

}  // namespace detail

/// Counts all distinct keys into copies of `empty`, one for each thread, and puts these together. A summary has
/// add(key, count), called once for each distinct key at most; wants(key, bound), whether it matters if a key occurs
/// `bound` times or less often; add(other). The order of keys is open, and what is not wanted may be left out.
/// Complexity: linear in n; scratch memory of the keys' size where more than a few thousand are distinct.
template <class Summary, class Bits>
[[nodiscard]] Summary count_values(const Bits* keys, std::uint64_t n, int threads, const Summary& empty) {
  Summary all = empty;
  if (const auto counts = count_distinct(keys, n, n <= detail::part_size ? n : detail::cached_values, threads)) {
    counts->for_each([&](const Bits& key, std::uint64_t count) { all.add(key, count); });
    return all;
  }
  threads = threads_worth(threads, n);
  const std::uint64_t parts = std::clamp<std::uint64_t>(std::bit_ceil(n / detail::part_size), 2, detail::most_parts);
  const detail::Parts<Bits> split_keys = detail::split(keys, n, parts, threads);
  struct Mine {
    Summary summary;
    detail::PartCounter<Bits> counter;
  };
  const auto count = [&](std::optional<Mine>& mine, std::uint64_t part) {
    if (!mine) mine.emplace(Mine{empty, {}});
    const std::uint64_t first = split_keys.start[part];
    mine->counter.count(split_keys.keys.data() + first, split_keys.start[part + 1] - first, mine->summary);
  };
  const auto add = [&](const std::optional<Mine>& mine) {
    if (mine) all.add(mine->summary);
  };
  RegionErrors errors;
#pragma omp parallel num_threads(threads)
  {
    std::optional<Mine> mine;
#pragma omp for schedule(dynamic, 1) nowait
    for (std::uint64_t part = 0; part < parts; ++part) errors.attempt(count, mine, part);
#pragma omp critical(spress_value_counts)
    errors.attempt(add, mine);
  }
  errors.rethrow();
  return all;
}

/// The bits of the `limit` most frequent values (all of them if fewer are distinct), most frequent first, ties by bit
/// pattern. threads: 0 for OpenMP's default. Bits: std::uint32_t, std::uint64_t or Bytes16.
template <class Bits>
[[nodiscard]] std::vector<Bits> most_frequent(const Bits* bits, std::uint64_t n, std::size_t limit, int threads = 0);

}  // namespace spress::analyze
