// Equal values found by their bits: the table behind lut stores and behind statistics on values.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Calls use with a typed pointer to the bit patterns of a raw store: std::uint32_t, std::uint64_t or Bytes16.
/// Requires: a raw store with values.
template <class Use>
decltype(auto) with_bits(const ValueStore<Viewed>& raw, Use&& use) {
  const void* at = raw.codes.raw();
  switch (raw.type) {
    case ValueType::f32: return use(static_cast<const std::uint32_t*>(at));
    case ValueType::c128: return use(static_cast<const Bytes16*>(at));
    default: return use(static_cast<const std::uint64_t*>(at));
  }
}

/// Two rounds of shifting and multiplying: every bit of the key reaches the upper and the lower bits of the hash.
[[nodiscard]] inline std::uint64_t hash_bits(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
  z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
  return z ^ (z >> 32);
}
[[nodiscard]] inline std::uint64_t hash_bits(const Bytes16& key) {
  return hash_bits(key.low + 3 * hash_bits(key.high));
}

/// A number above 0 for each of a set of keys, by open addressing; grows as needed.
template <class Key>
class CountTable {
 public:
  /// The number of a key, 0 if it is new. Requires: the caller makes it larger than 0 before the next call.
  std::uint64_t& at(const Key& key) { return at(key, hash_bits(key)); }
  void add(const Key& key, std::uint64_t n = 1) { at(key) += n; }
  /// Adds 1 for each of n keys, in order.
  void add_all(const Key* keys, std::size_t n) {
    for_each_hashed(keys, n, [&](const Key& key, std::uint64_t hash) { ++at(key, hash); });
  }
  [[nodiscard]] std::uint64_t count(const Key& key) const { return slots_[place_of(key, hash_bits(key))].count; }
  /// Calls use(count(key)) for each of n keys, in order.
  template <class Use>
  void counts_of(const Key* keys, std::size_t n, Use&& use) const {
    for_each_hashed(keys, n, [&](const Key& key, std::uint64_t hash) { use(slots_[place_of(key, hash)].count); });
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t memory() const { return slots_.size() * sizeof(Slot); }
  /// Forgets all keys and keeps the memory.
  void clear() {
    if (used_ != 0) std::fill(slots_.begin(), slots_.end(), Slot{});
    used_ = 0;
  }
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
  /// Calls use(key, hash_bits(key)) for each of n keys, in order; they may be objects of another type with the bits of
  /// keys. The slots of some keys are fetched together: one that is out of cache is not waited for alone.
  template <class Use>
  void for_each_hashed(const Key* keys, std::size_t n, Use&& use) const {
    constexpr std::size_t together = 16;
    std::array<Key, together> some;
    std::array<std::uint64_t, together> hashes;
    for (std::size_t k = 0; k < n; k += together) {
      const std::size_t count = std::min(together, n - k);
      std::memcpy(some.data(), keys + k, count * sizeof(Key));
      for (std::size_t i = 0; i < count; ++i) {
        hashes[i] = hash_bits(some[i]);
        __builtin_prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
      }
      for (std::size_t i = 0; i < count; ++i) use(some[i], hashes[i]);
    }
  }
  std::uint64_t& at(const Key& key, std::uint64_t hash) {
    std::size_t place = place_of(key, hash);
    if (slots_[place].count == 0) place = insert(key, hash, place);
    return slots_[place].count;
  }
  [[nodiscard]] std::size_t place_of(const Key& key, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    while (slots_[place].count != 0 && !(slots_[place].key == key)) place = (place + 1) & mask;
    return place;
  }
  std::size_t insert(const Key& key, std::uint64_t hash, std::size_t place) {
    if (2 * ++used_ > slots_.size()) {
      grow();
      place = place_of(key, hash);
    }
    slots_[place].key = key;
    return place;
  }
  void grow() {
    const HostArray<Slot> old = std::exchange(slots_, HostArray<Slot>(slots_.size() * 2, Slot{}));
    for (const Slot& slot : old)
      if (slot.count != 0) slots_[place_of(slot.key, hash_bits(slot.key))] = slot;
  }

  HostArray<Slot> slots_ = HostArray<Slot>(64, Slot{});  // a power of two, at most half of them used
  std::size_t used_ = 0;
};

/// That of the thread, which need not be in a parallel region if there is only one.
template <class Table>
[[nodiscard]] Table& mine_of(std::vector<Table>& tables) {
  return tables[tables.size() == 1 ? 0 : static_cast<std::size_t>(omp_get_thread_num())];
}

/// Counts `n` keys; nothing, and soon, where there are more than `limit` distinct ones.
template <class Key>
[[nodiscard]] std::optional<CountTable<Key>> count_distinct(const Key* keys, std::uint64_t n, std::size_t limit,
                                                            int threads) {
  const int team = threads_worth(threads, n);
  std::vector<CountTable<Key>> tables(static_cast<std::size_t>(team));
  const bool few = parallel_all_of(n, threads, [&](std::uint64_t first, std::uint64_t last) {
    CountTable<Key>& mine = mine_of(tables);
    mine.add_all(keys + first, last - first);
    return mine.size() <= limit;
  });
  if (!few) return std::nullopt;
  for (std::size_t apart = 1; apart < tables.size(); apart *= 2)  // in pairs, so that all threads merge
    parallel_for_dynamic((tables.size() + apart - 1) / (2 * apart), team, [&](std::uint64_t pair, std::size_t) {
      const auto from = std::exchange(tables[(2 * pair + 1) * apart], {});
      from.for_each([&](const Key& key, std::uint64_t count) { tables[2 * pair * apart].add(key, count); });
    });
  if (tables[0].size() > limit) return std::nullopt;
  return std::move(tables[0]);
}

}  // namespace spress
