#include "encode/amb/layout_search.hpp"

#include <algorithm>
#include <string>

#include "encode/shared/stretches.hpp"

namespace spress::amb {
namespace {

Error usage(const std::string& what) { return {ErrorCode::usage, "amb: " + what, {}, 0}; }
Error not_applicable(const std::string& what) { return {ErrorCode::not_applicable, "amb: " + what, {}, 0}; }

Status check_params(const Csr<Viewed>& a, const Params& p) {
  if (p.block && (*p.block < 1 || *p.block > largest_block))
    return usage("block=" + std::to_string(*p.block) + ": expected auto or 1 to 10");
  if (p.segment && (*p.segment < 1 || *p.segment > Format::largest_segment))
    return usage("segment=" + std::to_string(*p.segment) + ": expected auto or 1 to 65535");
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
std::vector<std::uint32_t> segments_to_try(std::uint64_t cols, AutoNumber given) {
  constexpr std::uint32_t widest = Format::largest_segment;
  if (given) return {*given};
  if (cols <= widest) return {static_cast<std::uint32_t>(std::max<std::uint64_t>(cols, 1))};
  return {static_cast<std::uint32_t>(parts_of(cols, parts_of(cols, widest))), widest, 32768};
}

/// The largest block that every segment has room for.
std::uint32_t widest_block(std::uint64_t cols, std::uint32_t segment) {
  if (cols == 0) return 1;
  const std::uint64_t last = (cols - 1) % segment + 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>({last, segment, largest_block}));
}

void keep_better(BlockLayout& best, const BlockLayout& other) {
  if (other.traffic < best.traffic) best = other;
}

}  // namespace

analyze::AmbShape shape_of(const Csr<Viewed>& a, std::uint64_t value_slots, std::uint64_t chunks, std::uint64_t b,
                           std::uint64_t value_bytes) {
  return {a.rows, a.cols, value_slots, chunks, lanes, b, value_bytes};
}

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

/// Blocks are compared at the first width and the other widths with the best of them: the width changes little about
/// the blocks, and each comparison of all blocks is a costly pass.
BlockLayout LayoutSearch::least_traffic(std::uint64_t value_bytes) {
  BlockLayout best = layout(first_, value_bytes);
  for (std::uint32_t b = first_ + 1; b <= last_; ++b) keep_better(best, layout(b, value_bytes));
  const std::uint32_t block = best.block;
  for (std::size_t i = 1; i < segments_.size(); ++i) {
    const std::uint32_t segment = segments_[i];
    if (block > widest_block(a_.cols, segment)) continue;
    keep_better(best, priced({block, segment, size_at(segment, block)}, value_bytes));
  }
  return best;
}

BlockLayout LayoutSearch::layout(std::uint32_t b, std::uint64_t value_bytes) const {
  return priced({b, segments_.front(), sizes_[b]}, value_bytes);
}

LayoutSearch::LayoutSearch(const Csr<Viewed>& a, const Params& params)
    : a_(a), sigma_(params.sigma), first_(params.block.value_or(1)) {
  for (const std::uint32_t segment : segments_to_try(a.cols, params.segment))
    if (first_ <= widest_block(a.cols, segment)) segments_.push_back(segment);
  if (segments_.empty()) return;
  last_ = std::min(params.block.value_or(largest_block), widest_block(a.cols, segments_.front()));
  sizes_ = sizes_of(a, segments_.front(), sigma_, {first_, last_});
}

BlockLayout LayoutSearch::priced(BlockLayout layout, std::uint64_t value_bytes) const {
  layout.traffic = analyze::amb_traffic_model(
      shape_of(a_, layout.size.slots * layout.block, layout.size.chunks, layout.block, value_bytes));
  return layout;
}

const LayoutSize& LayoutSearch::size_at(std::uint32_t segment, std::uint32_t block) {
  const auto [found, is_new] = other_sizes_.try_emplace({segment, block});
  if (is_new) found->second = sizes_of(a_, segment, sigma_, {block, block})[block];
  return found->second;
}

Result<BlockLayout> choose_layout(const Csr<Viewed>& a, const Params& params) {
  SPRESS_TRY(auto search, LayoutSearch::begin(a, params));
  const BlockLayout best = search.least_traffic(value_bytes_of(a));
  SPRESS_CHECK(check_slots("amb", best.size.slots * best.block, a.nnz));
  return best;
}

}  // namespace spress::amb
