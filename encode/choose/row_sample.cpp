#include "encode/choose/row_sample.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "encode/shared/rows.hpp"
#include "formats/core/threads.hpp"
#include "formats/values/distinct.hpp"

namespace spress {
namespace {

constexpr std::uint64_t most_runs = 64;
/// Runs begin at multiples of so many rows, and columns move by multiples: those of a slice, and of every block but
/// those of 5 and 7 rows. Where that makes few runs, only slices and blocks of 2, 4 and 8 rows stay whole.
std::uint64_t alignment_for(std::uint64_t wanted_rows) {
  constexpr std::uint64_t slice = 32, slice_and_blocks = 96, least_runs = 6;
  return wanted_rows < least_runs * slice_and_blocks ? slice : slice_and_blocks;
}

struct Run {
  std::uint64_t first, rows;  // in the matrix
  std::uint64_t to;           // its first row in the sample
  std::uint64_t alignment;
};

/// Where a run begins within its share of the rows is drawn by its number: equal steps may all meet a side of a grid.
std::vector<Run> choose_runs(std::uint64_t rows, std::uint64_t wanted_rows) {
  const std::uint64_t alignment = alignment_for(wanted_rows);
  const std::uint64_t per_run = std::max(alignment, wanted_rows / most_runs / alignment * alignment);
  const std::uint64_t runs = std::clamp<std::uint64_t>(wanted_rows / per_run, 1, most_runs);
  std::vector<Run> out;
  std::uint64_t to = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    const std::uint64_t begin = rows * i / runs / alignment * alignment, end = rows * (i + 1) / runs;
    const std::uint64_t places = (end - begin > per_run ? end - begin - per_run : 0) / alignment + 1;
    // The first run stays at the edge: with its rows at the top, it has no room to move columns left of them.
    const std::uint64_t first = i == 0 ? 0 : begin + hash_bits(i) % places * alignment;
    out.push_back({first, std::min(per_run, rows - first), to, alignment});
    to += out.back().rows;
  }
  return out;
}

/// By how much the columns of a run move to the left: with its rows, unless most rows have entries left of that, as in
/// a wide band. A few rows with entries far to the left, in a dense column for instance, do not count.
template <class Position>
std::uint64_t column_shift(const Csr<Viewed>& a, const Position* row_ptr, const Run& run) {
  std::vector<std::uint32_t> firsts;
  for (std::uint64_t r = run.first; r < run.first + run.rows; ++r)
    if (row_ptr[r] < row_ptr[r + 1]) firsts.push_back(a.col_idx[row_ptr[r]]);
  if (firsts.empty()) return 0;
  const auto middle = firsts.begin() + static_cast<std::ptrdiff_t>(firsts.size() / 2);
  std::nth_element(firsts.begin(), middle, firsts.end());
  return std::min<std::uint64_t>(run.first - run.to, *middle) / run.alignment * run.alignment;
}

/// Moves the columns of a row to the left. Those that would end up left of column 0, or of others, stay where they are
/// as far as they keep their order: distances to them shrink, so that sizes are rather underestimated, which the
/// chooser finds out, than overestimated.
void move_columns(const std::uint32_t* from, std::uint64_t n, std::uint64_t shift, std::uint32_t* to) {
  std::uint64_t stay = 0;
  while (stay < n && from[stay] < shift + stay) ++stay;
  for (std::uint64_t k = stay; k < n; ++k) to[k] = static_cast<std::uint32_t>(from[k] - shift);
  for (std::uint64_t k = stay; k-- > 0;) to[k] = k + 1 < n ? std::min(from[k], to[k + 1] - 1) : from[k];
}

/// The rows of the runs, each cut to `longest` entries.
template <class Position>
Csr<Owned> take_runs(const Csr<Viewed>& a, const Position* from, const std::vector<Run>& runs, std::uint64_t longest,
                     int threads) {
  std::vector<std::uint64_t> to = {0};
  for (const Run& run : runs)
    for (std::uint64_t r = run.first; r < run.first + run.rows; ++r)
      to.push_back(to.back() + std::min<std::uint64_t>(from[r + 1] - from[r], longest));
  Csr<Owned> out;
  out.rows = to.size() - 1;
  out.cols = a.cols;
  out.nnz = to.back();
  out.row_ptr = make_positions(to);
  out.col_idx = HostArray<std::uint32_t>(out.nnz);
  out.values = empty_like(a.values, out.nnz);
  parallel_for_dynamic(runs.size(), threads_worth(threads, 8 * out.nnz), [&](std::uint64_t i, std::size_t) {
    const Run& run = runs[i];
    const std::uint64_t shift = column_shift(a, from, run);
    const auto for_each_row = [&](auto&& use) {
      for (std::uint64_t k = run.to; k < run.to + run.rows; ++k)
        use(from[run.first + k - run.to], to[k + 1] - to[k], to[k]);
    };
    for_each_row([&](std::uint64_t at, std::uint64_t n, std::uint64_t to_at) {
      move_columns(a.col_idx.data() + at, n, shift, out.col_idx.data() + to_at);
    });
    permute_codes(out.values, a.values, [&](auto* codes, const auto* source) {
      for_each_row(
          [&](std::uint64_t at, std::uint64_t n, std::uint64_t to_at) { std::copy_n(source + at, n, codes + to_at); });
    });
  });
  return out;
}

/// The slots that are padded beyond `limit` where the rows of a window longer than that stand together, 32 by 32.
template <class Position>
std::uint64_t padding_of_window(const Position* row_ptr, std::uint64_t first, std::uint64_t last, std::uint64_t limit) {
  std::vector<std::uint64_t> lengths;
  std::uint64_t entries = 0, slots = 0;
  for (std::uint64_t r = first; r < last; ++r)
    if (const std::uint64_t length = row_ptr[r + 1] - row_ptr[r]; length > limit) {
      lengths.push_back(length - limit);
      entries += length - limit;
    }
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  for (std::size_t k = 0; k < lengths.size(); k += 32) slots += 32 * lengths[k];
  return slots - entries;
}

double long_row_padding(const Csr<Viewed>& a, std::uint64_t limit, int threads) {
  constexpr std::uint64_t window = 1 << 15;
  std::vector<std::uint64_t> slots((a.rows + window - 1) / window);
  parallel_for_dynamic(slots.size(), threads_worth(threads, a.rows), [&](std::uint64_t w, std::size_t) {
    slots[w] = with_positions(a.row_ptr, [&](const auto* row_ptr) {
      return padding_of_window(row_ptr, w * window, std::min(a.rows, (w + 1) * window), limit);
    });
  });
  return static_cast<double>(std::accumulate(slots.begin(), slots.end(), std::uint64_t{0}));
}

double csr_index_bytes(const Csr<Viewed>& a) { return 4.0 * static_cast<double>(a.nnz + a.rows + 1); }

}  // namespace

