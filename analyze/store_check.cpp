#include "analyze/store_check.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/core/avx2.hpp"
#include "formats/core/each_index.hpp"
#include "formats/core/parallel.hpp"
#include "formats/values/distinct.hpp"

#ifdef SPRESS_AVX2
#include <immintrin.h>
#endif

namespace spress::analyze {
namespace {

/// Calls insert(key) for those keys that are not where they are looked for first, as is_there(key) says. Of eight at
/// once, since most are there, so that no branch is guessed for each.
template <class Key, class IsThere, class Insert>
void insert_missing(const Key* keys, std::uint64_t n, const IsThere& is_there, const Insert& insert) {
  constexpr std::uint64_t eight = 8;
  std::uint64_t i = 0;
  for (; i + eight <= n; i += eight) {
    std::uint32_t missing = 0;
    for (std::uint32_t k = 0; k < eight; ++k) missing |= (is_there(keys[i + k]) ? 0u : 1u) << k;
    for (; missing != 0; missing &= missing - 1)
      insert(keys[i + static_cast<std::uint32_t>(std::countr_zero(missing))]);
  }
  for (; i < n; ++i) insert(keys[i]);
}

/// Of which the upper bits are taken: each depends on all bits of the key.
std::uint64_t quick_hash(std::uint64_t key) { return (key ^ (key >> 32)) * 0x9E3779B97F4A7C15u; }
std::uint64_t quick_hash(const Bytes16& key) { return quick_hash(key.low + 3 * quick_hash(key.high)); }

/// Keys as they are met, without counts: some nanoseconds each where they are few.
template <class Key>
class KeySet {
 public:
  /// most: the number of keys that may come. likely: so many will, or 0: not known.
  explicit KeySet(std::uint64_t most, std::uint64_t likely = 0)
      : most_slots_(std::bit_ceil(2 * most + 2)), likely_(likely) {}

  void insert(const Key& key) { insert(&key, 1); }
  void insert(const Key* keys, std::uint64_t n) {
    if (used_ == 0 && n != 0) begin(keys[0]);
    insert_missing(
        keys, n, [&](const Key& key) { return slots_[place_of(key)] == key; },
        [&](const Key& key) {
          Key& slot = slot_for(key);
          if (slot == key) return;
          slot = key;
          if (++used_ > room_ && slots_.size() < most_slots_) grow();
        });
  }
  [[nodiscard]] std::size_t size() const { return used_; }
  template <class Use>
  void for_each(Use&& use) const {
    if (used_ != 0) use(first_);
    for (const Key& key : slots_)
      if (!(key == first_)) use(key);
  }

 private:
  void begin(const Key& key) {
    constexpr std::size_t first_slots = 512;
    const std::size_t wanted = likely_ == 0 ? first_slots : std::bit_ceil(2 * likely_);
    first_ = key;
    used_ = 1;
    set_slots(std::min(wanted, most_slots_));
    room_ = std::max<std::size_t>(likely_, slots_.size() / 8);
  }
  /// Free ones hold the first key. Requires: a power of two.
  void set_slots(std::size_t slots) {
    slots_.assign(slots, first_);
    shift_ = 64 - std::countr_zero(slots);
  }
  [[nodiscard]] std::size_t place_of(const Key& key) const { return quick_hash(key) >> shift_; }
  /// That of the key, or the free one where it belongs; of the first key a free one, which holds it.
  [[nodiscard]] Key& slot_for(const Key& key) {
    std::size_t place = place_of(key);
    while (!(slots_[place] == key || slots_[place] == first_)) place = (place + 1) & (slots_.size() - 1);
    return slots_[place];
  }
  void grow() {
    std::vector<Key> old = std::move(slots_);
    set_slots(std::min(old.size() * 4, most_slots_));
    room_ = slots_.size() / (slots_.size() > small ? 2 : 8);
    for (const Key& key : old)
      if (!(key == first_)) slot_for(key) = key;
  }

