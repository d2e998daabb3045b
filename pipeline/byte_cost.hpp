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

/// The same with the statistics of the values of `a`, made when the cost is asked first: most orderings never ask.
/// `a` must outlive it.
[[nodiscard]] reorder::Cost byte_cost(const Csr<Viewed>& a, std::vector<Spec> formats, std::optional<StoreKind> values,
                                      int threads);

}  // namespace spress::pipeline
