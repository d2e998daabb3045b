// Whether a value store holds all values of a matrix, at less cost than full statistics.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/values/values.hpp"

namespace spress::analyze {

/// How many numbers the table of a store would hold, 0 for a store without one; none where with_store(raw, kind) would
/// fail. `sample` holds some of the same values, and guides the search only.
/// Requires: raw stores of one type. Complexity: one pass over the values, which ends soon where they do not fit.
[[nodiscard]] std::optional<std::uint64_t> table_length(StoreKind kind, const ValueStore<Viewed>& raw,
                                                        const ValueStore<Viewed>& sample, int threads = 0);

/// How many values are distinct, and how many of these are met once.
struct Met {
  std::uint64_t distinct = 0, once = 0;
};

/// Requires: a raw store of 1 to most_met values. Complexity: one pass over them.
[[nodiscard]] Met met_values(const ValueStore<Viewed>& raw);
inline constexpr std::uint64_t most_met = 8192;

/// Whether at most `limit` values are distinct. most: no more are expected to be, or the limit; guides memory only.
/// Requires: a raw store. Complexity: a pass over the values at most, and another one where more differ than are
/// expected to.
[[nodiscard]] bool at_most_distinct(const ValueStore<Viewed>& raw, std::uint64_t limit, std::uint64_t most,
                                    int threads = 0);

/// About how many distinct values there are: those are counted whose hash is one of a few, wherever they stand, so that
/// equal values far from each other are seen, too. Off by some hundredths and some dozens; more than `limit` where
/// there are many more. Requires: a raw store. Complexity: one pass over the values, which ends soon where far more
/// than `limit` differ.
[[nodiscard]] std::uint64_t likely_distinct(const ValueStore<Viewed>& raw, std::uint64_t limit, int threads = 0);

/// The type that StoreKind::narrow would take; none where no narrower type holds all values.
/// Requires: a raw store. Complexity: as table_length.
[[nodiscard]] std::optional<DType> narrow_type(const ValueStore<Viewed>& raw, int threads = 0);

}  // namespace spress::analyze
