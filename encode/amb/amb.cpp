#include "formats/amb/amb.hpp"

#include <string>
#include <vector>

#include "analyze/models.hpp"
#include "encode/amb/chunk_fill.hpp"
#include "encode/amb/layout_search.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/rows.hpp"

namespace spress {
namespace {

using Format = Amb<Owned>;
constexpr std::uint32_t lanes = Format::lanes;

/// Describes the layout with the least traffic. For comparison, the traffic of the layout with blocks of one column.
void add_details(amb::LayoutSearch& search, std::uint64_t value_bytes, const std::string& prefix,
                 std::vector<SizeDetail>& details) {
  const amb::BlockLayout best = search.least_traffic(value_bytes);
  details.push_back({prefix + "block", best.block});
  details.push_back({prefix + "segment", best.segment});
  details.push_back({prefix + "chunks", best.size.chunks});
  details.push_back({prefix + "value_slots", best.size.slots * best.block});
  details.push_back({prefix + "traffic_bytes", best.traffic});
  if (search.has(1)) details.push_back({prefix + "traffic_bytes_block_1", search.layout(1, value_bytes).traffic});
}

/// Calls use(row, column, value slot) for every entry: rows in parallel, the entries of a row by ascending column.
template <class Use>
void for_each_entry(const Amb<Viewed>& f, Use&& use) {
  const auto lane = [&](std::uint64_t c, std::uint32_t j) {
    const std::uint64_t row = f.first_row(c) + f.perm[lanes * c + j];
    std::uint64_t slot = f.chunk_start.position(c) + j;
    for (std::uint32_t k = 0; k < f.steps(c); ++k, slot += lanes) {
      const std::uint64_t col = f.column(c, slot);
      for (std::uint32_t t = 0; col != Format::no_column && t < f.block; ++t) {
        const std::uint64_t value = (slot - j) * f.block + lanes * t + j;
        if ((f.present_at(value, ~0u) >> j & 1) != 0) use(row, static_cast<std::uint32_t>(col + t), value);
      }
    }
  };
  for_each_segment(f, [&](std::uint64_t first, std::uint64_t last) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t c = first; c < last; ++c)
      for (std::uint32_t j = 0; j < lanes; ++j) lane(c, j);
  });
}

}  // namespace

template <>
Result<Format> encode<Amb>(const Csr<Viewed>& a, const Format::Params& params) {
  SPRESS_TRY(const amb::BlockLayout layout, amb::choose_layout(a, params));
  const amb::LayoutSize& size = layout.size;
  Format out;
  copy_shape(out, a);
  out.block = layout.block;
  out.segment = size.chunks == 0 ? std::min(layout.segment, Format::largest_segment) : layout.segment;
  out.sigma = params.sigma;
  out.chunks = size.chunks;
  out.blocks = size.blocks;
  out.used_lanes = size.used_lanes;
  out.chunk_start = make_positions(size.chunks + 1, size.slots);
  out.chunk_length = HostArray<std::uint32_t>(size.chunks);
  out.window = HostArray<std::uint16_t>(size.chunks);
  out.perm = HostArray<std::uint16_t>(lanes * size.chunks);
  if (amb::base_of(params) == ColumnBase::none)
    out.wide_col = HostArray<std::uint32_t>(size.slots);
  else
    out.block_col = HostArray<std::uint16_t>(size.slots);
  const bool stepped = amb::base_of(params) == ColumnBase::step;
  if (stepped) out.step_col = HostArray<std::uint32_t>(size.slots / lanes);
  out.present = HostArray<std::uint32_t>(size.slots / lanes * out.block);
  out.values = empty_like(a.values, size.slots * out.block);
  amb::fill_all_chunks(out, a, amb::segments_of(a, params, layout.segment), stepped);
  if (a.nnz == size.blocks * out.block) out.present = {};
  return out;
}

template <>
Csr<Owned> decode<Amb>(const Amb<Viewed>& f) {
  return csr_of_entries(f, [&](auto use) { for_each_entry(f, use); });
}

template <>
Result<SizeEstimate> estimate<Amb>(const Csr<Viewed>& a, const Format::Params& params) {
  SPRESS_TRY(auto search, amb::LayoutSearch::begin(a, params));
  const std::uint64_t value_bytes = amb::value_bytes_of(a);
  const amb::BlockLayout layout = search.least_traffic(value_bytes);
  SPRESS_CHECK(amb::check_size(a, layout));
  const analyze::AmbShape shape = search.shape_of(layout, value_bytes);
  const std::uint64_t slots = layout.size.slots, chunks = layout.size.chunks;
  const std::uint64_t present = a.nnz == layout.size.blocks * layout.block ? 0 : shape.slots / 8;
  const std::uint64_t bytes =
      position_bytes(chunks + 1, slots) + chunks * (4 + 2 + 2 * lanes) + shape.columns() + present;
  SizeEstimate size = {bytes, analyze::amb_model(shape), shape.slots};
  size.pads_long_rows = true;
  add_details(search, value_bytes, "", size.details);
  if (value_bytes > 4) add_details(search, value_bytes / 2, "single_", size.details);
  return size;
}

}  // namespace spress
