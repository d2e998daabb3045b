#include "encode/amb/layout_search.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "encode/shared/rows.hpp"

namespace spress::amb {
namespace {

Error usage(const std::string& what) { return {ErrorCode::usage, "amb: " + what}; }
Error not_applicable(const std::string& what) { return {ErrorCode::not_applicable, "amb: " + what}; }

Status check_params(const Csr<Viewed>& a, const Params& p) {
  SPRESS_CHECK(check_range(Format::name, "block", p.block, 1, largest_block));
  const bool narrow = base_of(p) == ColumnBase::segment;
  SPRESS_CHECK(check_range(Format::name, "segment", p.segment, 1,
                           narrow ? Format::largest_segment : std::numeric_limits<std::uint32_t>::max()));
  if (p.base == ColumnBase::step && (p.segment || p.equal == EqualSegments::entries))
    return usage("base=step has no segments: leave out segment and equal");
  if (p.sigma < lanes || p.sigma > Format::largest_sigma || p.sigma % lanes != 0)
    return usage("sigma=" + std::to_string(p.sigma) + ": expected a multiple of 32 up to 32768");
  if (parts_of(a.rows, p.sigma) > 65536)
    return not_applicable("more than 65536 windows of " + std::to_string(p.sigma) + " rows");
  if (p.segment && parts_of(a.cols, *p.segment) > 65536)
    return not_applicable("more than 65536 segments of " + std::to_string(*p.segment) + " columns");
  return Ok{};
}

/// The segment widths to try: the fewest segments of equal width, the widest segment, and half of that. Narrower
/// segments only add chunks to the model, which counts x as read once. A narrow matrix is one segment.
std::vector<std::uint32_t> widths_to_try(std::uint64_t cols, const Params& params) {
  constexpr std::uint32_t widest = Format::largest_segment;
  if (params.segment) return {*params.segment};
  if (cols <= widest || base_of(params) == ColumnBase::step)
    return {static_cast<std::uint32_t>(std::max<std::uint64_t>(cols, 1))};
  return {static_cast<std::uint32_t>(parts_of(cols, parts_of(cols, widest))), widest, 32768};
}

/// The largest block that every segment has room for.
std::uint32_t widest_block(const Segments& segments) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(segments.narrowest(), largest_block));
}

void keep_better(BlockLayout& best, const BlockLayout& other) {
  if (other.traffic < best.traffic) best = other;
}

}  // namespace

std::uint64_t value_bytes_of(const Csr<Viewed>& a) {
  return a.values.type == ValueType::none ? 8 : size_of(a.values.type);
}

Result<LayoutSearch> LayoutSearch::begin(const Csr<Viewed>& a, const Params& params) {
  SPRESS_CHECK(check_params(a, params));
  LayoutSearch search(a, params);
  if (search.segments_.empty())
    return not_applicable("a segment is narrower than a block of " + std::to_string(*params.block) + " columns");
  return search;
}

/// Blocks are compared at the first width, as if no lane paused, and the other widths with the best of them: the width
/// changes little about the blocks, and each comparison of all blocks is a costly pass.
BlockLayout LayoutSearch::least_traffic(std::uint64_t value_bytes) {
  BlockLayout best = guessed(first_, value_bytes);
  for (std::uint32_t b = first_ + 1; b <= last_; ++b) keep_better(best, guessed(b, value_bytes));
  return layout(best.block, value_bytes);
}

BlockLayout LayoutSearch::layout(std::uint32_t b, std::uint64_t value_bytes) {
  const auto at = [&](std::size_t i) { return priced({b, segments_[i].width(), size_at(i, b)}, value_bytes); };
  BlockLayout best = base_of(params_) == ColumnBase::step ? at(0) : guessed(b, value_bytes);
  for (std::size_t i = 1; i < segments_.size(); ++i)
    if (b <= widest_block(segments_[i])) keep_better(best, at(i));
  return best;
}

analyze::AmbShape LayoutSearch::shape_of(const BlockLayout& layout, std::uint64_t value_bytes) const {
  return {.rows = a_.rows,
          .cols = a_.cols,
          .slots = layout.size.slots * layout.block,
          .chunks = layout.size.chunks,
          .chunk_rows = lanes,
          .block_cols = layout.block,
          .value_bytes = value_bytes,
          .column_bytes = base_of(params_) == ColumnBase::none ? 4u : 2u,
          .step_bytes = base_of(params_) == ColumnBase::step ? 4u : 0u,
          .is_pattern = a_.values.type == ValueType::none};
}

LayoutSearch::LayoutSearch(const Csr<Viewed>& a, const Params& params)
    : a_(a), params_(params), first_(params.block.value_or(1)) {
  for (const std::uint32_t width : widths_to_try(a.cols, params)) {
    Segments segments = segments_of(a, params, width);
    if (first_ <= widest_block(segments)) segments_.push_back(std::move(segments));
  }
  if (segments_.empty()) return;
  last_ = std::min(params.block.value_or(largest_block), widest_block(segments_.front()));
  sizes_ = sizes_of(a, segments_.front(), params.sigma, {first_, last_});
}

BlockLayout LayoutSearch::priced(BlockLayout layout, std::uint64_t value_bytes) const {
  layout.traffic = analyze::amb_traffic_model(shape_of(layout, value_bytes));
  return layout;
}

BlockLayout LayoutSearch::guessed(std::uint32_t b, std::uint64_t value_bytes) const {
  return priced({b, segments_.front().width(), sizes_[b]}, value_bytes);
}

const LayoutSize& LayoutSearch::size_at(std::size_t i, std::uint32_t block) {
  const auto [found, is_new] = other_sizes_.try_emplace({i, block});
  if (!is_new) return found->second;
  const Segments& segments = segments_[i];
  found->second = base_of(params_) == ColumnBase::step ? stepped_size_of(a_, segments, params_.sigma, block)
                                                       : sizes_of(a_, segments, params_.sigma, {block, block})[block];
  return found->second;
}

Status check_size(const Csr<Viewed>& a, const BlockLayout& layout) {
  if (layout.size.longest > 0xFFFF)
    return not_applicable("a chunk of " + std::to_string(layout.size.longest) + " steps; at most 65535 are held");
  return check_slots("amb", layout.size.slots * layout.block, a.nnz);
}

Result<BlockLayout> choose_layout(const Csr<Viewed>& a, const Params& params) {
  SPRESS_TRY(auto search, LayoutSearch::begin(a, params));
  const BlockLayout best = search.least_traffic(value_bytes_of(a));
  SPRESS_CHECK(check_size(a, best));
  return best;
}

}  // namespace spress::amb