  /// Of as many slots, a first cache holds those in use: let few keys be in others' way. Larger tables cost memory.
  static constexpr std::size_t small = 1 << 15;
  std::size_t most_slots_;
  std::uint64_t likely_;
  std::vector<Key> slots_;  // twice as many as keys at least
  int shift_ = 0;           // of hashes
  Key first_ = {};
  std::size_t used_ = 0, room_ = 0;  // keys: room for so many before there are more slots
};

/// Unites sets two by two, several pairs at a time, in the first of each pair, until these hold at most `enough` keys
/// together, those in several counted for each, or one holds all; returns how many. Where a set gets more than `limit`,
/// some may be left out.
template <class Key>
std::size_t unite(std::vector<KeySet<Key>>& sets, std::size_t limit, std::size_t enough) {
  constexpr std::size_t few = 8192;  // united on one thread before others are awake
  const auto keys_of_every = [&](std::size_t step) {
    std::size_t keys = 0;
    for (std::size_t k = 0; k < sets.size(); k += step) keys += sets[k].size();
    return keys;
  };
  std::size_t all = keys_of_every(1);
  for (std::size_t step = 1; step < sets.size() && all > enough; step *= 2) {
    const std::size_t pairs = (sets.size() + step - 1) / (2 * step);
    each_index(pairs, all < few ? 1 : static_cast<int>(sets.size()), [&](std::uint64_t k, std::size_t) {
      KeySet<Key>& into = sets[2 * step * k];
      if (into.size() <= limit) sets[2 * step * k + step].for_each([&](const Key& key) { into.insert(key); });
    });
    all = keys_of_every(2 * step);
  }
  return all;
}

/// The distinct ones among those keys that `draw` takes; nothing, and soon, where they are more than `limit`. likely:
/// so many are expected, or 0: not known.
template <class Key, class Draw>
std::optional<KeySet<Key>> distinct_keys(const Key* keys, std::uint64_t n, std::size_t limit, int threads,
                                         const Draw& draw, std::uint64_t likely = 0) {
  const auto team = static_cast<std::size_t>(threads_worth(threads, n));
  std::vector<KeySet<Key>> sets(team, KeySet<Key>(n, likely / team));
  const bool few = all_ranges(n, threads, [&](std::uint64_t first, std::uint64_t last) {
    KeySet<Key>& mine = mine_of(sets);
    draw.insert(keys + first, last - first, mine);
    return mine.size() <= limit;
  });
  if (!few) return std::nullopt;
  unite(sets, limit, 0);
  if (sets[0].size() > limit) return std::nullopt;
  return std::move(sets[0]);
}

/// Keys that several threads put into one table. Requires: keys that an atomic operation can exchange.
template <class Key>
class SharedKeys {
 public:
  /// most: the keys that may come, `first` among them.
  SharedKeys(std::uint64_t most, const Key& first, int threads)
      : mask_(std::bit_ceil(2 * most + 2) - 1),
        shift_(64 - std::popcount(mask_)),
        slots_(std::make_unique_for_overwrite<Key[]>(mask_ + 1)),
        first_(first),
        alone_(threads == 1) {
    constexpr std::uint64_t piece = 4096;
    share_index((mask_ + piece) / piece, threads, [&](std::uint64_t p) {
      std::fill(slots_.get() + p * piece, slots_.get() + std::min((p + 1) * piece, mask_ + 1), first);
    });
  }

  /// Returns how many keys are new, but for the first, which is not.
  std::uint64_t insert(const Key* keys, std::uint64_t n) {
    std::uint64_t met = 0;
    insert_missing(
        keys, n, [&](const Key& key) { return at(place_of(key)) == key; },
        [&](const Key& key) { met += insert(key) ? 1 : 0; });
    return met;
  }

 private:
  [[nodiscard]] std::size_t place_of(const Key& key) const { return quick_hash(key) >> shift_; }
  [[nodiscard]] Key at(std::size_t place) {
    return std::atomic_ref<Key>(slots_[place]).load(std::memory_order_relaxed);
  }
  bool insert(const Key& key) {
    for (std::size_t place = place_of(key);; place = (place + 1) & mask_) {
      const std::atomic_ref<Key> slot(slots_[place]);
      Key there = slot.load(std::memory_order_relaxed);
      if (there == first_ && key != first_) {
        if (alone_) slot.store(key, std::memory_order_relaxed);  // in a part of the time that an exchange takes
        if (alone_ || slot.compare_exchange_strong(there, key, std::memory_order_relaxed)) return true;
      }
      if (there == key) return false;
    }
  }

  std::uint64_t mask_;            // one less than the slots, a power of two
  int shift_;                     // of hashes
  std::unique_ptr<Key[]> slots_;  // free ones hold the first key
  Key first_;
  bool alone_;
};

/// How many keys are met and how many are not looked at yet. Requires: `used` is raised before `left` is lowered.
struct KeysLeft {
  std::atomic<std::uint64_t> used = 0, left;

