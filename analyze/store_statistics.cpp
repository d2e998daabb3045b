#include "analyze/store_statistics.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <type_traits>

#include "formats/core/threads.hpp"
#include "formats/values/distinct.hpp"

namespace spress::analyze {
namespace {

/// A hash table of keys that several threads fill without locks. Free slots hold the first key.
template <class Key>
class SharedKeys {
 public:
  /// most: the largest number of keys that are inserted, `first` included.
  SharedKeys(std::uint64_t most, const Key& first, int threads)
      : mask_(std::bit_ceil(2 * most + 2) - 1),
        shift_(64 - std::popcount(mask_)),
        slots_(std::make_unique_for_overwrite<Key[]>(mask_ + 1)),
        first_(first) {
    parallel_for(mask_ + 1, threads_worth(threads, mask_ + 1), [&](std::uint64_t slot) { slots_[slot] = first; });
  }

  /// Returns how many of the keys are new. The first key never is.
  std::uint64_t insert(const Key* keys, std::uint64_t n) {
    std::uint64_t added = 0;
    for (std::uint64_t i = 0; i < n; ++i)
      if (const std::size_t place = place_of(keys[i]); slot(place).load(std::memory_order_relaxed) != keys[i])
        added += insert(keys[i], place) ? 1 : 0;
    return added;
  }

 private:
  [[nodiscard]] std::atomic_ref<Key> slot(std::size_t place) { return std::atomic_ref<Key>(slots_[place]); }
  /// The place comes from the upper bits of the product, because they depend on every bit of the key.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    return ((key ^ (key >> 32)) * 0x9E3779B97F4A7C15u) >> shift_;
  }
  bool insert(const Key& key, std::size_t place) {
    for (;; place = (place + 1) & mask_) {
      Key there = slot(place).load(std::memory_order_relaxed);
      if (there == first_ && key != first_ &&
          slot(place).compare_exchange_strong(there, key, std::memory_order_relaxed))
        return true;
      if (there == key) return false;
    }
  }

  std::uint64_t mask_;  // one less than the slots, which are a power of two
  int shift_;
  std::unique_ptr<Key[]> slots_;
  Key first_;
};

/// The number of distinct keys, or limit + 1 if they are more. Requires: keys.
template <class Key>
std::uint64_t count_up_to(std::uint64_t limit, const Key* keys, std::uint64_t n, int threads) {
  if constexpr (std::is_same_v<Key, Bytes16>) {
    const auto counted = count_distinct(keys, n, limit, threads);
    return counted ? counted->size() : limit + 1;
  } else {
    constexpr std::uint64_t batch = 256;  // keys that a thread inserts before it looks at the count
    const auto team = static_cast<std::uint64_t>(threads_worth(threads, n));
    SharedKeys<Key> table(std::min(n, limit + team * batch) + 1, keys[0], threads);
    std::atomic<std::uint64_t> count = 1;
    parallel_all_of(n, threads, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last && count <= limit; i += batch)
        if (const std::uint64_t added = table.insert(keys + i, std::min(last - i, batch)); added != 0) count += added;
      return count <= limit;
    });
    return std::min<std::uint64_t>(count, limit + 1);
  }
}

}  // namespace

ValueStatistics store_statistics(const ValueStore<Viewed>& raw, int threads) {
  ValueStatistics out;
  out.count = raw.count;
  if (raw.type == ValueType::none || raw.count == 0) return out;
  out.narrow = narrow_type(raw, threads);
  out.distinct = with_bits(raw, [&](const auto* keys) { return count_up_to(most_in_table, keys, raw.count, threads); });
  return out;
}

}  // namespace spress::analyze
