// The undirected graph of a square matrix: what every ordering works on.
#pragma once

#include <cstdint>
#include <span>

#include "formats/csr/csr.hpp"

namespace spress::reorder {

using VertexId = std::uint32_t;

/// A graph in compressed rows, seen: both directions of each edge, no loops, neighbors ascending by name.
/// Positions are 64-bit always: a graph is scratch memory, and n of them are little beside the edges.
struct GraphView {
  VertexId vertices = 0;
  const std::uint64_t* row_ptr = nullptr;  ///< vertices + 1
  const VertexId* adjacency = nullptr;     ///< row_ptr[vertices]
  const VertexId* names = nullptr;         ///< what each vertex is called in the matrix; null: as here

  [[nodiscard]] VertexId degree(VertexId v) const { return static_cast<VertexId>(row_ptr[v + 1] - row_ptr[v]); }
  /// Ties go to the smaller name, so that how a graph is laid out in memory does not show in an ordering.
  [[nodiscard]] VertexId name(VertexId v) const { return names == nullptr ? v : names[v]; }
  [[nodiscard]] std::span<const VertexId> neighbors(VertexId v) const { return {adjacency + row_ptr[v], degree(v)}; }
};

/// The same, owned.
struct Graph {
  HostArray<std::uint64_t> row_ptr;  ///< vertices + 1
  HostArray<VertexId> adjacency;     ///< both directions of each edge

  [[nodiscard]] GraphView view() const {
    return {static_cast<VertexId>(row_ptr.size() - 1), row_ptr.data(), adjacency.data(), nullptr};
  }
};

/// The pattern of A + A^T without the diagonal. Where the pattern of A is symmetric already, nothing is transposed or
/// merged. The result does not depend on the number of threads.
/// Requires: a square matrix. Cost: linear in nnz.
[[nodiscard]] Graph graph_of(const Csr<Viewed>& a);

}  // namespace spress::reorder