  explicit KeysLeft(std::uint64_t n) : left(n) {}
  /// So many at most when all are looked at.
  [[nodiscard]] std::uint64_t most_used() const {
    const std::uint64_t new_at_most = left;  // read first: those that it leaves out are in use already
    return new_at_most + used;
  }
};

/// The number of distinct keys if it is at most `limit`; or enough: true once that is sure, be those that are left all
/// new ones, and then the number is but a bound. most: no more are expected, and the table is that small first: where
/// it gets full, counting begins anew. Requires: keys; limit < 2^63.
template <class Key>
std::optional<std::uint64_t> count_shared(const Key* keys, std::uint64_t n, std::uint64_t limit, int threads,
                                          bool enough, std::uint64_t most) {
  constexpr std::uint64_t batch = 256;
  const auto team = static_cast<std::uint64_t>(threads_worth(threads, n));
  const std::uint64_t room = std::min(limit, most + 2 * batch);
  SharedKeys<Key> table(std::min(n, room + team * batch) + 1, keys[0], static_cast<int>(team));
  KeysLeft count(n);
  count.used = 1;
  const auto is_enough = [&] { return enough && count.most_used() <= limit; };
  const bool few = all_ranges(n, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last && count.used <= room; i += batch) {
      const std::uint64_t met = table.insert(keys + i, std::min(last - i, batch));
      if (met != 0) count.used += met;
    }
    if (count.used > room) return false;  // keys of this range may not have been met
    count.left -= last - first;
    return !is_enough();
  });
  if (few || is_enough()) return count.most_used();
  return room < limit ? count_shared(keys, n, limit, threads, enough, limit) : std::nullopt;
}

struct DrawAll {
  template <class Key>
  void insert(const Key* keys, std::uint64_t n, KeySet<Key>& into) const {
    into.insert(keys, n);
  }
};

/// Whether at most `limit` keys are distinct. Each thread has a set of its own, so that none waits for what another one
/// writes; often these hold no more keys together, though equal ones may be in several, and need not be united.
/// Requires: keys. Takes memory for four times as many at most.
template <class Key>
bool at_most_apart(const Key* keys, std::uint64_t n, std::uint64_t limit, int threads) {
  const auto team = static_cast<std::uint64_t>(threads_worth(threads, n));
  std::vector<KeySet<Key>> sets(team, KeySet<Key>(n, n / team + n / team / 16));  // mostly for as many as will come
  KeysLeft count(n);
  all_ranges(n, threads, [&](std::uint64_t first, std::uint64_t last) {
    KeySet<Key>& mine = mine_of(sets);
    const std::size_t before = mine.size();
    mine.insert(keys + first, last - first);
    count.used += mine.size() - before;
    count.left -= last - first;
    return count.most_used() > limit;
  });
  const bool few = count.most_used() <= limit || unite(sets, limit, limit) <= limit;
  share_index(team, static_cast<int>(team), [&](std::uint64_t t) { sets[t] = KeySet<Key>(0); });  // each its own memory
  return few;
}

/// The number of distinct keys if it is at most `limit`. Requires: keys.
template <class Key>
std::optional<std::uint64_t> count_up_to(std::uint64_t limit, const Key* keys, std::uint64_t n, int threads) {
  if constexpr (std::is_same_v<Key, Bytes16>) {
    const auto found = distinct_keys(keys, n, limit, threads, DrawAll());
    return found ? std::optional<std::uint64_t>(found->size()) : std::nullopt;
  } else {
    return count_shared(keys, n, limit, threads, false, limit);
  }
}

/// Whether the number of distinct keys is at most `limit`. most: as for count_shared. Requires: keys.
template <class Key>
bool is_at_most(std::uint64_t limit, const Key* keys, std::uint64_t n, int threads, std::uint64_t most) {
  constexpr std::uint64_t most_apart = 32768;  // keys of a thread
  const auto team = static_cast<std::uint64_t>(threads_worth(threads, n));
  if (team > 1 && n / team <= most_apart) return at_most_apart(keys, n, limit, threads);
  if constexpr (std::is_same_v<Key, Bytes16>)
    return count_up_to(limit, keys, n, threads).has_value();
  else
    return count_shared(keys, n, limit, threads, true, most).has_value();
}

