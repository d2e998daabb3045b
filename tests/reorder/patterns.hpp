// Patterns to order, small enough to check by hand or by brute force, and helpers over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reorder/core/graph.hpp"
#include "reorder/orderings.hpp"
#include "tests/scenarios.hpp"

namespace spress::tests {

/// The pattern of a square matrix whose entries are both directions of each edge, and the diagonal where wanted.
inline Csr<Owned> pattern_of(std::uint32_t n, const std::vector<Entry>& edges, bool diagonal = true) {
  std::set<Entry> entries;
  for (const auto& [a, b] : edges) entries.insert({{a, b}, {b, a}});
  for (std::uint32_t v = 0; diagonal && v < n; ++v) entries.insert({v, v});
  return make_csr({"", n, n, {entries.begin(), entries.end()}, {}}, Fill::pattern);
}

inline std::vector<Entry> path(std::uint32_t n, std::uint32_t first = 0) {
  std::vector<Entry> edges;
  for (std::uint32_t v = first; v + 1 < first + n; ++v) edges.emplace_back(v, v + 1);
  return edges;
}
inline std::vector<Entry> cycle(std::uint32_t n) { return path(n) + std::vector<Entry>{{0, n - 1}}; }
inline std::vector<Entry> star(std::uint32_t n, std::uint32_t hub = 0) {
  std::vector<Entry> edges;
  for (std::uint32_t v = 0; v < n; ++v)
    if (v != hub) edges.emplace_back(hub, v);
  return edges;
}
inline std::vector<Entry> grid(std::uint32_t width, std::uint32_t height) {
  std::vector<Entry> edges;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      if (x + 1 < width) edges.emplace_back(y * width + x, y * width + x + 1);
      if (y + 1 < height) edges.emplace_back(y * width + x, (y + 1) * width + x);
    }
  return edges;
}
/// A tree: each vertex hangs on one of those before it.
inline std::vector<Entry> tree(std::uint32_t n, std::uint32_t seed) {
  std::vector<Entry> edges;
  for (std::uint32_t v = 1; v < n; ++v) edges.emplace_back((v * 2654435761u + seed * 40503u) / 7 % v, v);
  return edges;
}

/// 0..n-1 in some scattered order, the same on every machine.
inline std::vector<std::uint32_t> scattered_order(std::uint32_t n, std::uint64_t seed = 1) {
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t v = 0; v < n; ++v) order[v] = v;
  for (std::uint32_t v = n; v > 1; --v) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    std::swap(order[v - 1], order[(seed >> 33) % v]);
  }
  return order;
}
inline std::vector<Entry> renamed(std::vector<Entry> edges, const std::vector<std::uint32_t>& names) {
  for (auto& [a, b] : edges) a = names[a], b = names[b];
  return edges;
}
inline std::vector<Entry> shuffled(std::vector<Entry> edges, std::uint32_t n, std::uint64_t seed = 1) {
  return renamed(std::move(edges), scattered_order(n, seed));
}

/// A scattered pattern of its own for each seed; unsymmetric.
inline Csr<Owned> random_pattern(std::uint32_t rows, std::uint32_t cols, std::uint32_t percent, std::uint64_t seed) {
  std::vector<Entry> entries;
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = 0; c < cols; ++c) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      if ((seed >> 33) % 100 < percent) entries.emplace_back(r, c);
    }
  return make_csr({"", rows, cols, std::move(entries), {}}, Fill::pattern);
}

inline std::set<Entry> entries_of(const Csr<Owned>& a) {
  std::set<Entry> entries;
  for (std::uint32_t r = 0; r < a.rows; ++r)
    for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k) entries.emplace(r, a.col_idx[k]);
  return entries;
}

/// The edges of A + A^T, both directions, no diagonal.
inline std::set<Entry> edges_of(const Csr<Owned>& a) {
  std::set<Entry> edges;
  for (const auto& [r, c] : entries_of(a))
    if (r != c) edges.insert({{r, c}, {c, r}});
  return edges;
}

struct NamedPattern {
  std::string name;
  Csr<Owned> matrix;
};

/// Square patterns that every ordering must survive.
inline std::vector<NamedPattern> square_patterns() {
  std::vector<NamedPattern> out;
  const auto add = [&](std::string name, Csr<Owned> a) { out.push_back({std::move(name), std::move(a)}); };
  add("0x0", pattern_of(0, {}));
  add("1x1 empty", pattern_of(1, {}, false));
  add("1x1", pattern_of(1, {}));
  add("no entries", pattern_of(7, {}, false));
  add("diagonal", pattern_of(20, {}));
  add("one edge", pattern_of(2, {{0, 1}}));
  add("path", pattern_of(40, shuffled(path(40), 40)));
  add("path without diagonal", pattern_of(40, shuffled(path(40), 40), false));
  add("cycle", pattern_of(31, shuffled(cycle(31), 31)));
  add("star", pattern_of(50, star(50, 17)));
  add("grid", pattern_of(60, shuffled(grid(5, 12), 60)));
  add("tree", pattern_of(100, tree(100, 3)));
  for (const std::uint32_t n : {2u, 3u, 4u, 17u}) add("dense", make_csr({"", n, n, dense(n, n), {}}, Fill::pattern));
  add("two paths and isolated vertices", pattern_of(20, shuffled(path(8) + path(9, 8), 20)));
  add("many pairs", pattern_of(200, [] {
        std::vector<Entry> pairs;
        for (std::uint32_t v = 0; v < 200; v += 2) pairs.emplace_back(v, v + 1);
        return shuffled(pairs, 200);
      }()));
  add("one dense row", make_csr({"", 300, 300, star(300, 2) + std::vector<Entry>{}, {}}, Fill::pattern));
  add("lower triangle", make_csr({"", 3, 3, {{1, 0}, {2, 0}, {2, 1}}, {}}, Fill::pattern));
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto n = static_cast<std::uint32_t>(2 + seed * 3 % 50);
    add("random " + std::to_string(seed), random_pattern(n, n, static_cast<std::uint32_t>(1 + seed * 7 % 40), seed));
  }
  return out;
}

/// Cuthill-McKee as written down: goes on with the vertices numbered already, first to last, as far as these reach.
inline std::vector<reorder::VertexId> sequential_cuthill_mckee(reorder::GraphView graph,
                                                               std::vector<reorder::VertexId> order) {
  std::vector<bool> numbered(graph.vertices);
  for (const reorder::VertexId v : order) numbered[v] = true;
  for (std::size_t head = 0; head < order.size(); ++head) {
    std::vector<reorder::VertexId> next;
    for (const reorder::VertexId w : graph.neighbors(order[head]))
      if (!numbered[w]) next.push_back(w);
    std::stable_sort(next.begin(), next.end(),
                     [&](reorder::VertexId x, reorder::VertexId y) { return graph.degree(x) < graph.degree(y); });
    for (const reorder::VertexId w : next) numbered[w] = true;
    order.insert(order.end(), next.begin(), next.end());
  }
  return order;
}

inline Csr<Owned> reordered(const Csr<Owned>& a, const reorder::Permutation& perm) {
  return reorder::permute(view_of(a), perm, perm);
}

}  // namespace spress::tests
