// Fills the arrays of a slice-delta as its plan says.
#pragma once

#include "encode/slice_delta/delta_plan.hpp"

namespace spress {

/// Fills in where the description, the values and the residuals of each item begin.
void fill_starts(SliceDelta<Owned>& out, const DeltaLayout& layout);

/// Fills in the residuals and values of all items.
/// Requires: `out` has its starts and words, and room for residuals and values.
void fill_items(SliceDelta<Owned>& out, const DeltaPlan& plan, const Csr<Viewed>& a);

}  // namespace spress
