#include "reorder/core/graph.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/core/threads.hpp"
#include "reorder/core/metrics.hpp"

namespace spress::reorder {
namespace {

struct Row {
  const VertexId* begin;
  const VertexId* end;
};

/// visit_row(r, out) writes the neighbors of r from `out` on, unless that is null, and returns how many there are.
/// `entries` is about how many there are in all.
template <class VisitRow>
Graph build_graph(std::uint64_t vertices, std::uint64_t entries, const VisitRow& visit_row) {
  Graph graph;
  graph.row_ptr = HostArray<std::uint64_t>(vertices + 1);
  graph.row_ptr[0] = 0;
#pragma omp parallel for schedule(dynamic, 4096) if (walk_is_worth_threads(entries))
  for (std::uint64_t r = 0; r < vertices; ++r) graph.row_ptr[r + 1] = visit_row(static_cast<VertexId>(r), nullptr);
  for (std::uint64_t r = 0; r < vertices; ++r) graph.row_ptr[r + 1] += graph.row_ptr[r];
  graph.adjacency = HostArray<VertexId>(graph.row_ptr[vertices]);
#pragma omp parallel for schedule(dynamic, 4096) if (walk_is_worth_threads(entries))
  for (std::uint64_t r = 0; r < vertices; ++r)
    visit_row(static_cast<VertexId>(r), graph.adjacency.data() + graph.row_ptr[r]);
  return graph;
}

/// The rows of A^T; columns ascend, since the rows of A are taken in their order: in blocks of rows, each with its own
/// count of what it brings to a column. Place: holds nnz.
template <class Place, class Position>
Graph transposed_pattern(const Csr<Viewed>& a, const Position* row_ptr) {
  constexpr std::uint64_t places_ahead = 32, entries_ahead = 16;  // fetched before they are needed
  const std::uint64_t blocks = row_blocks_worth(a.nnz, 2 * a.nnz / std::max<std::uint64_t>(1, a.cols));
  const auto begin_of = [&](std::uint64_t b) { return row_block_begin(row_ptr, a.rows, b, blocks); };
  const VertexId* const columns = a.col_idx.data();
  HostArray<Place> places(blocks * a.cols, 0);  // by block and column: entries, then where the next one goes
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(blocks))
  for (std::uint64_t b = 0; b < blocks; ++b) {
    Place* const count = places.data() + b * a.cols;
    for (std::uint64_t k = row_ptr[begin_of(b)], end = row_ptr[begin_of(b + 1)]; k < end; ++k) ++count[columns[k]];
  }
  Graph t;
  t.row_ptr = HostArray<std::uint64_t>(a.cols + 1);
  Place at = 0;
  for (std::uint64_t c = 0; c < a.cols; ++c) {
    t.row_ptr[c] = at;
    for (std::uint64_t b = 0; b < blocks; ++b) at += std::exchange(places[b * a.cols + c], at);
  }
  t.row_ptr[a.cols] = at;
  t.adjacency = HostArray<VertexId>(a.nnz);
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(blocks))
  for (std::uint64_t b = 0; b < blocks; ++b) {
    Place* const place = places.data() + b * a.cols;
    const std::uint64_t end_row = begin_of(b + 1), last = row_ptr[end_row];
    for (std::uint64_t r = begin_of(b); r < end_row; ++r)
      for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
        if (last - k > places_ahead) {
          __builtin_prefetch(place + columns[k + places_ahead], 1);
          __builtin_prefetch(t.adjacency.data() + place[columns[k + entries_ahead]], 1);
        }
        t.adjacency[place[columns[k]]++] = static_cast<VertexId>(r);
      }
  }
  return t;
}

/// Writes the union of two ascending rows, without r itself, from `out` on, unless that is null. Returns how many.
std::uint64_t merge_rows(VertexId r, Row a, Row b, VertexId* out) {
  std::uint64_t count = 0;
  const auto take = [&](VertexId id) {
    if (id == r) return;
    if (out != nullptr) out[count] = id;
    ++count;
  };
  while (a.begin != a.end && b.begin != b.end) {  // which is smaller is anyone's guess: no branches on it
    const VertexId from_a = *a.begin, from_b = *b.begin;
    a.begin += from_a <= from_b ? 1 : 0;
    b.begin += from_b <= from_a ? 1 : 0;
    take(std::min(from_a, from_b));
  }
  for (; a.begin != a.end; ++a.begin) take(*a.begin);
  for (; b.begin != b.end; ++b.begin) take(*b.begin);
  return count;
}

}  // namespace

Graph graph_of(const Csr<Viewed>& a) {
  return with_positions(a.row_ptr, [&](const auto* row_ptr) {
    const auto row = [&](VertexId r) {
      return Row{a.col_idx.data() + row_ptr[r], a.col_idx.data() + row_ptr[std::size_t{r} + 1]};
    };
    if (pattern_symmetric(a))
      return build_graph(a.rows, a.nnz, [&](VertexId r, VertexId* out) { return merge_rows(r, row(r), Row{}, out); });
    const Graph t = a.nnz <= std::numeric_limits<std::uint32_t>::max() ? transposed_pattern<std::uint32_t>(a, row_ptr)
                                                                       : transposed_pattern<std::uint64_t>(a, row_ptr);
    const auto column = [&](VertexId c) {
      return Row{t.adjacency.data() + t.row_ptr[c], t.adjacency.data() + t.row_ptr[std::size_t{c} + 1]};
    };
    return build_graph(a.rows, a.nnz, [&](VertexId r, VertexId* out) { return merge_rows(r, row(r), column(r), out); });
  });
}

}  // namespace spress::reorder
