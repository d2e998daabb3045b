#include "formats/slice_delta/slice_delta.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/slice_delta/delta_plan.hpp"
#include "encode/slice_delta/slice_fill.hpp"

namespace spress {

template <>
Result<SliceDelta<Owned>> encode<SliceDelta>(const Csr<Viewed>& a, const SliceDelta<Owned>::Params& params) {
  SPRESS_TRY(DeltaPlan plan, plan_slice_delta(a, params));
  SliceDelta<Owned> out;
  copy_shape(out, a);
  out.sigma = plan.rows.sigma;
  out.block = plan.layout.block;
  out.lane_steps = code_width(a.values) == 1 ? 4 : 1;  // four codes of a lane are one word then
  fill_starts(out, plan.layout);
  out.words = HostArray<std::uint32_t>(std::span<const std::uint32_t>(plan.layout.words));
  out.long_row = HostArray<std::uint32_t>(std::span<const std::uint32_t>(plan.long_row));
  out.residuals = HostArray<std::uint32_t>(plan.layout.residual_words);
  out.values = empty_like(a.values, a.nnz);
  fill_items(out, plan, a);
  out.row_perm = std::move(plan.rows.perm);
  return out;
}

template <>
Csr<Owned> decode<SliceDelta>(const SliceDelta<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  const std::uint64_t slices = slices_of(f), items = items_of(f);
  const auto row_of = [&](std::uint64_t i, std::uint32_t lane) {
    return i < slices ? row_at(f, i * slice_rows + lane) : f.long_row[i - slices];
  };
  std::vector<std::uint64_t> first_entry(f.long_row.size());
  out.row_ptr = make_positions(f.rows + 1, f.nnz);
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  out.values = empty_like(f.values, f.nnz);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    std::fill_n(row_ptr, f.rows + 1, Position{0});
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < slices; ++i)
      for_each_entry(f, i, [&](std::uint32_t lane, std::uint32_t, std::uint64_t) { ++row_ptr[row_of(i, lane) + 1]; });
    for (std::uint64_t p = 0; p < first_entry.size(); ++p) {
      Position& length = row_ptr[f.long_row[p] + 1];
      first_entry[p] = length;
      length += static_cast<Position>(f.value_start.position(slices + p + 1) - f.value_start.position(slices + p));
    }
    for (std::uint64_t r = 0; r < f.rows; ++r) row_ptr[r + 1] += row_ptr[r];
    const auto for_each_place = [&](std::uint64_t i, auto&& use) {
      std::array<std::uint64_t, slice_rows> next = {};
      std::uint64_t in_piece = 0;
      if (i >= slices) in_piece = row_ptr[f.long_row[i - slices]] + first_entry[i - slices];
      for (std::uint32_t j = 0; i < slices && j < slice_rows && i * slice_rows + j < f.rows; ++j)
        next[j] = row_ptr[row_of(i, j)];
      for_each_entry(f, i, [&](std::uint32_t lane, std::uint32_t column, std::uint64_t slot) {
        use(i < slices ? next[lane]++ : in_piece++, column, slot);
      });
    };
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < items; ++i)
      for_each_place(i, [&](std::uint64_t k, std::uint32_t column, std::uint64_t) { out.col_idx[k] = column; });
    permute_codes(out.values, f.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
      for (std::uint64_t i = 0; i < items; ++i)
        for_each_place(i, [&](std::uint64_t k, std::uint32_t, std::uint64_t slot) { to[k] = from[slot]; });
    });
  });
  return out;
}

template <>
Result<SizeEstimate> estimate<SliceDelta>(const Csr<Viewed>& a, const SliceDelta<Owned>::Params& params) {
  SPRESS_TRY(DeltaPlan plan, plan_slice_delta(a, params));
  const DeltaLayout& layout = plan.layout;
  const std::uint64_t items = plan.items();
  const std::uint64_t bytes = 4 * items + position_bytes(items + 1, a.nnz) + layout.bytes() + 4 * plan.long_row.size() +
                              2 * plan.rows.perm.size();
  return SizeEstimate{bytes, bytes, a.nnz};
}

}  // namespace spress