/// A hash of 32 bits by which keys are drawn, of which the upper ones are taken: each depends on all bits of the key.
/// Its halves are not just XORed, since in fractions like i/65535 one half follows from the other.
class HalfHash {
 public:
  template <class Key>
  static std::uint32_t of(const Key& key) {
    std::uint64_t folded;
    if constexpr (std::is_same_v<Key, Bytes16>)
      folded = key.low + quick_hash(key.high);
    else
      folded = key;
    const auto half = static_cast<std::uint32_t>(folded + 5 * (folded >> 32));
    return (half ^ (half >> 15)) * factor;
  }
  /// Of like keys, too, as if by chance.
  static std::uint32_t mixed(std::uint32_t hash) { return (hash ^ (hash >> 13)) * second_factor; }

  /// Which of eight keys the k-th of of_eight() is of.
  static constexpr std::uint32_t place_of_eight(std::uint32_t k) { return 0x76325410u >> (4 * k) & 7; }

#ifdef SPRESS_AVX2
  /// Those of eight keys, two of the first four and two of the others by turns. Requires: a processor with AVX2.
  SPRESS_AVX2 static __m256i of_eight(const std::uint64_t* keys) {
    const auto load = [&](std::size_t k) SPRESS_AVX2 {
      return _mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + k)));
    };
    const __m256 some = load(0), others = load(4);
    const __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(some, others, 0b10'00'10'00));
    const __m256i high = _mm256_castps_si256(_mm256_shuffle_ps(some, others, 0b11'01'11'01));
    const __m256i half = _mm256_add_epi32(low, _mm256_add_epi32(high, _mm256_slli_epi32(high, 2)));
    return _mm256_mullo_epi32(_mm256_xor_si256(half, _mm256_srli_epi32(half, 15)),
                              _mm256_set1_epi32(static_cast<int>(factor)));
  }
  SPRESS_AVX2 static __m256i mixed(__m256i hashes) {
    return _mm256_mullo_epi32(_mm256_xor_si256(hashes, _mm256_srli_epi32(hashes, 13)),
                              _mm256_set1_epi32(static_cast<int>(second_factor)));
  }
#endif

 private:
  static constexpr std::uint32_t factor = 0x9E3779B1u, second_factor = 0x85EBCA77u;
};

/// At most 256 keys, nearly all of them at places of their own: to find one takes one multiplication and one
/// comparison.
template <class Key>
class FewKeys {
 public:
  static constexpr std::size_t most = 256;

  /// Returns whether there are no more than `limit` keys now; where there are, not all need have come in.
  /// Requires: limit <= most.
  bool insert(const Key* keys, std::uint64_t n, std::size_t limit) {
    if (n != 0 && own_ == 0) begin(keys[0]);
    std::uint64_t i = 0;
#ifdef SPRESS_AVX2
    if constexpr (std::is_same_v<Key, std::uint64_t>)
      for (const bool wide = has_avx2(); wide && i + 8 <= n && size() <= limit; i += 8)
        for (std::uint32_t left = missing_by_avx2(keys + i, slots_.data()); left != 0; left &= left - 1)
          take(keys[i + HalfHash::place_of_eight(static_cast<std::uint32_t>(std::countr_zero(left)))]);
#endif
    for (; i < n && size() <= limit; ++i)
      if (!(slots_[place_of(keys[i])] == keys[i])) take(keys[i]);
    return size() <= limit;
  }
  [[nodiscard]] std::size_t size() const { return own_ + others_.size(); }
  template <class Use>
  void for_each(Use&& use) const {
    if (own_ == 0) return;
    use(first_);
    for (const Key& key : slots_)
      if (!(key == first_)) use(key);
    others_.for_each(use);
  }

 private:
  static constexpr int bits = 12;

  static std::size_t place_of(const Key& key) { return HalfHash::of(key) >> (32 - bits); }
  /// Free places hold the first key.
  void begin(const Key& key) {
    slots_.assign(std::size_t{1} << bits, key);
    first_ = key;
    own_ = 1;
  }
  /// A key that was not at its place.
  void take(const Key& key) {
    Key& slot = slots_[place_of(key)];
    if (slot == key) return;  // one of the same eight put it there
    if (slot == first_ && place_of(key) != place_of(first_)) {
      slot = key;
      ++own_;
      return;
    }
    others_.insert(key);
  }
#ifdef SPRESS_AVX2
  /// Of eight keys those that are not at their places, as bits, by HalfHash::place_of_eight.
  SPRESS_AVX2 static std::uint32_t missing_by_avx2(const std::uint64_t* keys, const std::uint64_t* slots) {
    const __m256i places = _mm256_srli_epi32(HalfHash::of_eight(keys), 32 - bits);
    const __m256i some = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
    const __m256i others = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + 4));
    const auto* from = reinterpret_cast<const long long*>(slots);
    const __m256i first = _mm256_i32gather_epi64(from, _mm256_castsi256_si128(places), 8);
    const __m256i second = _mm256_i32gather_epi64(from, _mm256_extracti128_si256(places, 1), 8);
    const auto found = [&](__m256i there, __m256i wanted) SPRESS_AVX2 {
      return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(there, wanted))));
    };
    return 0xFF ^ (found(first, _mm256_permute2x128_si256(some, others, 0x20)) |
                   found(second, _mm256_permute2x128_si256(some, others, 0x31)) << 4);
  }
