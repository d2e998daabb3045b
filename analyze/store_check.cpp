#include "analyze/store_check.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "formats/distinct.hpp"
#include "formats/parallel.hpp"

namespace spress::analyze {
namespace {

/// A few keys, each with a place of its own: to find one takes one multiplication and one comparison.
template <class Key>
class PerfectTable {
 public:
  /// None where no multiplier of the first thousand keeps the keys apart.
  static std::optional<PerfectTable> make(const std::vector<Key>& keys) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      PerfectTable table(hash_bits(seed) | 1);
      if (table.place_all(keys)) return table;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool holds(const Key& key) const { return slots_[place_of(key)] == key; }

 private:
  static constexpr int bits = 13;
  explicit PerfectTable(std::uint64_t multiplier) : multiplier_(multiplier) {}

  [[nodiscard]] std::size_t place_of(const Key& key) const {
    if constexpr (std::is_same_v<Key, Bytes16>)
      return ((key.low ^ (key.high * 3)) * multiplier_) >> (64 - bits);
    else
      return (key * multiplier_) >> (64 - bits);
  }
  /// Empty places hold the first key, so that nothing but a key is ever found.
  bool place_all(const std::vector<Key>& keys) {
    slots_.assign(std::size_t{1} << bits, keys.front());
    std::vector<bool> taken(slots_.size());
    for (const Key& key : keys) {
      const std::size_t place = place_of(key);
      if (taken[place]) return false;
      taken[place] = true;
      slots_[place] = key;
    }
    return true;
  }

  std::uint64_t multiplier_;
  std::vector<Key> slots_;
};

template <class Key>
bool all_among(const Key* keys, std::uint64_t n, const CountTable<Key>& known, int threads) {
  std::vector<Key> list;
  known.for_each([&](const Key& key, std::uint64_t) { list.push_back(key); });
  if (list.empty()) return n == 0;
  const auto table = PerfectTable<Key>::make(list);
  return table && all_ranges(n, threads, [&](std::uint64_t first, std::uint64_t last) {
           bool all = true;
           for (std::uint64_t i = first; i < last; ++i) all = all & table->holds(keys[i]);
           return all;
         });
}

/// True only if more than `limit` keys are distinct, as the first ones mostly show: keys that fall on different places
/// of a bitmap differ, and to mark a place takes a fraction of the time that a table takes.
template <class Key>
bool surely_more(std::size_t limit, const Key* keys, std::uint64_t n) {
  const std::size_t places = std::bit_ceil(16 * limit);
  std::vector<std::uint64_t> marks(places / 64);
  std::size_t marked = 0;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(n, 4 * limit) && marked <= limit; ++i) {
    const std::size_t place = hash_bits(keys[i]) & (places - 1);
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    marked += (marks[place / 64] & bit) == 0 ? 1 : 0;
    marks[place / 64] |= bit;
  }
  return marked > limit;
}

/// The number of distinct values if it is at most `limit`. Where those of the sample are few, they are mostly all.
std::optional<std::uint64_t> distinct_up_to(std::size_t limit, const ValueStore<Viewed>& raw,
                                            const ValueStore<Viewed>& sample, int threads) {
  return with_bits(raw, [&]<class Key>(const Key* keys) -> std::optional<std::uint64_t> {
    const auto known = count_distinct(static_cast<const Key*>(sample.codes.raw()), sample.count, limit, threads);
    if (!known) return std::nullopt;
    if (known->size() > 256 && surely_more(limit, keys, raw.count)) return std::nullopt;
    if (known->size() <= 256 && all_among(keys, raw.count, *known, threads)) return known->size();
    const auto all = count_distinct(keys, raw.count, limit, threads);
    return all ? std::optional<std::uint64_t>(all->size()) : std::nullopt;
  });
}

template <class T>
std::optional<DType> narrow_type_of(const T* values, std::uint64_t n, int threads) {
  std::vector<unsigned> masks(static_cast<std::size_t>(threads_worth(threads, n)), all_narrow_types);
  const bool some = all_ranges(n, threads, [&](std::uint64_t first, std::uint64_t last) {
    unsigned& mask = masks[static_cast<std::size_t>(omp_get_thread_num())];
    for (std::uint64_t i = first; i < last && mask != 0; ++i) mask = narrow_types_holding(values[i], mask);
    return mask != 0;
  });
  unsigned common = all_narrow_types;
  for (const unsigned mask : masks) common &= mask;
  return some ? narrowest(common) : std::nullopt;
}

}  // namespace

std::optional<DType> narrow_type(const ValueStore<Viewed>& raw, int threads) {
  if (raw.count == 0) return std::nullopt;
  if (raw.type == ValueType::f64) return narrow_type_of(raw.codes.as<double>(), raw.count, threads);
  if (raw.type == ValueType::f32) return narrow_type_of(raw.codes.as<float>(), raw.count, threads);
  return std::nullopt;
}

std::optional<std::uint64_t> table_length(StoreKind kind, const ValueStore<Viewed>& raw,
                                          const ValueStore<Viewed>& sample, int threads) {
  const auto without_table = [](bool holds) {
    return holds ? std::optional<std::uint64_t>(0) : std::optional<std::uint64_t>();
  };
  if (kind == StoreKind::raw) return 0;
  if (raw.type == ValueType::none || raw.count == 0) return std::nullopt;
  switch (kind) {
    case StoreKind::lut8: return distinct_up_to(256, raw, sample, threads);
    case StoreKind::lut16: return distinct_up_to(65536, raw, sample, threads);
    case StoreKind::iso: return distinct_up_to(1, raw, sample, threads);
    case StoreKind::narrow: return without_table(narrow_type(raw, threads).has_value());
    default: return without_table(with_store(raw, kind).ok());
  }
}

}  // namespace spress::analyze
