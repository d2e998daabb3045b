#include "formats/padded/ell_csr.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "encode/shared/codec.hpp"
#include "encode/shared/stretches.hpp"
#include "formats/core/threads.hpp"

namespace spress {
namespace {

using Params = EllCsr<Owned>::Params;

constexpr std::uint64_t warp_size = EllCsr<Owned>::warp_size, long_row = EllCsr<Owned>::long_row;

/// The longest row of which each of a warp's threads takes so many entries.
constexpr std::uint64_t longest_in_warp(std::uint64_t per_thread) { return warp_size * per_thread; }

Error usage(const std::string& problem) { return {ErrorCode::usage, "ell-csr: " + problem}; }

Status check_params(const Params& params) {
  constexpr std::string_view name = EllCsr<Owned>::name;
  SPRESS_CHECK(check_range(name, "sigma", params.sigma, warp_size));
  SPRESS_CHECK(check_range(name, "t", params.t, 1, EllCsr<Owned>::long_row));
  SPRESS_CHECK(check_range(name, "m", params.m, 1, EllCsr<Owned>::most_per_thread));
  SPRESS_CHECK(check_range(name, "l", params.l, warp_size, EllCsr<Owned>::most_per_warp));
  if (!params.t || !params.m || *params.t - 1 <= longest_in_warp(*params.m)) return Ok{};
  return usage("t=" + std::to_string(*params.t) + ",m=" + std::to_string(*params.m) +
               ": a row of t - 1 entries does not fit a warp; expected t of at most " +
               std::to_string(longest_in_warp(*params.m) + 1));
}

/// Rows by length; the last element counts those of long_row entries and more.
using Histogram = std::array<std::uint64_t, long_row + 1>;

Histogram length_histogram(const Csr<Viewed>& a) {
  constexpr std::uint64_t part = 4096;
  const int threads = threads_worth(0, a.rows);
  std::vector<Histogram> histograms(static_cast<std::size_t>(threads));
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    parallel_for_dynamic((a.rows + part - 1) / part, threads, [&](std::uint64_t p, std::size_t t) {
      for (std::uint64_t r = p * part; r < std::min(a.rows, (p + 1) * part); ++r)
        ++histograms[t][std::min<std::uint64_t>(row_ptr[r + 1] - row_ptr[r], long_row)];
    });
  });
  for (std::size_t t = 1; t < histograms.size(); ++t)
    std::transform(histograms[0].begin(), histograms[0].end(), histograms[t].begin(), histograms[0].begin(),
                   std::plus<>());
  return histograms[0];
}

/// T, M and L. Source: Matam and Kothapalli, section III-B.
struct Tuning {
  std::uint64_t threshold = long_row, per_thread = warp_size, per_warp = warp_size * warp_size;
};

/// The least length that at least half of `rows` rows do not exceed.
std::uint64_t median_length(const Histogram& histogram, std::uint64_t rows) {
  std::uint64_t length = 0;
  for (std::uint64_t seen = histogram[0]; 2 * seen < rows; seen += histogram[length]) ++length;
  return length;
}

/// T and M, neither being given.
Tuning tune_by_rows(const Histogram& histogram) {
  std::uint64_t rows = 0, entries = 0;
  for (std::uint64_t length = 0; length < long_row; ++length) {
    rows += histogram[length];
    entries += length * histogram[length];
  }
  if (rows == 0) return {};
  const std::uint64_t load = std::max((entries + rows - 1) / rows, median_length(histogram, rows));
  return {(entries / rows / 32 + 1) * 32, std::clamp<std::uint64_t>(load, 6, 32)};
}

Tuning tune(const Histogram& histogram, const Params& params) {
  Tuning out = tune_by_rows(histogram);
  if (params.m) {
    out.per_thread = *params.m;
    out.threshold = std::min(out.threshold, longest_in_warp(out.per_thread));
  }
  if (params.t) {
    out.threshold = *params.t;
    out.per_thread = std::max(out.per_thread, (out.threshold - 1 + warp_size - 1) / warp_size);
  }
  out.per_warp = params.l ? *params.l : warp_size * out.per_thread;
  return out;
}

struct WarpPlan {
  std::uint8_t rows, width;
};

/// How the ELL rows are stored.
enum class RowOrder : std::uint8_t { kept, by_length };

struct EllCsrPlan {
  Tuning tuning;
  std::uint64_t sigma = 1;  // rows of the matrix in a window; no warp has rows of two
  std::uint64_t ell_rows = 0, ell_slots = 0;
  std::vector<WarpPlan> warps;  // of the ELL part
  std::uint64_t csr_nnz = 0, csr_warps = 0;
  bool identity = true;  // the stored order is that of the matrix

