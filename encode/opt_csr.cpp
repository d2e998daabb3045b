#include "formats/opt_csr.hpp"

#include <algorithm>
#include <array>

#include "analyze/index_classes.hpp"
#include "analyze/models.hpp"
#include "encode/codec.hpp"
#include "encode/common.hpp"
#include "encode/opt_csr_size.hpp"

namespace spress {
namespace {

using analyze::Strategy;
using analyze::Width;

/// Where every row goes under one index mode, and what that costs.
struct Plan {
  IndexMode index = IndexMode::diagonal;
  HostArray<std::uint8_t> widths;             // rows: 0, 1, 2 for 8, 16, 32 bits
  std::array<std::uint64_t, 3> rows = {};     // by width
  std::array<std::uint64_t, 3> entries = {};  // by width
  bool grouped = true;                        // the rows already stand in groups
  std::uint64_t index_bytes = 0;
};

Plan plan_for(const Csr<Viewed>& a, IndexMode index) {
  Plan plan;
  plan.index = index;
  plan.widths = HostArray<std::uint8_t>(a.rows);
  const Strategy strategy = strategy_of(index);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    std::uint64_t rows16 = 0, rows32 = 0, nnz16 = 0, nnz32 = 0;
#pragma omp parallel for schedule(static) reduction(+ : rows16, rows32, nnz16, nnz32)
    for (std::uint64_t r = 0; r < a.rows; ++r) {
      const std::uint64_t n = row_ptr[r + 1] - row_ptr[r];
      const Width width = analyze::row_width(strategy, r, a.col_idx.data() + row_ptr[r], n);
      plan.widths[r] = static_cast<std::uint8_t>(width);
      rows16 += width == Width::bits16;
      rows32 += width == Width::bits32;
      nnz16 += width == Width::bits16 ? n : 0;
      nnz32 += width == Width::bits32 ? n : 0;
    }
    plan.rows = {a.rows - rows16 - rows32, rows16, rows32};
    plan.entries = {a.nnz - nnz16 - nnz32, nnz16, nnz32};
  });
  plan.grouped = std::is_sorted(plan.widths.begin(), plan.widths.end());
  plan.index_bytes = opt_csr_index_bytes(index, a.rows, plan.entries, plan.grouped);
  return plan;
}

Plan best_plan(const Csr<Viewed>& a, IndexMode index) {
  if (index != IndexMode::automatic) return plan_for(a, index);
  Plan best = plan_for(a, stored_modes[0]);
  for (std::size_t m = 1; m < stored_modes.size(); ++m) {
    Plan plan = plan_for(a, stored_modes[m]);
    if (plan.index_bytes < best.index_bytes) best = std::move(plan);
  }
  return best;
}

/// The rows in stored order: grouped by width, the original order kept within a group.
HostArray<std::uint32_t> stored_order(const Plan& plan) {
  HostArray<std::uint32_t> order(plan.widths.size());
  std::array<std::uint64_t, 3> next = {0, plan.rows[0], plan.rows[0] + plan.rows[1]};
  for (std::size_t r = 0; r < order.size(); ++r) order[next[plan.widths[r]]++] = static_cast<std::uint32_t>(r);
  return order;
}

template <class Code>
void write_row(IndexMode index, std::uint32_t row, const std::uint32_t* cols, std::uint64_t n, Code* codes) {
  // Unsigned differences wrap to the two's complement of a negative distance; the class of the row says that they fit.
  if (index == IndexMode::diagonal) {
    for (std::uint64_t k = 0; k < n; ++k) codes[k] = static_cast<Code>(cols[k] - row);
    return;
  }
  if (n != 0) codes[0] = index == IndexMode::anchored ? static_cast<Code>(cols[0] - row) : Code{0};
  for (std::uint64_t k = 1; k < n; ++k) codes[k] = static_cast<Code>(cols[k] - cols[k - 1]);
}

template <class Code>
void read_row(IndexMode index, std::uint32_t row, std::uint32_t first_col, const Code* codes, std::uint64_t n,
              std::uint32_t* cols) {
  using Signed = std::make_signed_t<Code>;
  const auto from_diagonal = [&](Code code) {
    return row + static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<Signed>(code)));
  };
  if (index == IndexMode::diagonal) {
    std::transform(codes, codes + n, cols, from_diagonal);
    return;
  }
  if (n != 0) cols[0] = index == IndexMode::anchored ? from_diagonal(codes[0]) : first_col;
  for (std::uint64_t k = 1; k < n; ++k) cols[k] = cols[k - 1] + codes[k];
}

