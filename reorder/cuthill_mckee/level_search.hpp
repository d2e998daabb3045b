// Cuthill-McKee from given vertices, as a search by levels that several threads share. Internal.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "reorder/core/graph.hpp"
#include "reorder/core/spin_barrier.hpp"

namespace spress::reorder {

/// A symmetric pattern in compressed rows of ascending columns. A vertex may be its own neighbor if all of them are,
/// so that degrees compare.
template <class Position>
struct PatternView {
  VertexId vertices = 0;
  const Position* row_ptr = nullptr;  ///< vertices + 1
  const VertexId* col_idx = nullptr;  ///< row_ptr[vertices]
};

/// What a search says of the order it found.
struct SearchResult {
  VertexId count = 0;           ///< vertices reached
  VertexId levels = 0;          ///< that of the starts included
  VertexId last_level = 0;      ///< where in the order the last one begins
  VertexId width = 0;           ///< vertices of the largest
  bool complete = true;         ///< false where it was given up
  std::uint64_t bandwidth = 0;  ///< of the order; from one start exact, else what the starts add may be missing
  std::uint64_t envelope = 0;   ///< no less than the profile of the order reversed, and close to it
};

/// Whether a team has been kept from working since it began, as on a busy machine: its threads wait for one that does
/// not run. waited: the seconds that all of them together have given way to other threads.
[[nodiscard]] constexpr bool is_held_up(double waited, double seconds, int team) {
  constexpr double soon = 3e-3, share = 0.6;  // of the time of all but one; work alone explains no more than a third
  return seconds > soon && waited > share * (team - 1) * seconds;
}

/// Numbers what can be reached breadth first: the neighbors of each vertex by degree, ties by id. The order is that of
/// the sequential algorithm whatever the number of threads: a level's rows are cut into runs, a thread each; a thread
/// lists the vertices that are new to it, and keeps those that no thread before it has listed. How long the runs are
/// follows from how long each thread took for the level before. Where threads that are needed are kept from running, as
/// on a busy machine, the search goes on with one.
template <class Position>
class LevelSearch {
 public:
  static constexpr int most_threads = 16;

  LevelSearch(PatternView<Position> pattern, int threads);

  /// Numbers all that can be reached from `starts` and is not numbered yet, from position `first` of the order on. The
  /// starts come first, in the order given.
  /// Requires: the starts are distinct and not numbered; `first` vertices are numbered.
  /// Gives up once the bandwidth is above `most`: the result then tells of the levels numbered so far.
  SearchResult run(VertexId first, std::span<const VertexId> starts,
                   std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

  /// Forgets the vertices from position `first` of the order on: a search may number them anew.
  void forget(VertexId first);

  /// As if a search had numbered `vertices` from position `first` on: those that the searches from there have reached.
  void restore(VertexId first, std::span<const VertexId> vertices);

  /// How many the next search uses: one, once others have kept its threads from running.
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] const HostArray<VertexId>& order() const { return order_; }
  [[nodiscard]] bool numbered(VertexId v) const { return workers_[0]->seen.has(v); }
  [[nodiscard]] VertexId row_length(VertexId v) const {
    return static_cast<VertexId>(pattern_.row_ptr[std::size_t{v} + 1] - pattern_.row_ptr[v]);
  }

 private:
  class VertexSet {
   public:
    explicit VertexSet(VertexId n) : words_((std::size_t{n} + 63) / 64, 0) {}
    [[nodiscard]] bool has(VertexId v) const { return (words_[v >> 6] >> (v & 63) & 1) != 0; }
    void insert(VertexId v) { words_[v >> 6] |= std::uint64_t{1} << (v & 63); }
    void erase(VertexId v) { words_[v >> 6] &= ~(std::uint64_t{1} << (v & 63)); }
    [[nodiscard]] bool empty() const { return words_.empty(); }  // of a graph of no vertices
    void clear() { std::fill(words_.begin(), words_.end(), 0); }

   private:
    HostArray<std::uint64_t> words_;
  };

  /// A run of positions in the order.
  struct Run {
    VertexId begin = 0, end = 0;
    [[nodiscard]] bool empty() const { return begin == end; }
  };

