#include "reorder/core/groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

namespace spress::reorder {
namespace {

/// Bands of hashes: lists that agree in all hashes of a band are compared. Lists that have 5 of 8 entries in common
/// meet with probability 0.95.
constexpr std::size_t bands = 6, hashes_per_band = 2, hashes = bands * hashes_per_band;
using Signature = std::array<std::uint64_t, hashes>;

std::uint64_t mix(std::uint64_t x) {  // the finalizer of MurmurHash3
  x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDu;
  x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53u;
  return x ^ (x >> 33);
}

/// The smallest of the ids under each of several orders of them.
Signature signature_of(std::span<const VertexId> list) {
  Signature out;
  out.fill(std::numeric_limits<std::uint64_t>::max());
  for (const VertexId id : list) {
    std::uint64_t h = mix(std::uint64_t{id} + 1);
    for (std::uint64_t& smallest : out) {
      smallest = std::min(smallest, h);
      h = h * 0x9E3779B97F4A7C15u + 0xD1B54A32D192ED03u;
      h ^= h >> 29;
    }
  }
  return out;
}

bool alike(std::span<const VertexId> a, std::span<const VertexId> b, SharedEntries least) {
  const std::uint64_t fewer = std::min(a.size(), b.size()), more = std::max(a.size(), b.size());
  if (fewer * least.all < more * least.common) return false;
  std::uint64_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    common += a[i] == b[j];
    const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
    i += step_a;
    j += step_b;
  }
  return common * least.all >= (a.size() + b.size() - common) * least.common;
}

/// For each band, who led a group last with those hashes. Of two whose hashes fall into one place the later stays:
/// lists that are alike have other bands to meet in.
class LeaderTable {
 public:
  explicit LeaderTable(VertexId lists)
      : size_(std::bit_ceil(std::uint64_t{lists} + 1)), leaders_(bands * size_, std::numeric_limits<VertexId>::max()) {}

  [[nodiscard]] std::array<VertexId*, bands> places(const Signature& signature) {
    std::array<VertexId*, bands> out;
    for (std::size_t band = 0; band < bands; ++band) {
      const std::uint64_t key = mix(signature[2 * band] ^ mix(signature[2 * band + 1]));
      out[band] = &leaders_[band * size_ + (key & (size_ - 1))];
    }
    return out;
  }

 private:
  std::uint64_t size_;
  HostArray<VertexId> leaders_;
};

/// For each list the first that equals it.
HostArray<VertexId> equal_leaders(GraphView lists) {
  std::vector<std::pair<std::uint64_t, VertexId>> by_hash(lists.vertices);
  for (VertexId v = 0; v < lists.vertices; ++v) {
    std::uint64_t hash = 0;
    for (const VertexId id : lists.neighbors(v)) hash += mix(std::uint64_t{id} + 1);
    by_hash[v] = {hash, v};
  }
  std::sort(by_hash.begin(), by_hash.end());
  HostArray<VertexId> leader(lists.vertices);
  for (std::size_t i = 0, first = 0; i < by_hash.size(); ++i) {
    if (by_hash[i].first != by_hash[first].first) first = i;
    const VertexId v = by_hash[i].second, candidate = by_hash[first].second;
    leader[v] = std::ranges::equal(lists.neighbors(v), lists.neighbors(candidate)) ? candidate : v;
  }
  return leader;
}

/// Lets leaders follow another that is like them.
void join_alike(GraphView lists, SharedEntries least, HostArray<VertexId>& leader) {
  LeaderTable table(lists.vertices);
  for (VertexId v = 0; v < lists.vertices; ++v) {
    if (leader[v] != v) continue;
    const auto list = lists.neighbors(v);
    const auto places = table.places(signature_of(list));
    for (const VertexId* place : places)
      if (leader[v] == v && *place < v && alike(list, lists.neighbors(*place), least)) leader[v] = *place;
    if (leader[v] == v)
      for (VertexId* place : places) *place = v;
  }
}

/// Counts ids into their groups; `leader[id]` is the first of its group.
Groups from_leaders(const HostArray<VertexId>& leader) {
  const std::size_t n = leader.size();
  Groups out{Permutation(n), {}, HostArray<VertexId>(n)};
  VertexId count = 0;
  for (std::size_t v = 0; v < n; ++v) out.group_of[v] = leader[v] == v ? count++ : out.group_of[leader[v]];
  out.starts = HostArray<std::uint64_t>(std::size_t{count} + 1, 0);
  for (const VertexId g : out.group_of) ++out.starts[std::size_t{g} + 1];
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  HostArray<std::uint64_t> next(out.starts.span());
  for (std::size_t v = 0; v < n; ++v) out.members[next[out.group_of[v]]++] = static_cast<VertexId>(v);
  return out;
}

/// The graph with each vertex among its own neighbors.
Graph closed(GraphView graph) {
  const std::uint64_t n = graph.vertices;
  Graph out{HostArray<std::uint64_t>(n + 1), HostArray<VertexId>(graph.row_ptr[n] + n)};
  VertexId* at = out.adjacency.data();
  for (VertexId v = 0; v < graph.vertices; ++v) {
    out.row_ptr[v] = static_cast<std::uint64_t>(at - out.adjacency.data());
    const auto neighbors = graph.neighbors(v);
    const auto behind = std::lower_bound(neighbors.begin(), neighbors.end(), v);
    at = std::copy(neighbors.begin(), behind, at);
    *at++ = v;
    at = std::copy(behind, neighbors.end(), at);
  }
  out.row_ptr[n] = graph.row_ptr[n] + n;
  return out;
}

}  // namespace