  [[nodiscard]] bool is_long(std::uint64_t length) const { return length >= tuning.threshold; }
};

/// Deals rows to warps one by one: as many to each as its threads allow.
class Dealer {
 public:
  Dealer(const Tuning& tuning, std::vector<WarpPlan>& warps) : per_thread_(tuning.per_thread), warps_(warps) {}

  void add(std::uint64_t length) {
    const std::uint64_t width = std::max(width_, length);
    if ((rows_ + 1) * threads_for(width, per_thread_) > warp_size) finish();
    ++rows_;
    width_ = std::max(width_, length);
  }
  void finish() {
    if (rows_ != 0) warps_.push_back({static_cast<std::uint8_t>(rows_), static_cast<std::uint8_t>(width_)});
    rows_ = width_ = 0;
  }

 private:
  std::uint64_t per_thread_, rows_ = 0, width_ = 0;
  std::vector<WarpPlan>& warps_;
};

/// The warps of one window. lengths: of its ELL rows.
template <class Lengths>
void deal_window(const Tuning& tuning, RowOrder order, const Lengths& lengths, std::vector<WarpPlan>& warps) {
  Dealer dealer(tuning, warps);
  if (order == RowOrder::kept) {
    lengths([&](std::uint64_t length) { dealer.add(length); });
  } else {
    Histogram count = {};
    lengths([&](std::uint64_t length) { ++count[length]; });
    for (std::uint64_t length = tuning.threshold; length-- > 0;)
      for (std::uint64_t k = 0; k < count[length]; ++k) dealer.add(length);
  }
  dealer.finish();
}

std::vector<WarpPlan> deal_warps(const EllCsrPlan& plan, RowOrder order, const Csr<Viewed>& a) {
  const std::uint64_t part = std::max<std::uint64_t>(1, 8192 / plan.sigma) * plan.sigma;
  std::vector<std::vector<WarpPlan>> parts((a.rows + part - 1) / part);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    parallel_for_dynamic(parts.size(), threads_worth(0, a.rows), [&](std::uint64_t p, std::size_t) {
      const std::uint64_t end = std::min(a.rows, (p + 1) * part);
      for (std::uint64_t first = p * part; first < end; first += plan.sigma) {
        const auto lengths = [&](const auto& use) {
          for (std::uint64_t r = first; r < std::min(end, first + plan.sigma); ++r)
            if (const std::uint64_t length = row_ptr[r + 1] - row_ptr[r]; !plan.is_long(length)) use(length);
        };
        deal_window(plan.tuning, order, lengths, parts[p]);
      }
    });
  });
  if (parts.size() == 1) return std::move(parts[0]);
  std::vector<WarpPlan> warps;
  for (const auto& of_part : parts) warps.insert(warps.end(), of_part.begin(), of_part.end());
  return warps;
}

std::uint64_t slots_of(const EllCsrPlan& plan, const std::vector<WarpPlan>& warps) {
  std::uint64_t slots = 0;
  for (const WarpPlan& warp : warps) slots += warp_shape(warp.rows, warp.width, plan.tuning.per_thread).slots();
  return slots;
}

/// Neighbouring rows that do not stand in the stored order.
struct Misplaced {
  std::uint64_t lengths = 0;    // a row is longer than the one before it in its window
  std::uint64_t long_rows = 0;  // an ELL row follows a CSR row
};

/// Sizes of the CSR part, and what is not in the stored order.
Misplaced scan_rows(EllCsrPlan& plan, const Csr<Viewed>& a) {
  struct Sum {
    std::uint64_t nnz = 0, warps = 0;
    Misplaced misplaced = {};
    void operator+=(const Sum& other) {
      nnz += other.nnz;
      warps += other.warps;
      misplaced.lengths += other.misplaced.lengths;
      misplaced.long_rows += other.misplaced.long_rows;
    }
  };
  const std::uint64_t per_warp = plan.tuning.per_warp;
  const Sum sum = with_positions(a.row_ptr, [&](const auto* row_ptr) {
    return parallel_sum<Sum>(a.rows, thread_count(0), [&](std::uint64_t r) {
      const std::uint64_t length = row_ptr[r + 1] - row_ptr[r];
      const std::uint64_t before = r == 0 ? 0 : row_ptr[r] - row_ptr[r - 1];
      Sum row;
      if (plan.is_long(length))
        row = {length, (length + per_warp - 1) / per_warp};
      else if (plan.is_long(before))
        row.misplaced.long_rows = 1;
      else if (r % plan.sigma != 0 && length > before)
        row.misplaced.lengths = 1;
      return row;
    });
  });
  plan.csr_nnz = sum.nnz;
  plan.csr_warps = sum.warps;
  return sum.misplaced;
}

