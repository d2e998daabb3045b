// The bytes that orderings lower which search for little.
#pragma once

#include <optional>
#include <vector>

#include "analyze/value_statistics.hpp"
#include "formats/core/params.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {

/// The total bytes of a matrix in the smallest of `formats`, with `values` as store, or the smallest that holds them
/// where it is none; the largest number where no format holds it. `statistics` are those of the values, which no order
/// of rows and columns changes. Complexity of each call: that of the estimates.
[[nodiscard]] reorder::Cost byte_cost(std::vector<Spec> formats, const analyze::ValueStatistics& statistics,
                                      std::optional<StoreKind> values);

}  // namespace spress::pipeline
