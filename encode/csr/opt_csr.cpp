#include "formats/csr/opt_csr.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "analyze/index_classes.hpp"
#include "analyze/models.hpp"
#include "encode/csr/opt_csr_size.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/size_stream.hpp"
#include "formats/core/threads.hpp"
#include "formats/csr/opt_csr_columns.hpp"

namespace spress {
namespace {

constexpr std::size_t modes = stored_modes.size();

/// What consecutive rows add up to under one index mode.
struct Tally {
  std::array<std::uint64_t, 3> rows = {}, entries = {};  // by the class of the row
  std::uint8_t first = 0, last = 0;                      // classes of the first and last row
  bool grouped = true;                                   // the classes never fall

  void add(std::uint8_t width, std::uint64_t n) {
    ++rows[width];
    entries[width] += n;
    grouped = grouped && width >= last;
    last = width;
  }
  /// Takes the rows behind these.
  void append(const Tally& next) {
    if (rows[0] + rows[1] + rows[2] == 0) first = next.first;
    for (std::size_t w = 0; w < 3; ++w) {
      rows[w] += next.rows[w];
      entries[w] += next.entries[w];
    }
    grouped = grouped && next.grouped && next.first >= last;
    last = next.last;
  }
};

using Tallies = std::array<Tally, modes>;

void append(Tallies& to, const Tallies& next) {
  for (std::size_t m = 0; m < modes; ++m) to[m].append(next[m]);
}

/// Every row under every mode, found in one pass over the columns.
struct Survey {
  HostArray<ModeWidths> widths;  // rows
  Tallies all;
};

template <class Position>
Tallies survey_rows(const RowPanel& panel, const Position* row_ptr, std::uint64_t begin, std::uint64_t end,
                    ModeWidths* widths) {
  Tallies tallies;
  for (std::uint64_t r = begin; r < end; ++r) {
    const std::uint64_t n = row_ptr[r + 1] - row_ptr[r];
    widths[r] = mode_widths(panel.first_row + r, panel.csr.col_idx.data() + row_ptr[r], n);
    for (std::size_t m = 0; m < modes; ++m) {
      if (r == begin) tallies[m].first = tallies[m].last = widths[r][m];
      tallies[m].add(widths[r][m], n);
    }
  }
  return tallies;
}

/// Consecutive pieces of the rows in parallel, put together in their order.
Survey survey_of(const RowPanel& panel) {
  constexpr std::uint64_t piece = 4096;
  const Csr<Viewed>& a = panel.csr;
  Survey survey{HostArray<ModeWidths>(a.rows), {}};
  std::vector<Tallies> parts((a.rows + piece - 1) / piece);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    parallel_for_dynamic(parts.size(), thread_count(0), [&](std::uint64_t p, std::size_t) {
      parts[p] = survey_rows(panel, row_ptr, p * piece, std::min(a.rows, (p + 1) * piece), survey.widths.data());
    });
  });
  for (const Tallies& part : parts) append(survey.all, part);
  return survey;
}

/// Where every row goes under one index mode, and what that costs.
struct SectionPlan {
  std::size_t mode = 0;  // of stored_modes
  Tally tally;
  std::uint64_t index_bytes = 0;
};

SectionPlan plan_for(const Tallies& all, std::uint64_t rows, std::size_t mode) {
  const Tally& tally = all[mode];
  return {mode, tally, opt_csr_index_bytes(stored_modes[mode], rows, tally.entries, tally.grouped)};
}

/// The plan of the mode asked for, or the smallest.
SectionPlan best_plan(const Tallies& all, std::uint64_t rows, IndexMode index) {
  std::optional<SectionPlan> best;
  for (std::size_t m = 0; m < modes; ++m) {
    if (index != IndexMode::automatic && index != stored_modes[m]) continue;
    const SectionPlan plan = plan_for(all, rows, m);
    if (!best || plan.index_bytes < best->index_bytes) best = plan;
  }
  return *best;
}

SizeEstimate size_of(const Tallies& all, IndexMode index, std::uint64_t rows, std::uint64_t nnz) {
  static_assert(stored_modes[modes - 1] == IndexMode::delta);
  return {best_plan(all, rows, index).index_bytes, analyze::opt_csr_model(all[modes - 1].entries, rows), nnz};
}

