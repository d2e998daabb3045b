// The block of a slice-delta where the parameters leave it open.
#pragma once

#include <cstdint>

#include "encode/slice_delta/delta_plan.hpp"

namespace spress {

/// The block that rids first steps of so many residuals that it is worth a try: a group of rows that begin at the same
/// column, or else all rows of a slice, where columns do not follow the diagonal. 1 where none does.
/// plain: the layout of block 1.
[[nodiscard]] std::uint32_t promising_block(const Csr<Viewed>& a, const DeltaPlan& plan, const DeltaLayout& plain);

}  // namespace spress
