// Reverse Cuthill-McKee, and what can be made of it in about ten times its time: more starts, starts from whole levels,
// then small moves that lower bandwidth and profile. All work is counted in steps, not timed: the order is the same
// everywhere.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "reorder/core/methods.hpp"
#include "reorder/cuthill_mckee/cuthill_mckee.hpp"
#include "reorder/cuthill_mckee/level_search.hpp"
#include "reorder/cuthill_mckee/plain_cuthill_mckee.hpp"
#include "reorder/cuthill_mckee/vertex_line.hpp"

namespace spress::reorder {
namespace {

/// Steps for each entry of a component: for those of few entries rcm itself does more.
constexpr std::uint64_t very_few_entries = 1000;
constexpr std::uint64_t steps_if_very_few = 90, steps_if_few = 50, steps_if_many = 16;
constexpr std::uint64_t steps_for(std::uint64_t entries) {
  return entries * (entries <= very_few_entries ? steps_if_very_few
                    : entries <= few_entries    ? steps_if_few
                                                : steps_if_many);
}
/// Parts of the steps after which a stage has to end, in hundredths. In small graphs starts do more than gathering, so
/// that they may leave no steps for it.
constexpr std::uint64_t end_of_starts_if_few = 50, end_of_starts_if_many = 40, end_of_gathering = 45,
                        end_of_first_polish = 70, end_of_second_polish = 80, end_of_third_polish = 90;
/// Steps of one climb, for each entry.
constexpr std::uint64_t steps_of_climb = 10;
/// A sweep that lowers the profile by less than this part of it says that there is little left.
constexpr std::uint64_t little = 500;
constexpr int most_sweeps = 40, most_start_levels = 3;
/// Rounds of gathering without a better order.
constexpr int most_idle = 4;
/// Other starts, for the profile.
constexpr VertexId most_starts = 14;

/// How far away neighbors must be to draw a vertex, one gathering after the other.
constexpr std::array<double, 6> shares = {0.95, 0.9, 0.8, 0.95, 0.7, 0.5};

struct Candidate {
  HostArray<VertexId> places;
  std::uint64_t bandwidth = 0, profile = 0;
};

class Improvement {
 public:
  /// `graph`: connected, its vertices in Cuthill-McKee order, neighbors ascending by name.
  explicit Improvement(GraphView graph)
      : graph_(graph),
        entries_(graph.row_ptr[graph.vertices] - graph.row_ptr[0]),
        steps_(steps_for(entries_)),
        line_(graph) {}

  /// Where each vertex shall stand. Bandwidth and profile are no more than those of the first plain order. The
  /// bandwidth is no more than it was, either, unless the profile would stay above about the smallest from a single
  /// vertex.
  HostArray<VertexId> run() && {
    Candidate given = standing();
    narrow_ = slim_ = given;
    plain_profile_ = given.profile;
    const std::vector<Candidate> plain = plain_orders();
    for (const Candidate& now : plain) {
      if (now.bandwidth < given.bandwidth) given = now;
      keep_if_better(now);
      plain_profile_ = std::min(plain_profile_, now.profile);
    }
    try_starts();
    most_bandwidth_ = given.bandwidth;
    // Not just below what other starts have: one of those that were not tried may be a little better than these.
    most_profile_ = plain_profile_ - plain_profile_ / 32;
    gather_and_climb();
    choice_ = given;
    put(narrow_);
    polish(narrow_.bandwidth, end_of_first_polish);
    // What bandwidth is given back may buy profile.
    polish((narrow_.bandwidth + most_bandwidth_) / 2, end_of_second_polish);
    polish(most_bandwidth_, end_of_third_polish);
    std::vector<const Candidate*> others = {&given, &slim_};
    for (const Candidate& order : plain) others.push_back(&order);
    for (const Candidate* other : others) {
      if (choice_.profile <= most_profile_) break;
      if (choice_.profile > plain_profile_) most_bandwidth_ = plain.front().bandwidth;
      put(*other);
      if (other->bandwidth > most_bandwidth_) line_.climb(steps_of_climb * entries_);
      polish(std::max(most_bandwidth_, line_.bandwidth()), 100);
    }
    return std::move(choice_.places);
  }

 private:
  void put(const Candidate& candidate) { line_.assign(candidate.places.span()); }

  /// The line as it is, turned to where the profile is smaller.
  Candidate standing() {
    if (line_.reverse_profile() < line_.profile()) line_.reverse();
    return {HostArray<VertexId>(line_.places().span()), line_.bandwidth(), line_.profile()};
  }

