// Chooses the block of a slice-delta where the parameters leave it open.
#pragma once

#include <cstdint>

#include "encode/slice_delta/delta_plan.hpp"

namespace spress {

/// A block that is worth a full layout, because it removes enough residuals from the first steps of slices. Candidates
/// are the usual group of rows that begin at the same column, and a whole slice, for columns that do not follow the
/// diagonal. Returns 1 where no candidate helps. plain: the layout of block 1.
[[nodiscard]] std::uint32_t promising_block(const Csr<Viewed>& a, const DeltaPlan& plan, const DeltaLayout& plain);

}  // namespace spress