Groups group_alike(GraphView lists, SharedEntries least) {
  HostArray<VertexId> leader = equal_leaders(lists);
  if (least.common < least.all) join_alike(lists, least, leader);
  return from_leaders(leader);
}

Groups group_equal_neighborhoods(GraphView graph) {
  const Graph lists = closed(graph);
  return group_alike(lists.view(), {1, 1});
}

Graph quotient(GraphView lists, const Groups& rows, const Groups& cols, bool loops) {
  const VertexId none = std::numeric_limits<VertexId>::max();
  Graph out{HostArray<std::uint64_t>(std::size_t{rows.count()} + 1), {}};
  HostArray<VertexId> seen_by(cols.count(), none);
  std::vector<VertexId> adjacency;
  for (VertexId g = 0; g < rows.count(); ++g) {
    out.row_ptr[g] = adjacency.size();
    if (!loops) seen_by[g] = g;
    for (const VertexId v : rows.group(g))
      for (const VertexId id : lists.neighbors(v)) {
        const VertexId neighbor = cols.group_of[id];
        if (seen_by[neighbor] == g) continue;
        seen_by[neighbor] = g;
        adjacency.push_back(neighbor);
      }
    std::sort(adjacency.begin() + static_cast<std::ptrdiff_t>(out.row_ptr[g]), adjacency.end());
  }
  out.row_ptr[rows.count()] = adjacency.size();
  out.adjacency = HostArray<VertexId>(std::span<const VertexId>(adjacency));
  return out;
}

Permutation expand(const Permutation& order, const Groups& groups) {
  Permutation out(groups.members.size());
  VertexId* at = out.data();
  for (const VertexId g : order) at = std::copy(groups.group(g).begin(), groups.group(g).end(), at);
  return out;
}

RowLists::RowLists(const Csr<Viewed>& a) : row_ptr(a.rows + 1), ids(a.col_idx.data()) {
  for (std::uint64_t r = 0; r <= a.rows; ++r) row_ptr[r] = a.row_ptr.position(r);
}

Graph transposed(GraphView lists, VertexId cols) {
  const std::uint64_t entries = lists.row_ptr[lists.vertices];
  Graph out{HostArray<std::uint64_t>(std::size_t{cols} + 1, 0), HostArray<VertexId>(entries)};
  for (std::uint64_t k = 0; k < entries; ++k) ++out.row_ptr[std::size_t{lists.adjacency[k]} + 1];
  std::partial_sum(out.row_ptr.begin(), out.row_ptr.end(), out.row_ptr.begin());
  HostArray<std::uint64_t> next(out.row_ptr.span());
  for (VertexId r = 0; r < lists.vertices; ++r)
    for (const VertexId c : lists.neighbors(r)) out.adjacency[next[c]++] = r;
  return out;
}

}  // namespace spress::reorder