#endif

  std::vector<Key> slots_;
  Key first_ = {};
  KeySet<Key> others_{most};  // whose places are taken
  std::size_t own_ = 0;       // keys at their places
};

/// The number of distinct keys if it is at most `limit`; ends soon where it is not. Requires: keys; limit <= 256.
template <class Key>
std::optional<std::uint64_t> count_few(std::size_t limit, const Key* keys, std::uint64_t n, int threads) {
  std::vector<FewKeys<Key>> sets(static_cast<std::size_t>(threads_worth(threads, n)));
  const bool few = all_ranges(n, threads, [&](std::uint64_t first, std::uint64_t last) {
    return mine_of(sets).insert(keys + first, last - first, limit);
  });
  if (!few) return std::nullopt;
  for (std::size_t t = 1; t < sets.size(); ++t)
    sets[t].for_each([&](const Key& key) { sets[0].insert(&key, 1, FewKeys<Key>::most); });
  return sets[0].size() <= limit ? std::optional<std::uint64_t>(sets[0].size()) : std::nullopt;
}

/// Places for keys by their hashes: to mark one takes a fraction of the time that a table takes.
class Marks {
 public:
  /// places: a power of two from 64 to 2^32.
  explicit Marks(std::size_t places) : words_(places / 64), shift_(32 - std::countr_zero(places)) {}

  template <class Key>
  void mark(const Key* keys, std::uint64_t n) {
    std::uint64_t i = 0;
#ifdef SPRESS_AVX2
    if constexpr (std::is_same_v<Key, std::uint64_t>)
      if (has_avx2()) {
        i = n / 8 * 8;
        mark_by_avx2(keys, i, shift_, words_.data());
      }
#endif
    for (; i < n; ++i) mark_place(HalfHash::mixed(HalfHash::of(keys[i])) >> shift_, words_.data());
  }
  [[nodiscard]] std::size_t places() const { return 64 * words_.size(); }
  [[nodiscard]] std::size_t marked() const {
#ifdef SPRESS_AVX2
    if (has_avx2()) return marked_by_popcnt(words_.data(), words_.size());
#endif
    return marked_of(words_.data(), words_.size());
  }

 private:
  [[gnu::always_inline]] static void mark_place(std::uint32_t place, std::uint64_t* words) {
    words[place / 64] |= std::uint64_t{1} << (place % 64);
  }
  [[gnu::always_inline]] static std::size_t marked_of(const std::uint64_t* words, std::size_t n) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += static_cast<std::size_t>(std::popcount(words[i]));
    return count;
  }
#ifdef SPRESS_AVX2
  /// Requires: a number of keys that 8 divides.
  SPRESS_AVX2 static void mark_by_avx2(const std::uint64_t* keys, std::uint64_t n, int shift, std::uint64_t* words) {
    const __m128i distance = _mm_cvtsi32_si128(shift);
    for (std::uint64_t i = 0; i < n; i += 8) {
      alignas(32) std::array<std::uint32_t, 8> places;
      _mm256_store_si256(reinterpret_cast<__m256i*>(places.data()),
                         _mm256_srl_epi32(HalfHash::mixed(HalfHash::of_eight(keys + i)), distance));
      for (const std::uint32_t place : places) mark_place(place, words);
    }
  }
  SPRESS_AVX2 static std::size_t marked_by_popcnt(const std::uint64_t* words, std::size_t n) {
    return marked_of(words, n);
  }
#endif

  std::vector<std::uint64_t> words_;
  int shift_;  // of hashes
};

