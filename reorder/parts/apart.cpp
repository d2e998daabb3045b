// Rows and columns apart, for matrices of any shape.
#include <algorithm>

#include "reorder/core/groups.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/cuthill_mckee/cuthill_mckee.hpp"

namespace spress::reorder {
namespace {

/// Rows, or columns, that have 5 of 8 entries in common are one group: neighbors in a grid, which have half of their
/// entries in common, are not.
constexpr SharedEntries alike_enough{5, 8};

/// The groups of the rows of a matrix, and of its columns.
struct Sides {
  explicit Sides(const Csr<Viewed>& a)
      : lists(a),
        rows(group_alike(lists.view(), alike_enough)),
        cols(group_alike(transposed(lists.view(), static_cast<VertexId>(a.cols)).view(), alike_enough)) {}

  RowLists lists;
  Groups rows, cols;
};

/// The graph whose vertices are the row groups, then the column groups, joined where they have entries.
Graph bipartite(const Sides& sides) {
  const Graph down = quotient(sides.lists.view(), sides.rows, sides.cols, true);
  const Graph up = transposed(down.view(), sides.cols.count());
  const std::uint64_t rows = sides.rows.count(), cols = sides.cols.count(), edges = down.adjacency.size();
  Graph out{HostArray<std::uint64_t>(rows + cols + 1), HostArray<VertexId>(2 * edges)};
  std::copy(down.row_ptr.begin(), down.row_ptr.end(), out.row_ptr.begin());
  std::transform(up.row_ptr.begin(), up.row_ptr.end(), out.row_ptr.begin() + rows,
                 [&](std::uint64_t position) { return position + edges; });
  std::transform(down.adjacency.begin(), down.adjacency.end(), out.adjacency.begin(),
                 [&](VertexId column) { return column + static_cast<VertexId>(rows); });
  std::copy(up.adjacency.begin(), up.adjacency.end(), out.adjacency.begin() + edges);
  return out;
}

}  // namespace

Result<Reordering> methods::likeness(const Csr<Viewed>& a, const OrderingOptions&) {
  Sides sides(a);
  return Reordering{std::move(sides.rows.members), std::move(sides.cols.members)};
}

Result<Reordering> methods::apart(const Csr<Viewed>& a, const OrderingOptions&) {
  const Sides sides(a);
  const Permutation order = cuthill_mckee(bipartite(sides).view());
  const VertexId row_groups = sides.rows.count();
  Permutation rows(row_groups), cols(sides.cols.count());
  std::size_t row = 0, col = 0;
  for (const VertexId v : order)
    if (v < row_groups)
      rows[row++] = v;
    else
      cols[col++] = v - row_groups;
  return Reordering{expand(rows, sides.rows), expand(cols, sides.cols)};
}

}  // namespace spress::reorder
