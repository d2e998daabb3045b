#include "formats/padded/sell.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "encode/shared/codec.hpp"
#include "encode/shared/length_order.hpp"
#include "encode/shared/size_stream.hpp"
#include "encode/shared/stretches.hpp"
#include "formats/core/threads.hpp"

namespace spress {
namespace {

using Params = Sell<Owned>::Params;

Status check_params(const Params& params) {
  using Format = Sell<Owned>;
  SPRESS_CHECK(check_range(Format::name, "c", params.c, 1, Format::largest_c));
  return check_range(Format::name, "sigma", params.sigma, 1);
}

struct SellPlan {
  HostArray<std::uint32_t> order;         // rows: the stored order; empty for the identity
  HostArray<std::uint64_t> slice_widths;  // slices
  std::uint64_t slots = 0;
};

SellPlan plan_for(const Csr<Viewed>& a, const Params& params) {
  SellPlan plan;
  if (params.sigma > 1) plan.order = sorted_windows<std::uint32_t>(a, params.sigma, std::plus<>());
  plan.slice_widths = HostArray<std::uint64_t>(slice_count(a.rows, params.c));
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    const auto width_of = [&](std::uint64_t s) {
      std::uint64_t width = 0;
      for (std::uint64_t i = s * params.c; i < std::min<std::uint64_t>((s + 1) * params.c, a.rows); ++i) {
        const std::uint64_t row = plan.order.empty() ? i : plan.order[i];
        width = std::max<std::uint64_t>(width, row_ptr[row + 1] - row_ptr[row]);
      }
      return width;
    };
    parallel_for(plan.slice_widths.size(), thread_count(0),
                 [&](std::uint64_t s) { plan.slice_widths[s] = width_of(s); });
  });
  const std::uint64_t steps = parallel_sum<std::uint64_t>(plan.slice_widths.size(), thread_count(0),
                                                          [&](std::uint64_t s) { return plan.slice_widths[s]; });
  plan.slots = steps * params.c;
  return plan;
}

Result<SizeEstimate> size_of(std::uint64_t slots, std::uint64_t slices, std::uint64_t ordered_rows, std::uint64_t nnz,
                             std::uint64_t rows_of_slice) {
  SPRESS_CHECK(check_slots(Sell<Owned>::name, slots, nnz));
  const std::uint64_t bytes = 4 * slots + position_bytes(slices + 1, slots) + 4 * ordered_rows;
  // No paper has another formula for it.
  return SizeEstimate{bytes, bytes, slots, std::nullopt, {}, true, rows_of_slice > 1};
}

/// The slots of a matrix whose rows come one after another. Memory: the lengths of a window of sigma rows.
class SliceCounter {
 public:
  explicit SliceCounter(const Params& params) : params_(params) {}

  void add(std::uint64_t length) {
    if (params_.sigma == 1) return store(length);
    window_.push_back(length);
    if (window_.size() == params_.sigma) end_window();
  }
  [[nodiscard]] Result<SizeEstimate> size(const WholeMatrix& whole) {
    end_window();
    const std::uint64_t slots = (steps_ + width_) * params_.c;  // the last slice may be cut
    return size_of(slots, slice_count(whole.rows, params_.c), stood_so_ ? 0 : whole.rows, whole.nnz, params_.c);
  }

 private:
  void end_window() {
    order_.resize(window_.size());
    stood_so_ &= by_length_.find(
        window_.size(), [&](std::uint64_t k) { return window_[k]; }, [](std::uint64_t k) { return k; }, order_.data());
    for (const std::uint64_t k : order_) store(window_[k]);
    window_.clear();
  }
  /// Takes a row in the stored order.
  void store(std::uint64_t length) {
    width_ = std::max(width_, length);
    if (++rows_in_slice_ < params_.c) return;
    steps_ += std::exchange(width_, 0);
    rows_in_slice_ = 0;
  }

  Params params_;
  std::vector<std::uint64_t> window_, order_;
  LengthOrder by_length_;
  bool stood_so_ = true;
  std::uint64_t steps_ = 0, width_ = 0, rows_in_slice_ = 0;  // slots / c of whole slices; of the slice in work
};

}  // namespace

template <>
Result<Sell<Owned>> encode<Sell>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_CHECK(check_params(params));
  SellPlan plan = plan_for(a, params);
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
  const SellPlan plan = plan_for(a, params);
  return size_of(plan.slots, plan.slice_widths.size(), plan.order.size(), a.nnz, params.c);
}

template <>
std::unique_ptr<SizeStream> size_stream<Sell>(const Params& params) {
  const bool valid = check_params(params).ok();
  return make_size_stream(
      SliceCounter(params),
      [valid](SliceCounter& counter, const RowPanel& panel) {
        if (valid) for_each_length(panel, [&](std::uint64_t length) { counter.add(length); });
      },
      [params](SliceCounter& counter, const WholeMatrix& whole) -> Result<SizeEstimate> {
        SPRESS_CHECK(check_params(params));
        return counter.size(whole);
      });
}

}  // namespace spress