/// True only if more than `limit` keys are distinct, as the first ones mostly show: those on different places differ.
template <class Key>
bool surely_more(std::size_t limit, const Key* keys, std::uint64_t n) {
  if (n <= limit) return false;
  Marks marks(std::bit_ceil(16 * limit + 64));
  std::uint64_t looked_at = 0;
  for (const std::uint64_t part : {limit + limit / 8, 4 * limit}) {
    const std::uint64_t until = std::min<std::uint64_t>(n, part);
    marks.mark(keys + looked_at, until - looked_at);
    looked_at = until;
    if (marks.marked() > limit) return true;
  }
  return false;
}

/// About how many keys are distinct, by the places that so many leave unmarked: mostly off by less than one in a
/// hundred.
/// Source: Whang, Vander-Zanden, Taylor, "A linear-time probabilistic counting algorithm", 1990.
template <class Key>
std::uint64_t about_distinct(const Key* keys, std::uint64_t n) {
  Marks marks(std::bit_ceil(8 * n + 64));
  marks.mark(keys, n);
  const auto places = static_cast<double>(marks.places()), marked = static_cast<double>(marks.marked());
  return std::min(n, static_cast<std::uint64_t>(std::llround(-places * std::log1p(-marked / places))));
}

/// So many are counted sooner than looked up among those of a sample, or guessed.
constexpr std::uint64_t few_keys = most_met;

/// The distinct keys if there are at most `limit`: they are numbered as they are met, and the numbers, of two bytes,
/// stand in a table. Requires: one key at least, few_keys at most.
template <class Key>
std::optional<Met> number_few(const Key* keys, std::uint64_t n, std::uint64_t limit) {
  const int bits = static_cast<int>(std::bit_width(4 * n));
  const std::size_t mask = (std::size_t{1} << bits) - 1;
  std::vector<std::uint16_t> numbers(mask + 1);                                    // 0: a free place
  const auto met = std::make_unique_for_overwrite<Key[]>(std::min(n, limit) + 1);  // from 1 on
  std::vector<std::uint8_t> again(std::min(n, limit) + 1);                         // those met more than once
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const Key key = keys[i];
    std::size_t place = quick_hash(key) >> (64 - bits);
    while (numbers[place] != 0 && !(met[numbers[place]] == key)) place = (place + 1) & mask;
    if (numbers[place] != 0) {
      again[numbers[place]] = 1;
      continue;
    }
    if (count == limit) return std::nullopt;
    met[++count] = key;
    numbers[place] = static_cast<std::uint16_t>(count);
  }
  return Met{count, count - std::accumulate(again.begin(), again.end(), std::uint64_t{0})};
}

/// The number of distinct values if it is at most `limit`.
std::optional<std::uint64_t> distinct_up_to(std::size_t limit, const ValueStore<Viewed>& raw,
                                            const ValueStore<Viewed>& sample, int threads) {
  return with_bits(raw, [&]<class Key>(const Key* keys) -> std::optional<std::uint64_t> {
    constexpr std::size_t few = FewKeys<Key>::most;
    constexpr std::uint64_t worth_a_table = 1024;
    if (limit <= few && raw.count >= worth_a_table) return count_few(limit, keys, raw.count, threads);
    if (raw.count <= few_keys) {
      const auto met = number_few(keys, raw.count, limit);
      return met ? std::optional<std::uint64_t>(met->distinct) : std::nullopt;
    }
    if (!surely_more(few, static_cast<const Key*>(sample.codes.raw()), sample.count))
      if (const auto found = count_few(few, keys, raw.count, threads)) return found;
    if (surely_more(limit, keys, raw.count)) return std::nullopt;
    return count_up_to(limit, keys, raw.count, threads);
  });
}

#ifdef SPRESS_AVX2
/// Writes those keys whose HalfHash is `taken` but for the last `shift` bits, one behind the other, and returns how
/// many there are. Requires: a processor with AVX2; a number of keys that 8 divides; room for all.
SPRESS_AVX2 std::size_t draw_by_avx2(const std::uint64_t* keys, std::uint64_t n, int shift, std::uint32_t taken,
                                     std::uint64_t* drawn) {
  const __m128i distance = _mm_cvtsi32_si128(shift);
  const __m256i wanted = _mm256_set1_epi32(static_cast<int>(taken));
  std::size_t count = 0;
  for (std::uint64_t i = 0; i < n; i += 8) {
    const __m256i found = _mm256_cmpeq_epi32(_mm256_srl_epi32(HalfHash::of_eight(keys + i), distance), wanted);
    for (auto left = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(found))); left != 0;
         left &= left - 1)
      drawn[count++] = keys[i + HalfHash::place_of_eight(static_cast<std::uint32_t>(std::countr_zero(left)))];
  }
  return count;
}
#endif

