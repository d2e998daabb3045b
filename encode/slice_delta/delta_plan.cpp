#include "encode/slice_delta/delta_plan.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "encode/shared/rows.hpp"
#include "encode/slice_delta/block_choice.hpp"
#include "encode/slice_delta/layout_finder.hpp"

namespace spress {
namespace {

void list_pieces(const Csr<Viewed>& a, DeltaPlan& plan) {
  for (std::uint64_t s = 0; s < plan.rows.long_masks.size(); ++s)
    for (std::uint32_t left = plan.rows.long_masks[s]; left != 0; left &= left - 1)
      plan.long_row.push_back(static_cast<std::uint32_t>(
          plan.rows.row(s * slice_rows + static_cast<std::uint64_t>(std::countr_zero(left)))));
  std::sort(plan.long_row.begin(), plan.long_row.end());
  std::vector<std::uint32_t> pieces;
  for (const std::uint32_t row : plan.long_row)
    for (std::uint64_t k = 0; k < row_length(a, row); k += piece_entries) {
      pieces.push_back(row);
      plan.first_entry.push_back(a.row_ptr.position(row) + k);
    }
  plan.long_row = std::move(pieces);
}

/// The layout for the block of the parameters, or for the better of block 1 and a promising one.
Result<DeltaLayout> choose_layout(const Csr<Viewed>& a, const DeltaPlan& plan,
                                  const SliceDelta<Owned>::Params& params) {
  LayoutFinder first(a, plan, params.block.value_or(1));
  SPRESS_TRY(DeltaLayout plain, first.cheapest());
  const std::uint32_t block = params.block ? *params.block : promising_block(a, plan, plain);
  if (block != plain.block) {
    LayoutFinder second(a, plan, block);
    SPRESS_TRY(DeltaLayout blocked, second.cheapest());
    if (blocked.is_better_than(plain)) return second.or_bare(std::move(blocked));
  }
  return first.or_bare(std::move(plain));
}

}  // namespace

Result<DeltaPlan> plan_slice_delta(const Csr<Viewed>& a, const SliceDelta<Owned>::Params& params) {
  using Format = SliceDelta<Owned>;
  SPRESS_CHECK(check_range(Format::name, "sigma", params.sigma, 1, Format::largest_sigma));
  SPRESS_CHECK(check_range(Format::name, "block", params.block, 1, Format::largest_block));
  DeltaPlan plan;
  plan.rows = choose_arrangement(a, params.sigma);
  list_pieces(a, plan);
  SPRESS_TRY(plan.layout, choose_layout(a, plan, params));
  return plan;
}

}  // namespace spress