/// Bytes of the ELL part with values of 8 bytes, and of its permutation.
std::uint64_t ell_bytes(const EllCsrPlan& plan, const std::vector<WarpPlan>& warps, std::uint64_t permuted_rows) {
  return 12 * slots_of(plan, warps) + 9 * warps.size() + 4 * permuted_rows;
}

/// The order of the rows is kept where sorting saves no more padding than its permutation takes.
EllCsrPlan plan_for(const Csr<Viewed>& a, const Params& params) {
  const Histogram histogram = length_histogram(a);
  EllCsrPlan plan;
  plan.tuning = tune(histogram, params);
  plan.sigma = params.sigma;
  for (std::uint64_t length = 0; length < plan.tuning.threshold; ++length) plan.ell_rows += histogram[length];
  const Misplaced misplaced = scan_rows(plan, a);
  plan.identity = misplaced.lengths == 0 && misplaced.long_rows == 0;
  plan.warps = deal_warps(plan, RowOrder::by_length, a);
  if (misplaced.lengths != 0 && misplaced.long_rows == 0) {
    auto kept = deal_warps(plan, RowOrder::kept, a);
    if (ell_bytes(plan, kept, 0) <= ell_bytes(plan, plan.warps, a.rows)) {
      plan.warps = std::move(kept);
      plan.identity = true;
    }
  }
  plan.ell_slots = slots_of(plan, plan.warps);
  return plan;
}

/// The rows by windows and lengths, ties in their order, then the CSR rows.
HostArray<std::uint32_t> stored_order(const EllCsrPlan& plan, const Csr<Viewed>& a) {
  HostArray<std::uint32_t> order(a.rows);
  std::uint64_t ell = 0, csr = plan.ell_rows;
  for (std::uint64_t first = 0; first < a.rows; first += plan.sigma) {
    const std::uint64_t end = std::min(a.rows, first + plan.sigma);
    std::array<std::uint64_t, long_row> next = {};  // rows of each length, then the place of the next one
    for (std::uint64_t r = first; r < end; ++r)
      if (const std::uint64_t length = row_length(a, r); !plan.is_long(length)) ++next[length];
    for (std::uint64_t length = plan.tuning.threshold; length-- > 0;) ell += std::exchange(next[length], ell);
    for (std::uint64_t r = first; r < end; ++r) {
      const std::uint64_t length = row_length(a, r);
      order[plan.is_long(length) ? csr++ : next[length]++] = static_cast<std::uint32_t>(r);
    }
  }
  return order;
}

void write_ell_warps(EllCsr<Owned>& out, const EllCsrPlan& plan) {
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
void write_csr_warps(EllCsr<Owned>& out, const EllCsrPlan& plan, const Csr<Viewed>& a) {
  out.csr_warp_row = HostArray<std::uint32_t>(plan.csr_warps);
  out.csr_warp_start = make_positions(plan.csr_warps + 1, plan.csr_nnz);
  fill_positions(out.csr_warp_start, [&]<class Position>(Position* start) {
    start[0] = 0;
    std::uint64_t p = 0;
    for (std::uint64_t j = 0; j < a.rows - plan.ell_rows; ++j) {
      const std::uint64_t stored = plan.ell_rows + j;
      std::uint64_t left = row_length(a, out.row_perm.empty() ? stored : out.row_perm[stored]);
      for (std::uint64_t piece; left != 0; left -= piece, ++p) {
        piece = std::min(left, plan.tuning.per_warp);
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
Result<EllCsr<Owned>> encode<EllCsr>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_CHECK(check_params(params));
  const EllCsrPlan plan = plan_for(a, params);
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
Result<SizeEstimate> estimate<EllCsr>(const Csr<Viewed>& a, const Params& params) {
  SPRESS_CHECK(check_params(params));
  const EllCsrPlan plan = plan_for(a, params);
  const std::uint64_t warps = plan.warps.size(), slots = plan.ell_slots + plan.csr_nnz;
  std::uint64_t bytes = 4 * slots + (plan.identity ? 0 : 4 * a.rows);
  bytes += position_bytes(warps + 1, plan.ell_rows) + position_bytes(warps + 1, plan.ell_slots) + warps;
  bytes += 4 * plan.csr_warps + position_bytes(plan.csr_warps + 1, plan.csr_nnz);
  return SizeEstimate{bytes, bytes, slots, std::nullopt, {}, true};  // the paper has no formula for it
}

}  // namespace spress