/// Keys of a few hashes: about one in 2^bits, and all or none of those with the same hash.
class Draw {
 public:
  explicit Draw(int bits) : shift_(32 - bits), taken_((1u << bits) - 1) {}

  template <class Key>
  void insert(const Key* keys, std::uint64_t n, KeySet<Key>& into) const {
    std::uint64_t i = 0;
#ifdef SPRESS_AVX2
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      std::array<std::uint64_t, 1024> drawn;
      const bool wide = has_avx2();
      for (std::uint64_t next; wide && i + 8 <= n; i = next) {
        next = i + std::min<std::uint64_t>(drawn.size(), (n - i) / 8 * 8);
        into.insert(drawn.data(), draw_by_avx2(keys + i, next - i, shift_, taken_, drawn.data()));
      }
    }
#endif
    for (; i < n; ++i)
      if (takes(keys[i])) into.insert(keys[i]);
  }

 private:
  template <class Key>
  [[nodiscard]] bool takes(const Key& key) const {
    return std::uint64_t{HalfHash::of(key)} >> shift_ == taken_;
  }
  int shift_;            // of hashes: 32 takes all
  std::uint32_t taken_;  // not 0, which many a matrix holds again and again, and of which it is the hash
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Whether all values are whole numbers of 32 bits, and the least and the most of them.
struct WholeNumbers {
  bool all = true;
  std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = std::numeric_limits<std::int32_t>::min();

  void append(const WholeNumbers& next) {
    all = all && next.all;
    least = std::min(least, next.least);
    most = std::max(most, next.most);
  }
  template <class Small>
  [[nodiscard]] bool fit() const {
    return least >= std::numeric_limits<Small>::min() && most <= std::numeric_limits<Small>::max();
  }
};

template <class T>
WholeNumbers whole_numbers(const T* values, std::uint64_t n) {
  WholeNumbers out;
  BitsOf<T> strange = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const bool inside = values[i] >= T(-0x1p31) && values[i] < T(0x1p31);  // to cast others would be undefined
    const std::int32_t whole = inside ? static_cast<std::int32_t>(values[i]) : 0;
    strange |= std::bit_cast<BitsOf<T>>(static_cast<T>(whole)) ^ std::bit_cast<BitsOf<T>>(values[i]);
    out.least = std::min(out.least, whole);
    out.most = std::max(out.most, whole);
  }
  out.all = strange == 0;
  return out;
}

/// Whether float holds all values exactly, infinities and some that are no numbers among them.
bool are_floats(const double* values, std::uint64_t n) {
  std::uint64_t strange = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const bool inside = !(std::abs(values[i]) > std::numeric_limits<float>::max()) || std::isinf(values[i]);
    const auto back = static_cast<double>(static_cast<float>(inside ? values[i] : 0));
    strange |= std::bit_cast<std::uint64_t>(back) ^ std::bit_cast<std::uint64_t>(values[i]);
  }
  return strange == 0;
}

#ifdef SPRESS_AVX2
// The same of a number of values that 4 divides. What cannot be cast becomes another number. Require: a processor with
// AVX2.

SPRESS_AVX2 bool has_no_bits(__m256d four) {
  return _mm256_testz_si256(_mm256_castpd_si256(four), _mm256_castpd_si256(four)) != 0;
}

SPRESS_AVX2 WholeNumbers whole_numbers_by_avx2(const double* values, std::uint64_t n) {
  __m256d strange = _mm256_setzero_pd();
  __m128i least = _mm_set1_epi32(WholeNumbers().least), most = _mm_set1_epi32(WholeNumbers().most);
  for (std::uint64_t i = 0; i < n; i += 4) {
    const __m256d four = _mm256_loadu_pd(values + i);
    const __m128i whole = _mm256_cvttpd_epi32(four);
    strange = _mm256_or_pd(strange, _mm256_xor_pd(_mm256_cvtepi32_pd(whole), four));
    least = _mm_min_epi32(least, whole);
    most = _mm_max_epi32(most, whole);
  }
  alignas(16) std::array<std::int32_t, 4> leasts, mosts;
  _mm_store_si128(reinterpret_cast<__m128i*>(leasts.data()), least);
  _mm_store_si128(reinterpret_cast<__m128i*>(mosts.data()), most);
  return {has_no_bits(strange), *std::min_element(leasts.begin(), leasts.end()),
          *std::max_element(mosts.begin(), mosts.end())};
}