/// The rows in stored order: grouped by width, the original order kept within a group. Empty for the identity.
HostArray<std::uint32_t> stored_order(const Survey& survey, const SectionPlan& plan) {
  if (plan.tally.grouped) return {};
  HostArray<std::uint32_t> order(survey.widths.size());
  const auto& rows = plan.tally.rows;
  std::array<std::uint64_t, 3> next = {0, rows[0], rows[0] + rows[1]};
  for (std::size_t r = 0; r < order.size(); ++r)
    order[next[survey.widths[r][plan.mode]]++] = static_cast<std::uint32_t>(r);
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

/// The rows in stored order, or null for the identity.
template <class Storage>
const std::uint32_t* order_of(const OptCsr<Storage>& f) {
  return f.row_perm.empty() ? nullptr : f.row_perm.data();
}

Positions<Owned> section_starts(const SectionPlan& plan) {
  const auto& rows = plan.tally.rows;
  return make_positions({0, rows[0], rows[0] + rows[1], rows[0] + rows[1] + rows[2]});
}

Positions<Owned> stored_row_ptr(const Csr<Viewed>& a, const HostArray<std::uint32_t>& order) {
  Positions<Owned> out = make_positions(a.rows + 1, a.nnz);
  if (order.empty()) {
    parallel_copy(out.raw(), a.row_ptr.raw(), a.row_ptr.bytes());
    return out;
  }
  fill_positions(out, [&]<class Position>(Position* row_ptr) {
    const auto* from = a.row_ptr.as<Position>();
    row_ptr[0] = 0;
    for (std::uint64_t i = 0; i < a.rows; ++i) row_ptr[i + 1] = row_ptr[i] + (from[order[i] + 1] - from[order[i]]);
  });
  return out;
}

}  // namespace

template <>
Result<OptCsr<Owned>> encode<OptCsr>(const Csr<Viewed>& a, const OptCsr<Owned>::Params& params) {
  const Survey survey = survey_of({0, a});
  const SectionPlan plan = best_plan(survey.all, a.rows, params.index);
  OptCsr<Owned> out;
  copy_shape(out, a);
  out.index = stored_modes[plan.mode];
  out.row_perm = stored_order(survey, plan);
  out.section_start = section_starts(plan);
  out.row_ptr = stored_row_ptr(a, out.row_perm);
  if (out.index == IndexMode::delta) out.first_col = HostArray<std::uint32_t>(a.rows);
  out.col8 = HostArray<std::uint8_t>(plan.tally.entries[0]);
  out.col16 = HostArray<std::uint16_t>(plan.tally.entries[1]);
  out.col32 = HostArray<std::uint32_t>(plan.tally.entries[2]);
  const auto length = [&](std::uint64_t i) { return out.row_ptr.position(i + 1) - out.row_ptr.position(i); };
  for_each_stored_row(out, order_of(out), [&](std::uint64_t i, std::uint32_t row, auto* codes) {
    const std::uint32_t* cols = a.col_idx.data() + a.row_ptr.position(row);
    const std::uint64_t n = length(i);
    write_row(out.index, row, cols, n, codes);
    if (out.index == IndexMode::delta) out.first_col[i] = n != 0 ? cols[0] : 0;
  });
  if (out.row_perm.empty()) {
    out.values = copy_store(a.values);
    return out;
  }
  out.values = empty_like(a.values, a.nnz);
  permute_codes(out.values, a.values, [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t i = 0; i < a.rows; ++i)
      std::copy_n(from + a.row_ptr.position(out.row_perm[i]), length(i), to + out.row_ptr.position(i));
  });
  return out;
}

template <>
Csr<Owned> decode<OptCsr>(const OptCsr<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  const std::uint32_t* order = order_of(f);
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
    read_columns(f.index, row, first, codes, length(i), out.col_idx.data() + out.row_ptr.position(row));
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
  return size_of(survey_of({0, a}).all, params.index, a.rows, a.nnz);
}

template <>
std::unique_ptr<SizeStream> size_stream<OptCsr>(const OptCsr<Owned>::Params& params) {
  return make_size_stream(
      Tallies{}, [](Tallies& all, const RowPanel& panel) { append(all, survey_of(panel).all); },
      [params](const Tallies& all, const WholeMatrix& whole) -> Result<SizeEstimate> {
        return size_of(all, params.index, whole.rows, whole.nnz);
      });
}

}  // namespace spress
