// How often each value of a matrix occurs, values being told apart by their bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "formats/values.hpp"

namespace spress::analyze {

/// Bits of a value as a key that can be hashed and compared.
template <class T>
[[nodiscard]] auto key_of(const T& value) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else
    return std::bit_cast<Bytes16>(value);
}
template <class T>
using KeyOf = decltype(key_of(T{}));

[[nodiscard]] inline std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
  return (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
}
[[nodiscard]] inline std::uint64_t hash(std::uint32_t key) { return mix(key + 0x9E3779B97F4A7C15u); }
[[nodiscard]] inline std::uint64_t hash(std::uint64_t key) { return mix(key + 0x9E3779B97F4A7C15u); }
[[nodiscard]] inline std::uint64_t hash(const Bytes16& key) {
  return mix(key.low + 0x9E3779B97F4A7C15u + 3 * mix(key.high));
}

/// Counts keys by open addressing; grows as needed.
template <class Key>
class Counter {
 public:
  void add(const Key& key, std::uint64_t hashed, std::uint64_t n = 1) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = find(key, hashed);
    used_ += slot.count == 0;
    slot.key = key;
    slot.count += n;
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  template <class Use>
  void for_each(Use&& use) const {
    for (const Slot& slot : slots_)
      if (slot.count != 0) use(slot.key, slot.count);
  }

 private:
  struct Slot {
    Key key{};
    std::uint64_t count = 0;
  };
  Slot& find(const Key& key, std::uint64_t hashed) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hashed & mask;
    while (slots_[at].count != 0 && !(slots_[at].key == key)) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(64, slots_.size() * 2));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.count != 0) find(slot.key, hash(slot.key)) = slot;
  }
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

namespace detail {

inline constexpr std::size_t few = 4096;         // distinct values that a small table in cache takes in one pass
inline constexpr std::size_t partitions = 1024;  // else: keys split by hash, so that each part's table stays in cache

/// Counts in one pass with a small table per thread, given up (false) where one overflows.
template <class T>
bool count_few(const T* values, std::uint64_t n, int threads, Counter<KeyOf<T>>& all) {
  bool fits = true;
#pragma omp parallel num_threads(threads)
  {
    Counter<KeyOf<T>> mine;
    bool mine_fits = true;
#pragma omp for schedule(static)
    for (std::uint64_t block = 0; block < (n + few - 1) / few; ++block) {
      if (!mine_fits) continue;
      for (std::uint64_t i = block * few; i < std::min(n, (block + 1) * few); ++i) {
        const auto key = key_of(values[i]);
        mine.add(key, hash(key));
      }
      mine_fits = mine.size() <= few;
    }
#pragma omp critical
    {
      fits = fits && mine_fits;
      if (fits) mine.for_each([&](const auto& key, std::uint64_t count) { all.add(key, hash(key), count); });
    }
  }
  return fits;
}

/// Keys sorted into partitions by the upper bits of their hash: start[p] .. start[p+1].
template <class T>
std::vector<std::uint64_t> split(const T* values, std::uint64_t n, int threads, HostArray<KeyOf<T>>& keys) {
  const auto parts = static_cast<std::uint64_t>(threads);
  std::vector<std::uint64_t> next(parts * partitions + 1, 0);
  const auto partition_of = [](const KeyOf<T>& key) { return hash(key) >> 54; };
  const auto each = [&](std::uint64_t part, auto&& use) {
    for (std::uint64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) use(key_of(values[i]));
  };
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::uint64_t part = 0; part < parts; ++part)
    each(part, [&](const KeyOf<T>& key) { ++next[partition_of(key) * parts + part + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint64_t> start(partitions + 1);
  for (std::size_t p = 0; p <= partitions; ++p) start[p] = next[p * parts];
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::uint64_t part = 0; part < parts; ++part)
    each(part, [&](const KeyOf<T>& key) { keys[next[partition_of(key) * parts + part]++] = key; });
  return start;
}

}  // namespace detail

/// Counts all distinct values. Their keys come in parts, each key in one part only: merge(summarise(counter)) is called
/// for the Counter of each part, summarise by several threads, merge by one at a time. The order of parts is open.
/// Complexity: linear in n; scratch memory of about the values' size where more than a few thousand are distinct.
template <class T, class Summarise, class Merge>
void count_values(const T* values, std::uint64_t n, int threads, Summarise&& summarise, Merge&& merge) {
  if (Counter<KeyOf<T>> all; detail::count_few(values, n, threads, all)) return merge(summarise(all));
  HostArray<KeyOf<T>> keys(n);
  const auto start = detail::split(values, n, threads, keys);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
  for (std::size_t p = 0; p < detail::partitions; ++p) {
    Counter<KeyOf<T>> counter;
    for (std::uint64_t i = start[p]; i < start[p + 1]; ++i) counter.add(keys[i], hash(keys[i]));
    auto summary = summarise(counter);
#pragma omp critical
    merge(std::move(summary));
  }
}

/// The bits of the `limit` most frequent values (all of them if fewer are distinct), most frequent first, ties by bit
/// pattern. threads: 0 for OpenMP's default. Key: std::uint32_t, std::uint64_t or Bytes16.
template <class Key>
[[nodiscard]] std::vector<Key> most_frequent(const Key* bits, std::uint64_t n, std::size_t limit, int threads = 0);

}  // namespace spress::analyze
