#include "formats/ell_csr.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "encode/codec.hpp"
#include "encode/stretches.hpp"
#include "formats/each_index.hpp"

namespace spress {
namespace {

constexpr std::uint64_t warp_size = EllCsr<Owned>::warp_size, long_row = EllCsr<Owned>::long_row;

/// Rows by length; the last element counts those of long_row entries and more.
using Histogram = std::array<std::uint64_t, long_row + 1>;

Histogram length_histogram(const Csr<Viewed>& a) {
  constexpr std::uint64_t part = 4096;
  const int threads = threads_worth(0, a.rows);
  std::vector<Histogram> histograms(static_cast<std::size_t>(threads));
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    each_index((a.rows + part - 1) / part, threads, [&](std::uint64_t p, std::size_t t) {
      for (std::uint64_t r = p * part; r < std::min(a.rows, (p + 1) * part); ++r)
        ++histograms[t][std::min<std::uint64_t>(row_ptr[r + 1] - row_ptr[r], long_row)];
    });
  });
  for (std::size_t t = 1; t < histograms.size(); ++t)
    std::transform(histograms[0].begin(), histograms[0].end(), histograms[t].begin(), histograms[0].begin(),
                   std::plus<>());
  return histograms[0];
}

/// T and M. Source: Matam and Kothapalli, section III-B.
struct Tuning {
  std::uint64_t threshold = long_row, per_thread = warp_size;
  [[nodiscard]] std::uint64_t per_warp() const { return per_thread * warp_size; }  // L
};

Tuning tune(const Histogram& histogram) {
  std::uint64_t rows = 0, entries = 0;
  for (std::uint64_t length = 0; length < long_row; ++length) {
    rows += histogram[length];
    entries += length * histogram[length];
  }
  if (rows == 0) return {};
  const std::uint64_t average = entries / rows;
  return {(average / 32 + 1) * 32, std::clamp<std::uint64_t>(average, 6, 32)};
}

struct WarpPlan {
  std::uint64_t rows, width;
};

struct Plan {
  Tuning tuning;
  std::uint64_t ell_rows = 0, ell_slots = 0;
  std::vector<WarpPlan> warps;  // of the ELL part
  std::uint64_t csr_nnz = 0, csr_warps = 0;
  bool identity = true;  // the stored order is that of the matrix
};

/// Deals the ELL rows, longest first, to warps: as many as its threads allow to each.
void deal_warps(Plan& plan, const Histogram& histogram) {
  std::uint64_t length = plan.tuning.threshold - 1, left_of_length = histogram[length];
  for (std::uint64_t left = plan.ell_rows; left != 0;) {
    while (left_of_length == 0) left_of_length = histogram[--length];
    const std::uint64_t fit = warp_size / threads_for(length, plan.tuning.per_thread);
    const WarpPlan warp{std::min(fit, left), length};
    plan.ell_slots += warp_shape(warp.rows, warp.width, plan.tuning.per_thread).slots();
    plan.warps.push_back(warp);
    left -= warp.rows;
    for (std::uint64_t rows = warp.rows; rows != 0;) {  // the rows of a warp may be of several lengths
      while (left_of_length == 0) left_of_length = histogram[--length];
      const std::uint64_t taken = std::min(rows, left_of_length);
      rows -= taken;
      left_of_length -= taken;
    }
  }
}

/// The place of a row's length in the stored order.
std::uint64_t rank_of(const Plan& plan, std::uint64_t length) {
  return length < plan.tuning.threshold ? plan.tuning.threshold - 1 - length : plan.tuning.threshold;
}

/// Sizes of the CSR part, and whether the rows already stand in the stored order.
void scan_rows(Plan& plan, const Csr<Viewed>& a) {
  struct Sum {
    std::uint64_t nnz = 0, warps = 0, misplaced = 0;
    void operator+=(const Sum& other) {
      nnz += other.nnz;
      warps += other.warps;
      misplaced += other.misplaced;
    }
  };
  const std::uint64_t per_warp = plan.tuning.per_warp();
  const Sum sum = with_positions(a.row_ptr, [&](const auto* row_ptr) {
    return sum_over<Sum>(a.rows, thread_count(0), [&](std::uint64_t r) {
      const std::uint64_t length = row_ptr[r + 1] - row_ptr[r];
      const bool follows = r == 0 || rank_of(plan, row_ptr[r] - row_ptr[r - 1]) <= rank_of(plan, length);
      const bool is_long = length >= plan.tuning.threshold;
      return Sum{is_long ? length : 0, is_long ? (length + per_warp - 1) / per_warp : 0, follows ? 0u : 1u};
    });
  });
  plan.csr_nnz = sum.nnz;
  plan.csr_warps = sum.warps;
  plan.identity = sum.misplaced == 0;
}

Plan plan_for(const Csr<Viewed>& a) {
  const Histogram histogram = length_histogram(a);
  Plan plan;
  plan.tuning = tune(histogram);
  for (std::uint64_t length = 0; length < plan.tuning.threshold; ++length) plan.ell_rows += histogram[length];
  deal_warps(plan, histogram);
  scan_rows(plan, a);
  return plan;
}

