// Rows that look alike, as one. Internal.
#pragma once

#include "reorder/core/graph.hpp"
#include "reorder/orderings.hpp"

namespace spress::reorder {

/// Ids 0..n-1 in groups. The first of a group is its smallest, and groups ascend by their first.
struct Groups {
  Permutation members;              ///< all ids, group by group, ascending in each
  HostArray<std::uint64_t> starts;  ///< where each group begins in `members`, and the end of the last
  HostArray<VertexId> group_of;     ///< of each id

  [[nodiscard]] VertexId count() const { return static_cast<VertexId>(starts.size() - 1); }
  [[nodiscard]] std::span<const VertexId> group(VertexId g) const {
    return {members.data() + starts[g], starts[g + 1] - starts[g]};
  }
};

/// How alike two lists must be to share a group: entries in both over entries in either, at least this.
struct SharedEntries {
  std::uint64_t common = 1, all = 1;
};

/// Groups of lists that are alike: row r of `lists` is its neighbors, of any ids, ascending; empty lists are one group.
/// Each list is compared with the first of a few groups, those that agree with it in hashes of its smallest entries
/// under several orders of the ids, so two alike lists are likely, not bound, to meet. The same on every run and
/// machine. Cost: linear in entries. Source: Broder, On the resemblance and containment of documents, SEQUENCES 1997,
/// 21-29.
[[nodiscard]] Groups group_alike(GraphView lists, SharedEntries least);

/// The vertices of a graph that have the same neighbors and each other, as the unknowns of one node have.
[[nodiscard]] Groups group_equal_neighborhoods(GraphView graph);

/// The graph of the groups: two are neighbors where any of their vertices are. `rows` groups the lists, `cols` their
/// ids: of a graph, both are the same. Neighbors are ids of `cols`, ascending; where `loops` is false, none of its own.
[[nodiscard]] Graph quotient(GraphView lists, const Groups& rows, const Groups& cols, bool loops);

/// The ids of each group in turn. Requires: a permutation of the groups.
[[nodiscard]] Permutation expand(const Permutation& order, const Groups& groups);

/// The rows of a matrix as lists of its columns; the matrix must outlive them.
struct RowLists {
  explicit RowLists(const Csr<Viewed>& a);
  [[nodiscard]] GraphView view() const {
    return {static_cast<VertexId>(row_ptr.size() - 1), row_ptr.data(), ids, nullptr};
  }

  HostArray<std::uint64_t> row_ptr;
  const VertexId* ids;
};

/// The columns of the lists as lists of the rows. Requires: ids below `cols`. Cost: linear.
[[nodiscard]] Graph transposed(GraphView lists, VertexId cols);

}  // namespace spress::reorder