/// Calls use(i, row, codes) for every stored row i in parallel: `codes` is the row's place in its section's array.
template <class Format, class Use>
void for_each_stored_row(Format& f, const std::uint32_t* order, Use&& use) {
  const auto start = [&](std::size_t s) { return f.section_start.position(s); };
  const auto section = [&](std::size_t s, auto* codes) {
    const std::uint64_t base = f.row_ptr.position(start(s));
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = start(s); i < start(s + 1); ++i)
      use(i, order == nullptr ? static_cast<std::uint32_t>(i) : order[i], codes + (f.row_ptr.position(i) - base));
  };
  section(0, f.col8.data());
  section(1, f.col16.data());
  section(2, f.col32.data());
}

}  // namespace

template <>
Result<OptCsr<Owned>> encode<OptCsr>(const Csr<Viewed>& a, const OptCsr<Owned>::Params& params) {
  const Plan plan = best_plan(a, params.index);
  const HostArray<std::uint32_t> order = stored_order(plan);

  OptCsr<Owned> out;
  copy_shape(out, a);
  out.index = plan.index;
  out.section_start = make_positions(4, a.rows);
  fill_positions(out.section_start, [&]<class Position>(Position* start) {
    start[0] = 0;
    for (std::size_t w = 0; w < 3; ++w) start[w + 1] = static_cast<Position>(start[w] + plan.rows[w]);
  });
  out.row_ptr = make_positions(a.rows + 1, a.nnz);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    row_ptr[0] = 0;
    for (std::uint64_t i = 0; i < a.rows; ++i)
      row_ptr[i + 1] =
          static_cast<Position>(row_ptr[i] + a.row_ptr.position(order[i] + 1) - a.row_ptr.position(order[i]));
  });
  if (plan.index == IndexMode::delta) out.first_col = HostArray<std::uint32_t>(a.rows, 0);
  out.col8 = HostArray<std::uint8_t>(plan.entries[0]);
  out.col16 = HostArray<std::uint16_t>(plan.entries[1]);
  out.col32 = HostArray<std::uint32_t>(plan.entries[2]);
  out.values = empty_like(a.values, a.nnz);

  const auto length = [&](std::uint64_t row) { return a.row_ptr.position(row + 1) - a.row_ptr.position(row); };
  for_each_stored_row(out, order.data(), [&](std::uint64_t i, std::uint32_t row, auto* codes) {
    const std::uint32_t* cols = a.col_idx.data() + a.row_ptr.position(row);
    const std::uint64_t n = length(row);
    write_row(plan.index, row, cols, n, codes);
    if (plan.index == IndexMode::delta && n != 0) out.first_col[i] = cols[0];
  });
  permute_codes(out.values, a.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < a.rows; ++i)
      std::copy_n(from + a.row_ptr.position(order[i]), length(order[i]), to + out.row_ptr.position(i));
  });
  if (!plan.grouped) out.row_perm = order;
  return out;
}

template <>
Csr<Owned> decode<OptCsr>(const OptCsr<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  const std::uint32_t* order = f.row_perm.empty() ? nullptr : f.row_perm.data();
  const auto row_of = [&](std::uint64_t i) { return order == nullptr ? i : order[i]; };
  const auto length = [&](std::uint64_t i) { return f.row_ptr.position(i + 1) - f.row_ptr.position(i); };

  out.row_ptr = make_positions(f.rows + 1, f.nnz);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    row_ptr[0] = 0;
    for (std::uint64_t i = 0; i < f.rows; ++i) row_ptr[row_of(i) + 1] = static_cast<Position>(length(i));
    for (std::uint64_t r = 0; r < f.rows; ++r) row_ptr[r + 1] = static_cast<Position>(row_ptr[r + 1] + row_ptr[r]);
  });
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  for_each_stored_row(f, order, [&](std::uint64_t i, std::uint32_t row, const auto* codes) {
    const std::uint32_t first = f.index == IndexMode::delta ? f.first_col[i] : 0;
    read_row(f.index, row, first, codes, length(i), out.col_idx.data() + out.row_ptr.position(row));
  });
  out.values = empty_like(f.values, f.nnz);
  permute_codes(out.values, f.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < f.rows; ++i)
      std::copy_n(from + f.row_ptr.position(i), length(i), to + out.row_ptr.position(row_of(i)));
  });
  return out;
}

template <>
Result<SizeEstimate> estimate<OptCsr>(const Csr<Viewed>& a, const OptCsr<Owned>::Params& params) {
  const Plan delta = plan_for(a, IndexMode::delta);
  const std::uint64_t bytes =
      params.index == IndexMode::delta ? delta.index_bytes : best_plan(a, params.index).index_bytes;
  return SizeEstimate{bytes, analyze::opt_csr_model(delta.entries, a.rows), a.nnz};
}

}  // namespace spress
