#include "analyze/value_statistics.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <numeric>
#include <vector>

namespace spress::analyze {
namespace {

/// Bits of a value as a key that can be hashed and compared.
template <class T>
auto key_of(const T& value) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else
    return std::bit_cast<Bytes16>(value);
}

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
  return (z ^ (z >> 32)) * 0xD6E8FEB86659FD93u;
}
std::uint64_t hash(std::uint32_t key) { return mix(key + 0x9E3779B97F4A7C15u); }
std::uint64_t hash(std::uint64_t key) { return mix(key + 0x9E3779B97F4A7C15u); }
std::uint64_t hash(const Bytes16& key) { return mix(key.low + 0x9E3779B97F4A7C15u + 3 * mix(key.high)); }

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

constexpr std::size_t few = 4096;         // distinct values that a small table in cache takes in one pass
constexpr std::size_t partitions = 1024;  // else: keys split by hash, so that each part's table stays in cache

/// The counts of all distinct keys, in no order. One pass with a small table, given up where it overflows.
template <class T>
bool count_few(const T* values, std::uint64_t n, int threads, std::vector<std::uint64_t>& counts) {
  Counter<decltype(key_of(*values))> all;
  bool fits = true;
#pragma omp parallel num_threads(threads)
  {
    Counter<decltype(key_of(*values))> mine;
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
  if (!fits) return false;
  all.for_each([&](const auto&, std::uint64_t count) { counts.push_back(count); });
  return true;
}

/// Keys sorted into partitions by the upper bits of their hash: start[p] .. start[p+1].
template <class T, class Key>
std::vector<std::uint64_t> split(const T* values, std::uint64_t n, int threads, HostArray<Key>& keys) {
  const auto parts = static_cast<std::uint64_t>(threads);
  std::vector<std::uint64_t> next(parts * partitions + 1, 0);
  const auto partition_of = [](const Key& key) { return hash(key) >> 54; };
  const auto each = [&](std::uint64_t part, auto&& use) {
    for (std::uint64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) use(key_of(values[i]));
  };
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::uint64_t part = 0; part < parts; ++part)
    each(part, [&](const Key& key) { ++next[partition_of(key) * parts + part + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint64_t> start(partitions + 1);
  for (std::size_t p = 0; p <= partitions; ++p) start[p] = next[p * parts];
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::uint64_t part = 0; part < parts; ++part)
    each(part, [&](const Key& key) { keys[next[partition_of(key) * parts + part]++] = key; });
  return start;
}

template <class T>
void count_many(const T* values, std::uint64_t n, int threads, std::vector<std::uint64_t>& counts) {
  using Key = decltype(key_of(*values));
  HostArray<Key> keys(n);
  const auto start = split(values, n, threads, keys);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8)
  for (std::size_t p = 0; p < partitions; ++p) {
    Counter<Key> counter;
    for (std::uint64_t i = start[p]; i < start[p + 1]; ++i) counter.add(keys[i], hash(keys[i]));
    std::vector<std::uint64_t> mine;
    mine.reserve(counter.size());
    counter.for_each([&](const Key&, std::uint64_t count) { mine.push_back(count); });
#pragma omp critical
    counts.insert(counts.end(), mine.begin(), mine.end());
  }
}

/// Share of n that the `top` largest counts hold. Reorders the counts.
double coverage(std::vector<std::uint64_t>& counts, std::size_t top, std::uint64_t n) {
  if (counts.size() <= top) return 1;
  std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(top), counts.end(), std::greater<>());
  const auto held =
      std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(top), std::uint64_t{0});
  return static_cast<double>(held) / static_cast<double>(n);
}

template <class T>
bool is_zero(const T& value) {
  return value == T(0);
}
template <class T>
bool float_exact(const T& value) {
  return fits_exactly<float>(value);
}
bool float_exact(const std::complex<double>& value) {
  return fits_exactly<float>(value.real()) && fits_exactly<float>(value.imag());
}

/// The smallest type that holds every value, as make_narrow builds it.
template <class T>
std::optional<DType> narrow_type(const T* values, std::uint64_t n) {
  const auto all = [&]<class Small>(Small) {
    return std::all_of(values, values + n, [](T v) { return fits_exactly<Small>(v); });
  };
  if (n == 0) return std::nullopt;
  if (all(std::int8_t{})) return DType::i8;
  if (all(std::int16_t{})) return DType::i16;
  if constexpr (std::is_same_v<T, double>) {
    if (all(float{})) return DType::f32;
    if (all(std::int32_t{})) return DType::i32;
  }
  return std::nullopt;
}

template <class T>
ValueStatistics statistics_of(const T* values, std::uint64_t n, int threads) {
  ValueStatistics out;
  out.count = n;
  if (n == 0) return out;
  std::uint64_t zeros = 0, exact = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : zeros, exact)
  for (std::uint64_t i = 0; i < n; ++i) {
    zeros += is_zero(values[i]);
    exact += float_exact(values[i]);
  }
  out.explicit_zeros = zeros;
  out.exact_in_float = static_cast<double>(exact) / static_cast<double>(n);
  std::vector<std::uint64_t> counts;
  if (!count_few(values, n, threads, counts)) {
    counts.clear();
    count_many(values, n, threads, counts);
  }
  out.distinct = counts.size();
  out.coverage_65536 = coverage(counts, 65536, n);
  out.coverage_256 = coverage(counts, 256, n);
  if constexpr (!std::is_same_v<T, std::complex<double>>) out.narrow = narrow_type(values, n);
  return out;
}

}  // namespace

ValueStatistics value_statistics(const ValueStore<Viewed>& raw, int threads) {
  if (threads <= 0) threads = omp_get_max_threads();
  switch (raw.type) {
    case ValueType::f32: return statistics_of(raw.codes.as<float>(), raw.count, threads);
    case ValueType::f64: return statistics_of(raw.codes.as<double>(), raw.count, threads);
    case ValueType::c128: return statistics_of(raw.codes.as<std::complex<double>>(), raw.count, threads);
    case ValueType::none: break;
  }
  ValueStatistics pattern;
  pattern.count = raw.count;
  return pattern;
}

std::optional<std::uint64_t> store_bytes(StoreKind kind, const ValueStatistics& statistics, ValueType type,
                                         std::uint64_t slots) {
  const std::uint64_t width = size_of(type);
  const auto table = [&](std::uint64_t limit, std::uint64_t code) -> std::optional<std::uint64_t> {
    if (statistics.distinct == 0 || statistics.distinct > limit) return std::nullopt;
    return slots * code + statistics.distinct * width;
  };
  switch (kind) {
    case StoreKind::raw: return slots * width;
    case StoreKind::narrow:
      if (!statistics.narrow) return std::nullopt;
      return slots * size_of(*statistics.narrow);
    case StoreKind::lut8: return table(256, 1);
    case StoreKind::lut16: return table(65536, 2);
    case StoreKind::iso:
      if (statistics.distinct != 1) return std::nullopt;
      return width;
  }
  return std::nullopt;
}

}  // namespace spress::analyze
