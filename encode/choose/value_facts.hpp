// What the value stores would take of a matrix: guessed first, made sure where that decides.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analyze/value_statistics.hpp"
#include "formats/values/values.hpp"

namespace spress {

/// Of all orders of a matrix the same.
class ValueFacts {
 public:
  /// Guesses narrow types and distinct values from some values all over the matrix; of many, the least that is likely.
  /// only: the one store that counts, about which nothing is guessed. Refers to `raw`.
  /// Requires: a raw store, or that of a pattern. Complexity: constant; of the one store a pass over the values.
  ValueFacts(const ValueStore<Viewed>& raw, std::optional<StoreKind> only, int threads);
  /// All stores exact. known: of these values. Refers to `raw`.
  ValueFacts(const ValueStore<Viewed>& raw, const analyze::ValueStatistics& known);

  /// Bytes of a store with so many slots; none where it does not hold the values, or does not count.
  [[nodiscard]] std::optional<std::uint64_t> bytes(StoreKind kind, std::uint64_t slots) const;
  /// The same where as many values are distinct as are possible, but for bad luck; none where the store would not hold
  /// so many.
  [[nodiscard]] std::optional<std::uint64_t> most_bytes(StoreKind kind, std::uint64_t slots) const;
  /// Whether these bytes are right.
  [[nodiscard]] bool is_exact(StoreKind kind) const { return stores_[place(kind)].exact; }
  /// Whether the store holds the values beyond doubt, however many bytes it takes.
  [[nodiscard]] bool is_sure(StoreKind kind) const { return is_exact(kind) || stores_[place(kind)].sure; }
  /// Finds out; of a table of many values first how many they are about. Complexity: a pass over the values, which ends
  /// soon where they do not fit.
  void make_sure(StoreKind kind);
  void make_exact(StoreKind kind);
  /// Where distinct values are many: takes them to be neither the fewest nor the most that are likely, and counts them
  /// no more to be sure of a table than that needs.
  void settle_for_guess();

 private:
  struct Store {
    bool counts = false, sure = false, exact = false;
  };
  static constexpr std::size_t place(StoreKind kind) { return static_cast<std::size_t>(kind); }
  /// The stores that count, exact but for those with tables.
  void set_stores(std::optional<StoreKind> only);
  [[nodiscard]] bool is_pattern() const { return raw_.type == ValueType::none || raw_.count == 0; }
  void guess();
  void count_hashes();

  ValueStore<Viewed> raw_;
  int threads_;
  ValueStore<Owned> sample_;  // none of few values
  analyze::ValueStatistics statistics_;
  bool rough_ = false;               // there are many distinct values, but how many is from the sample
  std::uint64_t most_distinct_ = 0;  // of those in no exact table: so many at most, but for bad luck
  std::array<Store, all_stores.size()> stores_ = {};
};

}  // namespace spress
