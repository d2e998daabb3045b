// The statistics that decide which value stores hold a matrix's values, at less cost than all of them.
#pragma once

#include "analyze/value_statistics.hpp"

namespace spress::analyze {

/// The largest number of values that a table holds.
inline constexpr std::uint64_t most_in_table = 65536;

/// Finds `count`, `narrow` and `distinct` of ValueStatistics, which store_bytes needs; the others are left zero. If
/// more than most_in_table values are distinct, `distinct` is most_in_table + 1. Requires: a raw store. Complexity: one
/// pass over the values for each, which ends early if no store holds them.
[[nodiscard]] ValueStatistics store_statistics(const ValueStore<Viewed>& raw, int threads = 0);

}  // namespace spress::analyze
