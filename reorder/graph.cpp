#include "reorder/graph.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "reorder/metrics.hpp"
#include "reorder/parallel.hpp"

namespace spress::reorder {
namespace {

struct Row {
  const VertexId* begin;
  const VertexId* end;
};

/// Calls visit_row(r, emit) twice for each row: once to count the neighbors emitted, once to keep them.
/// `entries` is about how many there are.
template <class VisitRow>
Graph build_graph(std::uint64_t vertices, std::uint64_t entries, const VisitRow& visit_row) {
  Graph graph;
  graph.row_ptr = HostArray<std::uint64_t>(vertices + 1);
  graph.row_ptr[0] = 0;
  const auto n = static_cast<std::int64_t>(vertices);
#pragma omp parallel for schedule(dynamic, 4096) if (worth_threads(entries))
  for (std::int64_t r = 0; r < n; ++r) {
    std::uint64_t count = 0;
    visit_row(static_cast<VertexId>(r), [&](VertexId) { ++count; });
    graph.row_ptr[static_cast<std::size_t>(r) + 1] = count;
  }
  for (std::uint64_t r = 0; r < vertices; ++r) graph.row_ptr[r + 1] += graph.row_ptr[r];
  graph.adjacency = HostArray<VertexId>(graph.row_ptr[vertices]);
#pragma omp parallel for schedule(dynamic, 4096) if (worth_threads(entries))
  for (std::int64_t r = 0; r < n; ++r) {
    VertexId* at = graph.adjacency.data() + graph.row_ptr[static_cast<std::size_t>(r)];
    visit_row(static_cast<VertexId>(r), [&](VertexId neighbor) { *at++ = neighbor; });
  }
  return graph;
}

/// The rows of A^T; columns ascend, since the rows of A are taken in their order: in blocks of rows, each with its own
/// count of what it brings to a column.
template <class Position>
Graph transposed_pattern(const Csr<Viewed>& a, const Position* row_ptr) {
  const std::uint64_t fitting = a.cols == 0 ? 1 : std::max<std::uint64_t>(1, 2 * a.nnz / a.cols);
  const auto blocks = worth_threads(a.nnz) ? std::min<std::uint64_t>(fitting, omp_get_max_threads()) : 1;
  const auto block_begin = [&](std::uint64_t b) {  // about as many entries in each
    return std::lower_bound(row_ptr, row_ptr + a.rows, a.nnz * b / blocks) - row_ptr;
  };
  const auto walk = [&](std::uint64_t b, const auto& visit) {
    const auto end = static_cast<std::uint64_t>(b + 1 == blocks ? a.rows : block_begin(b + 1));
    for (auto r = static_cast<std::uint64_t>(block_begin(b)); r < end; ++r)
      for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) visit(r, a.col_idx[k]);
  };
  HostArray<VertexId> place(blocks * a.cols, 0);  // by block and column: entries, then where the next one goes
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(blocks))
  for (std::uint64_t b = 0; b < blocks; ++b) walk(b, [&](std::uint64_t, VertexId c) { ++place[b * a.cols + c]; });
  Graph t;
  t.row_ptr = HostArray<std::uint64_t>(a.cols + 1);
  t.row_ptr[0] = 0;
  for (std::uint64_t c = 0; c < a.cols; ++c) {
    VertexId in_column = 0;
    for (std::uint64_t b = 0; b < blocks; ++b) in_column += std::exchange(place[b * a.cols + c], in_column);
    t.row_ptr[c + 1] = t.row_ptr[c] + in_column;
  }
  t.adjacency = HostArray<VertexId>(a.nnz);
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(blocks))
  for (std::uint64_t b = 0; b < blocks; ++b)
    walk(b, [&](std::uint64_t r, VertexId c) {
      t.adjacency[t.row_ptr[c] + place[b * a.cols + c]++] = static_cast<VertexId>(r);
    });
  return t;
}

/// Emits the union of two ascending rows, without r itself.
template <class Emit>
void merge_rows(VertexId r, Row a, Row b, const Emit& emit) {
  while (a.begin != a.end || b.begin != b.end) {
    const bool from_a = b.begin == b.end || (a.begin != a.end && *a.begin <= *b.begin);
    const VertexId id = from_a ? *a.begin : *b.begin;
    if (a.begin != a.end && *a.begin == id) ++a.begin;
    if (b.begin != b.end && *b.begin == id) ++b.begin;
    if (id != r) emit(id);
  }
}

}  // namespace

Graph graph_of(const Csr<Viewed>& a) {
  return with_positions(a.row_ptr, [&](const auto* row_ptr) {
    const auto row = [&](VertexId r) {
      return Row{a.col_idx.data() + row_ptr[r], a.col_idx.data() + row_ptr[std::size_t{r} + 1]};
    };
    if (pattern_symmetric(a))
      return build_graph(a.rows, a.nnz, [&](VertexId r, const auto& emit) { merge_rows(r, row(r), Row{}, emit); });
    const Graph t = transposed_pattern(a, row_ptr);
    const auto column = [&](VertexId c) {
      return Row{t.adjacency.data() + t.row_ptr[c], t.adjacency.data() + t.row_ptr[std::size_t{c} + 1]};
    };
    return build_graph(a.rows, a.nnz, [&](VertexId r, const auto& emit) { merge_rows(r, row(r), column(r), emit); });
  });
}

}  // namespace spress::reorder
