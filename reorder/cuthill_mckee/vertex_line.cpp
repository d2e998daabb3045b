#include "reorder/cuthill_mckee/vertex_line.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace spress::reorder {
namespace {

/// Places looked at for one that a vertex could take.
constexpr int most_tries = 128;
/// A mean place is told from the next by this many bits behind the point.
constexpr unsigned fraction_bits = 4;

}  // namespace

Line::Line(GraphView graph)
    : graph_(graph),
      place_(graph.vertices),
      vertex_(graph.vertices),
      first_(graph.vertices),
      last_(graph.vertices),
      firsts_(graph.vertices),
      marked_(graph.vertices, 0),
      scratch_(graph.vertices) {
  HostArray<VertexId> places(graph.vertices);
  std::iota(places.begin(), places.end(), VertexId{0});
  assign(places.span());
}

void Line::measure(VertexId v) {
  VertexId first = size(), last = 0;
  for (const VertexId w : graph_.neighbors(v)) {
    first = std::min(first, place_[w]);
    last = std::max(last, place_[w]);
  }
  first_[v] = first;
  last_[v] = last;
  steps_ += graph_.degree(v);
}

void Line::assign(std::span<const VertexId> places) {
  std::copy(places.begin(), places.end(), place_.begin());
  for (VertexId v = 0; v < size(); ++v) vertex_[place_[v]] = v;
  for (VertexId v = 0; v < size(); ++v) measure(v);
}

void Line::reverse() {
  std::reverse(vertex_.begin(), vertex_.end());
  for (VertexId v = 0; v < size(); ++v) {
    place_[v] = size() - 1 - place_[v];
    first_[v] = size() - 1 - first_[v];
    last_[v] = size() - 1 - last_[v];
    std::swap(first_[v], last_[v]);
  }
}

std::uint64_t Line::bandwidth() const {
  std::int64_t widest = 0;
  for (VertexId v = 0; v < size(); ++v) widest = std::max(widest, reach(v));
  return static_cast<std::uint64_t>(widest);
}

std::uint64_t Line::profile() const {
  std::uint64_t sum = 0;
  for (VertexId v = 0; v < size(); ++v) sum += place_[v] - std::min(first_[v], place_[v]);
  return sum;
}

std::uint64_t Line::reverse_profile() const {
  std::uint64_t sum = 0;
  for (VertexId v = 0; v < size(); ++v) sum += std::max(last_[v], place_[v]) - place_[v];
  return sum;
}

void Line::tell_neighbors(VertexId v, VertexId from, VertexId to) {
  for (const VertexId w : graph_.neighbors(v)) {
    if (first_[w] == from || last_[w] == from) {
      measure(w);
    } else {
      first_[w] = std::min(first_[w], to);
      last_[w] = std::max(last_[w], to);
    }
  }
  steps_ += graph_.degree(v);
}

void Line::exchange(VertexId u, VertexId v) {
  const VertexId from = place_[u], to = place_[v];
  place_[u] = to;
  place_[v] = from;
  vertex_[from] = v;
  vertex_[to] = u;
  tell_neighbors(u, from, to);
  tell_neighbors(v, to, from);
  measure(u);
  measure(v);
}

/// Exchanges v with a vertex so that neither reaches farther than `most`: one near the middle of v's neighbors.
bool Line::shorten(VertexId v, std::int64_t most) {
  const std::int64_t here = place_[v];
  const std::int64_t begin = std::max({std::int64_t{0}, last_[v] - most, here - most});
  const std::int64_t end = std::min({std::int64_t{size()} - 1, first_[v] + most, here + most});
  if (begin > end) return false;
  const std::int64_t middle = std::clamp((std::int64_t{first_[v]} + last_[v]) / 2, begin, end);
  const auto farthest = std::max(middle - begin, end - middle);
  for (std::int64_t distance = 0, tries = 0; distance <= farthest && tries < most_tries; ++distance) {
    for (const std::int64_t at : {middle - distance, middle + distance}) {
      if (at < begin || at > end) continue;
      ++tries, ++steps_;
      const VertexId other = vertex_[static_cast<std::size_t>(at)];
      if (other == v || reach(other, here) > most) continue;
      exchange(v, other);
      return true;
    }
  }
  return false;
}

void Line::climb(std::uint64_t most_steps) {
  const std::uint64_t end = steps_ + most_steps;
  auto widest = static_cast<std::int64_t>(bandwidth());
  std::vector<VertexId> long_ones;
  for (std::int64_t less = std::max<std::int64_t>(1, widest / 32); less > 0 && widest > 1;) {
    const std::int64_t target = widest - less;
    long_ones.clear();
    for (VertexId v = 0; v < size(); ++v)
      if (reach(v) > target) long_ones.push_back(v);
    bool any = false;
    for (const VertexId v : long_ones) {
      if (steps_ >= end) return;
      if (reach(v) > target && shorten(v, target)) any = true;
    }
    steps_ += size() / 2;
    const auto now = static_cast<std::int64_t>(bandwidth());
    if (now > target && (less > 1 || !any)) less /= 2;
    widest = now;
  }
}

