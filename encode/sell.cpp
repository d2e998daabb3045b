#include "formats/sell.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "encode/codec.hpp"
#include "encode/stretches.hpp"

namespace spress {
namespace {

using Params = Sell<Owned>::Params;

Status check_params(const Params& params) {
  constexpr auto largest = Sell<Owned>::largest_c;
  if (params.c < 1 || params.c > largest)
    return Error{
        ErrorCode::usage, "sell: c=" + std::to_string(params.c) + ": expected 1 to " + std::to_string(largest), {}, 0};
  if (params.sigma < 1) return Error{ErrorCode::usage, "sell: sigma=0: expected at least 1", {}, 0};
  return Ok{};
}

struct Plan {
  HostArray<std::uint32_t> order;         // rows: the stored order; empty for the identity
  HostArray<std::uint64_t> slice_widths;  // slices
  std::uint64_t slots = 0;
};

/// What a thread sorts windows in.
struct Scratch {
  std::vector<std::uint64_t> lengths, starts;
};

/// Writes rows [first, last) to `order` by length, longest first, ties in their order: a counting sort, unless lengths
/// differ too much for one. Returns whether they stood so.
bool sort_window(const Csr<Viewed>& a, std::uint64_t first, std::uint64_t last, Scratch& scratch,
                 std::uint32_t* order) {
  auto &lengths = scratch.lengths, &starts = scratch.starts;
  lengths.resize(last - first);
  for (std::uint64_t r = first; r < last; ++r) lengths[r - first] = row_length(a, r);
  std::iota(order, order + lengths.size(), static_cast<std::uint32_t>(first));
  if (std::is_sorted(lengths.rbegin(), lengths.rend())) return true;
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  const std::uint64_t most = *longest, kinds = most - *shortest + 1;
  if (kinds > 8 * lengths.size()) {
    std::stable_sort(order, order + lengths.size(),
                     [&](std::uint32_t x, std::uint32_t y) { return lengths[x - first] > lengths[y - first]; });
    return false;
  }
  starts.assign(kinds + 1, 0);
  for (const std::uint64_t length : lengths) ++starts[most - length + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (std::uint64_t k = 0; k < lengths.size(); ++k)
    order[starts[most - lengths[k]]++] = static_cast<std::uint32_t>(first + k);
  return false;
}

/// The rows sorted by length within windows of sigma; empty where they stand so.
HostArray<std::uint32_t> sorted_order(const Csr<Viewed>& a, std::uint64_t sigma) {
  HostArray<std::uint32_t> order(a.rows);
  bool sorted = true;
  const auto sort = [&](std::uint64_t window, Scratch& scratch, bool& stood_so) {
    const std::uint64_t first = window * sigma, last = std::min(first + sigma, a.rows);
    stood_so = sort_window(a, first, last, scratch, order.data() + first) && stood_so;
  };
  RegionErrors errors;
#pragma omp parallel reduction(&& : sorted)
  {
    Scratch scratch;
#pragma omp for schedule(static)
    for (std::uint64_t window = 0; window < slice_count(a.rows, sigma); ++window)
      errors.attempt(sort, window, scratch, sorted);
  }
  errors.rethrow();
  return sorted ? HostArray<std::uint32_t>() : std::move(order);
}

Plan plan_for(const Csr<Viewed>& a, const Params& params) {
  Plan plan;
  if (params.sigma > 1) plan.order = sorted_order(a, params.sigma);
  plan.slice_widths = HostArray<std::uint64_t>(slice_count(a.rows, params.c));
  std::uint64_t steps = 0;
#pragma omp parallel for schedule(static) reduction(+ : steps)
  for (std::uint64_t s = 0; s < plan.slice_widths.size(); ++s) {
    std::uint64_t width = 0;
    for (std::uint64_t i = s * params.c; i < std::min<std::uint64_t>((s + 1) * params.c, a.rows); ++i)
      width = std::max(width, row_length(a, plan.order.empty() ? i : plan.order[i]));
    plan.slice_widths[s] = width;
    steps += width;
  }
  plan.slots = steps * params.c;
  return plan;
}

}  // namespace

template <>
Result<Sell<Owned>> encode<Sell>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_CHECK(check_params(params));
  Plan plan = plan_for(a, params);
  SPRESS_CHECK(check_slots(Sell<Owned>::name, plan.slots, a.nnz));
  Sell<Owned> out;
  copy_shape(out, a);
  out.c = params.c;
  out.sigma = params.sigma;
  out.slots = plan.slots;
  const std::uint64_t slices = plan.slice_widths.size();
  out.slice_start = make_positions(slices + 1, plan.slots);
  fill_positions(out.slice_start, [&]<class Position>(Position* start) {
    start[0] = 0;
    for (std::uint64_t s = 0; s < slices; ++s)
      start[s + 1] = static_cast<Position>(start[s] + plan.slice_widths[s] * params.c);
  });
  out.row_perm = std::move(plan.order);
  out.col_idx = HostArray<std::uint32_t>(plan.slots);
  out.values = empty_like(a.values, plan.slots);
  fill_stretches(out, a, slices * params.c, [&](std::uint64_t i) { return stretch(out, i); });
  return out;
}

template <>
Csr<Owned> decode<Sell>(const Sell<Viewed>& f) {
  return decode_stretches(f, slice_count(f.rows, f.c) * f.c, [&](std::uint64_t i) { return stretch(f, i); });
}

template <>
Result<SizeEstimate> estimate<Sell>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_CHECK(check_params(params));
  const Plan plan = plan_for(a, params);
  SPRESS_CHECK(check_slots(Sell<Owned>::name, plan.slots, a.nnz));
  const std::uint64_t bytes =
      4 * plan.slots + position_bytes(plan.slice_widths.size() + 1, plan.slots) + 4 * plan.order.size();
  return SizeEstimate{bytes, bytes, plan.slots, std::nullopt, {}, true};  // no paper has another formula for it
}

}  // namespace spress
