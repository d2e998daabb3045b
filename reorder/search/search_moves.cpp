#include "reorder/search/search_moves.hpp"

#include <algorithm>
#include <numeric>

#include "reorder/core/groups.hpp"
#include "reorder/core/methods.hpp"

namespace spress::reorder {
namespace {

Permutation identity(std::uint64_t n) {
  Permutation perm(n);
  std::iota(perm.begin(), perm.end(), 0u);
  return perm;
}

/// 0..n-1 by `key`, equal ones as they are.
template <class Key>
Permutation sorted_by(const HostArray<Key>& keys) {
  Permutation perm = identity(keys.size());
  std::stable_sort(perm.begin(), perm.end(), [&](VertexId i, VertexId j) { return keys[i] < keys[j]; });
  return perm;
}

/// The mean of each list; empty lists stay where they are.
HostArray<double> means(GraphView lists, double scale) {
  HostArray<double> out(lists.vertices);
  for (VertexId v = 0; v < lists.vertices; ++v) {
    const auto list = lists.neighbors(v);
    const double sum = std::accumulate(list.begin(), list.end(), 0.0);
    out[v] = list.empty() ? v * scale : sum / static_cast<double>(list.size());
  }
  return out;
}

HostArray<VertexId> firsts(GraphView lists) {
  HostArray<VertexId> out(lists.vertices);
  for (VertexId v = 0; v < lists.vertices; ++v)
    out[v] = lists.degree(v) == 0 ? ~VertexId{0} : lists.adjacency[lists.row_ptr[v]];
  return out;
}

double scale_of(std::uint64_t from, std::uint64_t to) {
  return from == 0 ? 0 : static_cast<double>(to) / static_cast<double>(from);
}

Reordering reverse(const Csr<Viewed>& a) {
  Reordering to{identity(a.rows), identity(a.cols)};
  std::reverse(to.rows.begin(), to.rows.end());
  std::reverse(to.cols.begin(), to.cols.end());
  return to;
}

Reordering rows_by_first_column(const Csr<Viewed>& a) { return {sorted_by(firsts(RowLists(a).view())), {}}; }

Reordering rows_by_mean_column(const Csr<Viewed>& a) {
  return {sorted_by(means(RowLists(a).view(), scale_of(a.rows, a.cols))), {}};
}

Reordering columns_by_first_row(const Csr<Viewed>& a) {
  return {{}, sorted_by(firsts(transposed(RowLists(a).view(), static_cast<VertexId>(a.cols)).view()))};
}

Reordering columns_by_mean_row(const Csr<Viewed>& a) {
  const Graph columns = transposed(RowLists(a).view(), static_cast<VertexId>(a.cols));
  return {{}, sorted_by(means(columns.view(), scale_of(a.cols, a.rows)))};
}

/// Each vertex to the middle of its neighbors: shortens what an ordering by levels left long.
Reordering both_by_mean_neighbor(const Csr<Viewed>& a) {
  if (a.rows != a.cols) return {};
  const Graph graph = graph_of(a);
  const Permutation perm = sorted_by(means(graph.view(), 1));
  return {perm, perm};
}

Reordering alike_together(const Csr<Viewed>& a) {
  auto to = methods::likeness(a, {});
  return to.ok() ? std::move(*to) : Reordering{};
}

// --- Rows of a window -------------------------------------------------------------------------------------------

/// Rows by comparing lists; `before(x, y)` says whether list x comes first.
template <class Before>
Permutation rows_sorted(const Csr<Viewed>& window, const Before& before) {
  const RowLists rows(window);
  const GraphView lists = rows.view();
  Permutation perm = identity(window.rows);
  std::stable_sort(perm.begin(), perm.end(),
                   [&](VertexId i, VertexId j) { return before(lists.neighbors(i), lists.neighbors(j)); });
  return perm;
}

using List = std::span<const VertexId>;

VertexId first_of(List list) { return list.empty() ? 0 : list.front(); }

Permutation by_first_column(const Csr<Viewed>& window) {
  return rows_sorted(window, [](List x, List y) { return std::ranges::lexicographical_compare(x, y); });
}

Permutation by_length(const Csr<Viewed>& window) {
  return rows_sorted(
      window, [](List x, List y) { return x.size() != y.size() ? x.size() > y.size() : first_of(x) < first_of(y); });
}

/// Rows with the same gaps together, long ones first.
Permutation by_gaps(const Csr<Viewed>& window) {
  return rows_sorted(window, [](List x, List y) {
    if (x.size() != y.size()) return x.size() > y.size();
    for (std::size_t k = 1; k < x.size(); ++k)
      if (const VertexId a = x[k] - x[k - 1], b = y[k] - y[k - 1]; a != b) return a < b;
    return first_of(x) < first_of(y);
  });
}

/// Rows that need the same width for their gaps together.
Permutation by_widest_gap(const Csr<Viewed>& window) {
  const auto width = [](List list) {
    VertexId widest = 0;
    for (std::size_t k = 1; k < list.size(); ++k) widest = std::max(widest, list[k] - list[k - 1]);
    return widest < 256 ? 0 : widest < 65536 ? 1 : 2;
  };
  return rows_sorted(window, [&](List x, List y) { return width(x) < width(y); });
}

Permutation by_likeness(const Csr<Viewed>& window) { return group_alike(RowLists(window).view(), {1, 2}).members; }

}  // namespace

const std::vector<Move>& whole_moves() {
  static const std::vector<Move> list = {
      {"reverse", reverse},
      {"alike rows and columns together", alike_together},
      {"both by mean neighbor", both_by_mean_neighbor},
      {"rows by mean column", rows_by_mean_column},
      {"columns by mean row", columns_by_mean_row},
      {"rows by first column", rows_by_first_column},
      {"columns by first row", columns_by_first_row},
  };
  return list;
}

const std::vector<WindowMove>& window_moves() {
  static const std::vector<WindowMove> list = {
      {"by first column", by_first_column}, {"by length", by_length},     {"by gaps", by_gaps},
      {"by widest gap", by_widest_gap},     {"by likeness", by_likeness},
  };
  return list;
}

Csr<Owned> rows_of(const Csr<Viewed>& a, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t begin = a.row_ptr.position(first), nnz = a.row_ptr.position(last) - begin;
  Csr<Owned> out;
  out.rows = last - first;
  out.cols = a.cols;
  out.nnz = nnz;
  out.row_ptr = Positions<Owned>(position_type(nnz), out.rows + 1);
  fill_positions(out.row_ptr, [&]<class Position>(Position* to) {
    for (std::uint64_t r = 0; r <= out.rows; ++r) to[r] = static_cast<Position>(a.row_ptr.position(first + r) - begin);
  });
  out.col_idx = HostArray<std::uint32_t>(std::span<const std::uint32_t>(a.col_idx.data() + begin, nnz));
  out.values = empty_like(a.values, nnz);
  permute_codes(out.values, a.values, [&](auto* to, const auto* from) { std::copy_n(from + begin, nnz, to); });
  return out;
}

Permutation compose(const Permutation& first, const Permutation& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  Permutation out(first.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = first[second[i]];
  return out;
}

std::uint64_t gap_bytes(const Csr<Viewed>& a) {
  const RowLists rows(a);
  const auto width = [](std::uint64_t gap) -> std::uint64_t { return gap < 256 ? 1 : gap < 65536 ? 2 : 4; };
  std::uint64_t bytes = 0;
  for (VertexId r = 0; r < rows.view().vertices; ++r) {
    const auto list = rows.view().neighbors(r);
    if (list.empty()) continue;
    const VertexId first = list.front();
    std::uint64_t widest = 2 * (first < r ? std::uint64_t{r} - first : std::uint64_t{first} - r);  // signed
    for (std::size_t k = 1; k < list.size(); ++k) widest = std::max<std::uint64_t>(widest, list[k] - list[k - 1]);
    bytes += width(widest) * list.size();
  }
  return bytes;
}

}  // namespace spress::reorder