void Line::gather(double share) {
  const auto far = static_cast<std::int64_t>(share * static_cast<double>(bandwidth()));
  HostArray<std::uint64_t> mean(size());
  for (VertexId v = 0; v < size(); ++v) {
    std::uint64_t sum = place_[v], count = 1;
    if (reach(v) >= far)
      for (const VertexId w : graph_.neighbors(v)) {
        if (std::abs(std::int64_t{place_[w]} - std::int64_t{place_[v]}) < far) continue;
        sum += place_[w];
        ++count;
      }
    mean[v] = (sum << fraction_bits) / count;
  }
  steps_ += graph_.row_ptr[size()] - graph_.row_ptr[0];
  // By the fraction, then by the place; those of the same mean stay in their order.
  const auto sort_by = [&](const HostArray<VertexId>& in, HostArray<VertexId>& out, std::size_t keys, const auto& key) {
    HostArray<VertexId> next(keys + 1, 0);
    for (const VertexId v : in) ++next[key(v) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const VertexId v : in) out[next[key(v)]++] = v;
  };
  sort_by(vertex_, scratch_, std::size_t{1} << fraction_bits,
          [&](VertexId v) { return mean[v] & ((1u << fraction_bits) - 1); });
  sort_by(scratch_, vertex_, size(), [&](VertexId v) { return mean[v] >> fraction_bits; });
  for (VertexId at = 0; at < size(); ++at) place_[vertex_[at]] = at;
  for (VertexId v = 0; v < size(); ++v) measure(v);
}

void Line::count_firsts() {
  std::fill(firsts_.begin(), firsts_.end(), 0);
  for (VertexId v = 0; v < size(); ++v)
    if (counted(v)) ++firsts_[first_[v]];
}

void Line::mark_neighbors(VertexId v) {
  if (++mark_ == 0) {
    std::fill(marked_.begin(), marked_.end(), 0);
    mark_ = 1;
  }
  for (const VertexId w : graph_.neighbors(v)) marked_[w] = mark_;
  steps_ += graph_.degree(v);
}

/// What exchanging the vertices at `at` and behind it would add to the profile; where that is not below `wanted`, no
/// less than `wanted`.
std::int64_t Line::profile_change(VertexId at, std::int64_t wanted) {
  const VertexId u = vertex_[at], v = vertex_[at + 1];
  // u goes one farther from its first neighbor, v one nearer; v may be that neighbor, or u v's.
  std::int64_t change = first_[u] <= at + 1 && (first_[u] != at) ? 1 : 0;
  change -= first_[v] <= at ? 1 : 0;
  change += firsts_[at + 1];
  const std::int64_t freed = std::int64_t{firsts_[at]} - (first_[v] == at ? 1 : 0);
  if (freed == 0 || change - freed >= wanted) return std::max(change - freed, freed == 0 ? change : wanted);
  mark_neighbors(v);
  for (const VertexId w : graph_.neighbors(u))
    if (w != v && first_[w] == at && place_[w] > at && marked_[w] != mark_) --change;
  steps_ += graph_.degree(u);
  return change;
}

void Line::exchange_with_next(VertexId at) {
  const VertexId u = vertex_[at], v = vertex_[at + 1], next = at + 1;
  for (const VertexId w : {u, v})
    if (counted(w)) --firsts_[first_[w]];
  mark_neighbors(v);
  for (const VertexId w : graph_.neighbors(u)) {
    if (w == v) continue;
    const bool of_both = marked_[w] == mark_;
    if (first_[w] == at && !of_both) {
      first_[w] = next;
      if (place_[w] > next) --firsts_[at], ++firsts_[next];
    }
    if (last_[w] == at) last_[w] = next;
  }
  mark_neighbors(u);
  for (const VertexId w : graph_.neighbors(v)) {
    if (w == u) continue;
    const bool of_both = marked_[w] == mark_;
    if (first_[w] == next && !of_both) {
      first_[w] = at;
      if (place_[w] > next) --firsts_[next], ++firsts_[at];
    }
    if (last_[w] == next && !of_both) last_[w] = at;
  }
  if (first_[u] == next) first_[u] = at;
  if (last_[u] == next) last_[u] = at;
  if (first_[v] == at) first_[v] = next;
  if (last_[v] == at) last_[v] = next;
  place_[u] = next;
  place_[v] = at;
  std::swap(vertex_[at], vertex_[next]);
  for (const VertexId w : {u, v})
    if (counted(w)) ++firsts_[first_[w]];
}

std::uint64_t Line::exchange_neighbors(std::uint64_t most_bandwidth, bool backwards, std::uint64_t most_steps) {
  if (size() < 2) return 0;
  const std::uint64_t end = steps_ + most_steps;
  count_firsts();
  const auto most = static_cast<std::int64_t>(most_bandwidth);
  std::int64_t gained = 0;
  for (VertexId k = 0; k + 1 < size() && steps_ < end; ++k) {
    const VertexId at = backwards ? size() - 2 - k : k;
    const VertexId u = vertex_[at], v = vertex_[at + 1];
    if (reach(u, std::int64_t{at} + 1) > most || reach(v, at) > most) continue;
    const std::int64_t change = profile_change(at, 1);
    // Where the profile stays, those whose neighbors lie farther behind go behind: it opens the way for others.
    const bool behind = std::uint64_t{first_[u]} + last_[u] > std::uint64_t{first_[v]} + last_[v];
    if (change > 0 || (change == 0 && !behind)) continue;
    exchange_with_next(at);
    gained -= change;
  }
  steps_ += size();
  return static_cast<std::uint64_t>(gained);
}

}  // namespace spress::reorder