  Candidate of_order(std::span<const VertexId> order) {
    HostArray<VertexId> places(order.size());
    for (VertexId at = 0; at < order.size(); ++at) places[order[at]] = at;
    line_.assign(places.span());
    return standing();
  }
  void keep_if_better(const Candidate& now) {
    if (now.bandwidth < narrow_.bandwidth) narrow_ = now;
    if (now.profile < slim_.profile) slim_ = now;
  }

  /// Plain Cuthill-McKee from George and Liu's start; where there are few entries from a vertex of least degree, too.
  std::vector<Candidate> plain_orders() {
    const auto by_name = [&](VertexId a, VertexId b) { return graph_.name(a) < graph_.name(b); };
    const auto by_degree = [&](VertexId a, VertexId b) {
      return std::pair(graph_.degree(a), graph_.name(a)) < std::pair(graph_.degree(b), graph_.name(b));
    };
    HostArray<VertexId> order(graph_.vertices);
    std::iota(order.begin(), order.end(), VertexId{0});
    std::vector<VertexId> starts = {george_liu_start(graph_, *std::min_element(order.begin(), order.end(), by_name))};
    if (entries_ <= few_entries) starts.push_back(*std::min_element(order.begin(), order.end(), by_degree));
    std::vector<Candidate> plain;
    for (const VertexId start : starts) {
      plain_cuthill_mckee(graph_, start, order.data());
      plain.push_back(of_order(order.span()));
    }
    return plain;
  }

  [[nodiscard]] std::uint64_t steps_of_search() const { return entries_ + graph_.vertices; }
  /// Steps that remain before a stage has to end.
  [[nodiscard]] std::uint64_t left_until(std::uint64_t part) const {
    const std::uint64_t end = steps_ / 100 * part, done = line_.steps() + searched_;
    return done < end ? end - done : 0;
  }

  /// Searches from other vertices, and from the whole last level of each of those, and so on. In a mesh of boxes levels
  /// are as wide from a whole side as from its middle, but each follows the one before without a turn.
  void try_starts() {
    LevelSearch<std::uint64_t> search({graph_.vertices, graph_.row_ptr, graph_.adjacency}, 1);
    const std::uint64_t until = entries_ <= few_entries ? end_of_starts_if_few : end_of_starts_if_many;
    for (const VertexId start : other_starts()) {
      if (left_until(until) == 0) break;
      search.forget(0);
      SearchResult found = search.run(0, {&start, 1});
      if (is_like_another(found)) continue;
      plain_profile_ = std::min(plain_profile_, keep_if_better(search, found));
      for (int k = 0; k < most_start_levels; ++k) {
        const auto level = search.order().span().subspan(found.last_level);
        const std::vector<VertexId> starts(level.begin(), level.end());
        search.forget(0);
        found = search.run(0, starts, narrow_.bandwidth);
        if (!found.complete) {
          searched_ += steps_of_search() / 2;
          break;
        }
        if (is_like_another(found)) break;
        keep_if_better(search, found);
      }
    }
  }
  /// An order of this bandwidth and envelope was found before, from another corner of a grid for instance: what comes
  /// of it would come again.
  bool is_like_another(const SearchResult& found) {
    searched_ += steps_of_search();
    const std::pair<std::uint64_t, std::uint64_t> now = {found.bandwidth, found.envelope};
    if (std::find(found_.begin(), found_.end(), now) != found_.end()) return true;
    found_.push_back(now);
    return false;
  }
  /// Returns the profile, or what it is about where it is not small.
  std::uint64_t keep_if_better(const LevelSearch<std::uint64_t>& search, const SearchResult& found) {
    const std::uint64_t about = found.envelope - found.envelope / 16;
    if (found.bandwidth >= narrow_.bandwidth && about > slim_.profile) return about;
    const Candidate now = of_order(search.order().span());
    keep_if_better(now);
    return now.profile;
  }

  [[nodiscard]] std::vector<VertexId> other_starts() const {
    VertexId least = graph_.degree(0);
    for (VertexId v = 1; v < graph_.vertices; ++v) least = std::min(least, graph_.degree(v));
    std::vector<VertexId> starts = {0};
    const VertexId count = entries_ <= few_entries ? most_starts : 4;
    for (VertexId v = 1; v < graph_.vertices && starts.size() < count / 2; ++v)
      if (graph_.degree(v) == least) starts.push_back(v);
    for (VertexId k = 1; k <= count / 2; ++k)
      starts.push_back(static_cast<VertexId>(std::uint64_t{graph_.vertices - 1} * k / (count / 2)));
    return starts;
  }