RowSample whole_sample(const Csr<Viewed>& a) {
  RowSample out;
  out.csr = a;
  return out;
}

RowSample sample_rows(const Csr<Viewed>& a, std::uint64_t entries, int threads) {
  RowSample out = whole_sample(a);
  if (a.nnz <= entries) return out;
  const auto share = static_cast<double>(entries) / static_cast<double>(a.nnz);
  const auto runs = choose_runs(a.rows, static_cast<std::uint64_t>(share * static_cast<double>(a.rows)));
  const std::uint64_t rows = runs.back().to + runs.back().rows;
  const std::uint64_t factor = rows == a.rows ? 1 : 8;  // if every row is sampled, each has to be cut
  const std::uint64_t longest = std::max<std::uint64_t>(256, factor * entries / rows);
  out.owned =
      with_positions(a.row_ptr, [&](const auto* row_ptr) { return take_runs(a, row_ptr, runs, longest, threads); });
  out.csr = view_of(out.owned);
  out.whole = false;
  if (out.csr.nnz != 0) out.entries = static_cast<double>(a.nnz) / static_cast<double>(out.csr.nnz);
  out.index_bytes = csr_index_bytes(a) / csr_index_bytes(out.csr);
  out.long_row_padding = long_row_padding(a, longest_row(out.csr), threads);
  return out;
}

}  // namespace spress