SPRESS_AVX2 bool are_floats_by_avx2(const double* values, std::uint64_t n) {
  __m256d strange = _mm256_setzero_pd();
  for (std::uint64_t i = 0; i < n; i += 4) {
    const __m256d four = _mm256_loadu_pd(values + i);
    strange = _mm256_or_pd(strange, _mm256_xor_pd(_mm256_cvtps_pd(_mm256_cvtpd_ps(four)), four));
  }
  return has_no_bits(strange);
}
#endif

template <class T>
WholeNumbers find_whole_numbers(const T* values, std::uint64_t n) {
  WholeNumbers out;
  std::uint64_t done = 0;
#ifdef SPRESS_AVX2
  if constexpr (std::is_same_v<T, double>)
    if (has_avx2()) {
      done = n / 4 * 4;
      out = whole_numbers_by_avx2(values, done);
    }
#endif
  out.append(whole_numbers(values + done, n - done));
  return out;
}

bool find_floats(const double* values, std::uint64_t n) {
  std::uint64_t done = 0;
#ifdef SPRESS_AVX2
  if (has_avx2()) {
    done = n / 4 * 4;
    if (!are_floats_by_avx2(values, done)) return false;
  }
#endif
  return are_floats(values + done, n - done);
}

/// The narrowest type that holds all values exactly, as fits_exactly says of each; mostly refused by the first ones.
template <class T>
std::optional<DType> narrow_type_of(const T* values, std::uint64_t n, int threads) {
  const std::uint64_t first_ones = std::min<std::uint64_t>(n, 32);
  std::atomic<bool> fit_8 = true, fit_16 = true;  // as far as they are whole
  const auto are_whole = [&](std::uint64_t first, std::uint64_t last) {
    const WholeNumbers found = find_whole_numbers(values + first, last - first);
    if (!found.fit<std::int8_t>()) fit_8 = false;
    if (!found.fit<std::int16_t>()) fit_16 = false;
    return found.all;
  };
  const bool whole = are_whole(0, first_ones) && all_ranges(n, threads, are_whole);
  if (whole && fit_8) return DType::i8;
  if (whole && fit_16) return DType::i16;
  if constexpr (std::is_same_v<T, double>) {
    const auto fit = [&](std::uint64_t first, std::uint64_t last) { return find_floats(values + first, last - first); };
    if (fit(0, first_ones) && all_ranges(n, threads, fit)) return DType::f32;
    if (whole) return DType::i32;
  }
  return std::nullopt;
}

}  // namespace

std::optional<DType> narrow_type(const ValueStore<Viewed>& raw, int threads) {
  if (raw.count == 0) return std::nullopt;
  if (raw.type == ValueType::f64) return narrow_type_of(raw.codes.as<double>(), raw.count, threads);
  if (raw.type == ValueType::f32) return narrow_type_of(raw.codes.as<float>(), raw.count, threads);
  return std::nullopt;
}

Met met_values(const ValueStore<Viewed>& raw) {
  return with_bits(raw, [&](const auto* keys) { return *number_few(keys, raw.count, raw.count); });
}

bool at_most_distinct(const ValueStore<Viewed>& raw, std::uint64_t limit, std::uint64_t most, int threads) {
  if (raw.type == ValueType::none || raw.count <= limit) return true;
  return with_bits(raw, [&](const auto* keys) { return is_at_most(limit, keys, raw.count, threads, most); });
}

std::uint64_t likely_distinct(const ValueStore<Viewed>& raw, std::uint64_t limit, int threads) {
  if (raw.type == ValueType::none || raw.count == 0) return 0;
  constexpr std::uint64_t drawn = 1024;  // of as many as the limit: off by a thirtieth
  const int bits = std::clamp(static_cast<int>(std::bit_width(std::min(raw.count, limit) / drawn)) - 1, 0, 16);
  return with_bits(raw, [&]<class Key>(const Key* keys) {
    if (raw.count <= few_keys) return about_distinct(keys, raw.count);
    const std::uint64_t likely = std::min(raw.count, limit) >> bits;
    const auto found = distinct_keys(keys, raw.count, (limit + limit / 4) >> bits, threads, Draw(bits), likely);
    return found ? std::uint64_t{found->size()} << bits : 2 * limit;
  });
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