  void gather_and_climb() {
    put(narrow_);
    const auto climb = [&] {
      line_.climb(steps_of_climb * entries_);
      if (line_.bandwidth() > narrow_.bandwidth) return false;
      Candidate now = standing();
      const bool better = std::pair(now.bandwidth, now.profile) < std::pair(narrow_.bandwidth, narrow_.profile);
      if (better) narrow_ = std::move(now);
      return better;
    };
    climb();
    int idle = 0;
    for (std::size_t round = 0; left_until(end_of_gathering) > 0 && idle < most_idle; ++round) {
      line_.gather(shares[round % shares.size()]);
      idle = climb() ? 0 : idle + 1;
      if (round % shares.size() == shares.size() - 1) put(narrow_);
    }
  }

  /// Lowers the profile until little more can be had, and chooses what came out if it is better than what was chosen.
  void polish(std::uint64_t most_bandwidth, std::uint64_t until) {
    std::uint64_t profile = standing().profile;
    int idle = 0;
    for (int sweep = 0; sweep < most_sweeps && idle < 2 && left_until(until) > 0; ++sweep) {
      const std::uint64_t gained = line_.exchange_neighbors(most_bandwidth, sweep % 2 != 0, left_until(until));
      profile -= gained;
      idle = gained * little < profile ? idle + 1 : 0;
    }
    consider(standing());
  }

  void consider(Candidate candidate) {
    if (candidate.bandwidth > most_bandwidth_) return;
    // As long as profiles are too large they are all that counts; then a tenth of it weighs as much as a fifth of
    // bandwidth.
    const auto cost = [&](const Candidate& c) {
      const auto profile = static_cast<double>(c.profile), bandwidth = static_cast<double>(c.bandwidth);
      return std::pair(c.profile > most_profile_ ? profile : 0.0, profile * profile * bandwidth);
    };
    if (cost(candidate) < cost(choice_)) choice_ = std::move(candidate);
  }

  GraphView graph_;
  std::uint64_t entries_, steps_, searched_ = 0;
  Line line_;
  std::uint64_t most_bandwidth_ = 0, most_profile_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found_;  // bandwidths and envelopes of searches
  std::uint64_t plain_profile_ = 0;                             // about the smallest from a single vertex
  Candidate narrow_, slim_, choice_;
};

/// The graph with its vertices in the order given.
Graph renamed(GraphView graph, const Permutation& order) {
  const Permutation place = invert(order);
  Graph out{HostArray<std::uint64_t>(std::size_t{graph.vertices} + 1),
            HostArray<VertexId>(graph.row_ptr[graph.vertices])};
  std::uint64_t at = 0;
  for (VertexId v = 0; v < graph.vertices; ++v) {
    out.row_ptr[v] = at;
    for (const VertexId neighbor : graph.neighbors(order[v])) out.adjacency[at++] = place[neighbor];
  }
  out.row_ptr[graph.vertices] = at;
  return out;
}

struct Part {
  VertexId end = 0;
  VertexId bandwidth = 0;
};

/// The component that begins at `begin`, in a graph whose components stand one behind the other.
Part part_from(GraphView graph, VertexId begin) {
  Part part{begin + 1, 0};
  for (VertexId v = begin; v < part.end; ++v)
    for (const VertexId neighbor : graph.neighbors(v)) {
      part.end = std::max(part.end, neighbor + 1);
      part.bandwidth = std::max(part.bandwidth, neighbor > v ? neighbor - v : 0);
    }
  return part;
}

/// Puts the vertices of order[begin...] where they shall stand.
void improve_part(Graph& graph, VertexId begin, VertexId end, VertexId* order) {
  for (std::uint64_t k = graph.row_ptr[begin]; k < graph.row_ptr[end]; ++k) graph.adjacency[k] -= begin;
  const std::vector<VertexId> before(order + begin, order + end);
  const GraphView part{end - begin, graph.row_ptr.data() + begin, graph.adjacency.data(), before.data()};
  const HostArray<VertexId> places = Improvement(part).run();
  for (VertexId v = 0; v < part.vertices; ++v) order[begin + places[v]] = before[v];
}

}  // namespace

Result<Permutation> methods::reverse_cuthill_mckee_thorough(const Csr<Viewed>& a) {
  const Graph given = graph_of(a);
  Permutation order = cuthill_mckee(given.view());
  Graph graph = renamed(given.view(), order);
  for (VertexId begin = 0, end = 0; begin < order.size(); begin = end) {
    const Part part = part_from(graph.view(), begin);
    end = part.end;
    if (part.bandwidth > 1) improve_part(graph, begin, end, order.data());
  }
  return order;
}

}  // namespace spress::reorder