  /// The vertices of a level that one thread numbered.
  struct Segment {
    Run run;
    std::uint64_t work = 0;       // that their rows will be
    std::uint64_t bandwidth = 0;  // of the order up to them
    double waited = 0;            // seconds that the thread has given way to others, since its team began
    double busy = 0;              // seconds that it has worked on this level
  };
  /// Parts of a level, one behind the other, and what they add up to.
  struct Level {
    int segments = 0;
    bool held_up = false;
    std::array<Segment, most_threads> segment;
    [[nodiscard]] Segment sum() const {
      Segment all{{segment[0].run.begin, segment[segments - 1].run.end}, 0, 0, 0, 0};
      for (int s = 0; s < segments; ++s) {
        all.work += segment[s].work;
        all.bandwidth = std::max(all.bandwidth, segment[s].bandwidth);
        all.waited += segment[s].waited;
        all.busy += segment[s].busy;
      }
      return all;
    }
  };

  /// The part of a level's work that each worker of a team does.
  using Shares = std::span<double>;

  struct alignas(64) Worker {
    explicit Worker(VertexId n) : seen(n), list(n) {}
    VertexSet seen;       // numbered before position `synced`, or listed by itself or a worker before it
    VertexSet others{0};  // listed by a worker before it
    VertexId synced = 0;
    HostArray<VertexId> list;  // vertices new to this worker, in the order of their first neighbors
    std::uint64_t bandwidth = 0, envelope = 0;
    VertexId listed = 0, kept = 0;
    // How many levels have been listed, sifted, and numbered: others wait for it.
    alignas(64) std::atomic<std::uint32_t> lists = 0;
    std::atomic<std::uint32_t> sifted = 0;
    std::atomic<std::uint32_t> numbered = 0;
  };

  /// How long a worker has waited for others.
  struct Waits {
    double given_way = 0;  // seconds in which others may have had its core, since its team began
    double idle = 0;       // seconds of this level
    void until(const std::atomic<std::uint32_t>& flag, std::uint32_t round);
  };

  void discover(Worker& worker, Run part);
  void sift(int w, int before);
  VertexId keep(const Worker& worker, const VertexId* children, VertexId count, VertexId at);
  std::uint64_t number(Worker& worker, Run part, VertexId at);
  void number_sorted(const VertexId* children, VertexId count, VertexId at);
  void number_counted(const VertexId* children, VertexId count, VertexId at);
  [[nodiscard]] std::uint64_t key_of(VertexId v) const { return std::uint64_t{row_length(v)} << 32 | v; }
  void note_row(VertexId at, VertexId v, std::uint64_t& work);
  void sync(Worker& worker, VertexId end);
  void extend_alone();
  void extend_together();
  Segment extend_part(int w, int team, Run part, VertexId end, std::uint32_t round, Waits& waits);
  Segment extend_few(int w, SpinBarrier& barrier);
  void extend_as(int w, int team, SpinBarrier& barrier);
  void enter(Segment level);
  [[nodiscard]] bool over(Segment level) const { return level.run.empty() || level.bandwidth > most_bandwidth_; }
  [[nodiscard]] VertexId cut(const Level& level, std::uint64_t target) const;
  [[nodiscard]] Run part_of(const Level& level, Segment all, Shares shares, int w) const;
  static void balance(Shares shares, const Level& level, Segment all);

  PatternView<Position> pattern_;
  int threads_;
  HostArray<VertexId> order_;
  HostArray<Position> row_at_;       // by position in the order: where the row begins
  HostArray<VertexId> length_;       // by position: its entries
  HostArray<std::uint64_t> before_;  // by position: work of the rows before it in its segment
  HostArray<VertexId> children_;     // by position: vertices listed among its neighbors
  std::vector<std::unique_ptr<Worker>> workers_;
  std::array<Level, 2> levels_;  // that of round_, and the one before or behind it
  std::uint32_t round_ = 0;
  Segment level_;  // the one in work
  std::uint64_t most_bandwidth_ = 0;
  SearchResult result_;
};

}  // namespace spress::reorder