/// The rows in stored order. A counting sort: ties keep their order.
HostArray<std::uint32_t> stored_order(const Plan& plan, const Csr<Viewed>& a) {
  std::array<std::uint64_t, long_row + 2> next = {};
  for (std::uint64_t r = 0; r < a.rows; ++r) ++next[rank_of(plan, row_length(a, r)) + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  HostArray<std::uint32_t> order(a.rows);
  for (std::uint64_t r = 0; r < a.rows; ++r)
    order[next[rank_of(plan, row_length(a, r))]++] = static_cast<std::uint32_t>(r);
  return order;
}

void write_ell_warps(EllCsr<Owned>& out, const Plan& plan) {
  const std::uint64_t warps = plan.warps.size();
  out.warp_row = make_positions(warps + 1, plan.ell_rows);
  out.warp_start = make_positions(warps + 1, plan.ell_slots);
  out.warp_width = HostArray<std::uint8_t>(warps);
  for (std::uint64_t w = 0; w < warps; ++w) out.warp_width[w] = static_cast<std::uint8_t>(plan.warps[w].width);
  const auto sum_up = [&](Positions<Owned>& positions, auto count) {
    fill_positions(positions, [&]<class Position>(Position* p) {
      p[0] = 0;
      for (std::uint64_t w = 0; w < warps; ++w) p[w + 1] = static_cast<Position>(p[w] + count(plan.warps[w]));
    });
  };
  sum_up(out.warp_row, [](const WarpPlan& warp) { return warp.rows; });
  sum_up(out.warp_start,
         [&](const WarpPlan& warp) { return warp_shape(warp.rows, warp.width, plan.tuning.per_thread).slots(); });
}

/// Cuts each CSR row into pieces of L entries and a last one of what is left.
void write_csr_warps(EllCsr<Owned>& out, const Plan& plan, const Csr<Viewed>& a) {
  out.csr_warp_row = HostArray<std::uint32_t>(plan.csr_warps);
  out.csr_warp_start = make_positions(plan.csr_warps + 1, plan.csr_nnz);
  fill_positions(out.csr_warp_start, [&]<class Position>(Position* start) {
    start[0] = 0;
    std::uint64_t p = 0;
    for (std::uint64_t j = 0; j < a.rows - plan.ell_rows; ++j) {
      const std::uint64_t stored = plan.ell_rows + j;
      std::uint64_t left = row_length(a, out.row_perm.empty() ? stored : out.row_perm[stored]);
      for (std::uint64_t piece; left != 0; left -= piece, ++p) {
        piece = std::min(left, plan.tuning.per_warp());
        out.csr_warp_row[p] = static_cast<std::uint32_t>(j);
        start[p + 1] = static_cast<Position>(start[p] + piece);
      }
    }
  });
}

/// Where the entries of each CSR row begin, and where the last ends.
template <class Storage>
HostArray<std::uint64_t> csr_row_starts(const EllCsr<Storage>& f) {
  HostArray<std::uint64_t> start(f.rows - f.ell_rows + 1, 0);
  for (std::uint64_t p = 0; p < f.csr_warp_row.size(); ++p)
    start[f.csr_warp_row[p] + 1] = f.csr_warp_start.position(p + 1);
  return start;
}

template <class Storage>
std::uint64_t stretch_count(const EllCsr<Storage>& f) {
  return f.warp_width.size() * f.warp_size + f.rows - f.ell_rows;
}

/// Where all rows stand: those of the ELL part by warps, then those of the CSR part.
template <class Storage>
auto both_parts(const EllCsr<Storage>& f, const HostArray<std::uint64_t>& csr_start) {
  return [&f, &csr_start, places = f.warp_width.size() * f.warp_size](std::uint64_t i) {
    if (i < places) return stretch(f, i);
    const std::uint64_t j = i - places, stored = f.ell_rows + j;
    return Stretch{.row = f.row_perm.empty() ? stored : f.row_perm[stored],
                   .first = f.ell_slots + csr_start[j],
                   .width = csr_start[j + 1] - csr_start[j]};
  };
}

}  // namespace

template <>
Result<EllCsr<Owned>> encode<EllCsr>(const Csr<Viewed>& a, const NoParams&) {
  const Plan plan = plan_for(a);
  EllCsr<Owned> out;
  copy_shape(out, a);
  out.threshold = plan.tuning.threshold;
  out.per_thread = plan.tuning.per_thread;
  out.ell_rows = plan.ell_rows;
  out.ell_slots = plan.ell_slots;
  if (!plan.identity) out.row_perm = stored_order(plan, a);
  write_ell_warps(out, plan);
  write_csr_warps(out, plan, a);
  out.col_idx = HostArray<std::uint32_t>(plan.ell_slots + plan.csr_nnz);
  out.values = empty_like(a.values, plan.ell_slots + plan.csr_nnz);
  const auto csr_start = csr_row_starts(out);
  fill_stretches(out, a, stretch_count(out), both_parts(out, csr_start));
  return out;
}

template <>
Csr<Owned> decode<EllCsr>(const EllCsr<Viewed>& f) {
  const auto csr_start = csr_row_starts(f);
  return decode_stretches(f, stretch_count(f), both_parts(f, csr_start));
}

template <>
Result<SizeEstimate> estimate<EllCsr>(const Csr<Viewed>& a, const NoParams&) {
  const Plan plan = plan_for(a);
  const std::uint64_t warps = plan.warps.size(), slots = plan.ell_slots + plan.csr_nnz;
  std::uint64_t bytes = 4 * slots + (plan.identity ? 0 : 4 * a.rows);
  bytes += position_bytes(warps + 1, plan.ell_rows) + position_bytes(warps + 1, plan.ell_slots) + warps;
  bytes += 4 * plan.csr_warps + position_bytes(plan.csr_warps + 1, plan.csr_nnz);
  return SizeEstimate{bytes, bytes, slots, std::nullopt, {}, true};  // the paper has no formula for it
}

}  // namespace spress
