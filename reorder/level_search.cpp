#include "reorder/level_search.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>

#include "formats/clock.hpp"

namespace spress::reorder {
namespace {

constexpr VertexId rows_ahead = 8, ids_ahead = 16;  // fetched before they are needed
constexpr std::uint64_t few_entries = 1000;         // a level of fewer is not worth a second thread

template <class T>
void prefetch(const T* p) {
  __builtin_prefetch(p);
}

}  // namespace

template <class Position>
LevelSearch<Position>::LevelSearch(PatternView<Position> pattern, int threads)
    : pattern_(pattern),
      threads_(std::clamp(threads, 1, most_threads)),
      order_(pattern.vertices),
      row_at_(pattern.vertices),
      length_(pattern.vertices),
      before_(pattern.vertices),
      children_(pattern.vertices) {
  workers_.push_back(std::make_unique<Worker>(pattern.vertices));
}

template <class Position>
void LevelSearch<Position>::discover(Worker& worker, Run part) {
  constexpr std::size_t line = 64 / sizeof(VertexId);
  VertexId* out = worker.list.data();
  VertexSet& seen = worker.seen;
  for (VertexId at = part.begin; at < part.end; ++at) {
    if (part.end - at > rows_ahead) {
      const VertexId* const row = pattern_.col_idx + row_at_[at + rows_ahead];
      for (std::size_t k = 0; k < length_[at + rows_ahead] + line - 1; k += line) prefetch(row + k);
    }
    const VertexId* const row = pattern_.col_idx + row_at_[at];
    const VertexId* const row_end = row + length_[at];
    VertexId* const first = out;
    for (const VertexId* v = row; v < row_end; ++v) {
      if (seen.has(*v)) continue;
      seen.insert(*v);
      *out++ = *v;
    }
    children_[at] = static_cast<VertexId>(out - first);
  }
  worker.listed = static_cast<VertexId>(out - worker.list.data());
}

/// Takes note of what workers before it have listed: it drops that from its own list. Returns the seconds waited.
template <class Position>
double LevelSearch<Position>::sift(int w, std::uint32_t round) {
  Worker& worker = *workers_[w];
  double waited = 0;
  worker.kept = worker.listed;
  for (int before = 0; before < w; ++before) {
    const Worker& other = *workers_[before];
    waited += SpinBarrier::spin_until([&] { return other.lists.load(std::memory_order_acquire) == round; });
    for (const VertexId v : other.list.span().first(other.listed)) {
      if (worker.others.has(v)) continue;
      worker.others.insert(v);
      if (worker.seen.has(v))
        --worker.kept;
      else
        worker.seen.insert(v);
    }
  }
  return waited;
}

/// Of a vertex's children, puts those into the order that no worker before it has listed. Returns how many.
template <class Position>
VertexId LevelSearch<Position>::keep(const Worker& worker, const VertexId* children, VertexId count, VertexId at) {
  VertexId* const out = order_.data() + at;
  VertexId kept = 0;
  for (VertexId k = 0; k < count; ++k)
    if (!worker.others.has(children[k])) out[kept++] = children[k];
  return kept;
}

template <class Position>
void LevelSearch<Position>::note_row(VertexId at, VertexId v, std::uint64_t& entries) {
  order_[at] = v;
  row_at_[at] = pattern_.row_ptr[v];
  length_[at] = row_length(v);
  before_[at] = entries;
  entries += length_[at];
}

/// The children of one vertex, which ascend, by degree. They may stand where they go to.
template <class Position>
void LevelSearch<Position>::number_sorted(const VertexId* children, VertexId count, VertexId at) {
  constexpr VertexId few = 48;
  if (count > few) return number_counted(children, count, at);
  std::array<std::uint64_t, few> keys;
  for (VertexId k = 0; k < count; ++k) {
    const std::uint64_t key = key_of(children[k]);
    VertexId hole = k;
    for (; hole > 0 && keys[hole - 1] > key; --hole) keys[hole] = keys[hole - 1];
    keys[hole] = key;
  }
  for (VertexId k = 0; k < count; ++k) order_[at + k] = static_cast<VertexId>(keys[k]);
}

/// The same for many children: few of them have a large degree, all others are in place once they are counted.
template <class Position>
void LevelSearch<Position>::number_counted(const VertexId* children, VertexId count, VertexId at) {
  constexpr std::size_t counted = 256;  // degrees below
  // What comes before these rows is noted only once they are in order, so the keys have room there: threads between
  // barriers must not ask for memory, since an exception would end the program.
  std::uint64_t* const keys = before_.data() + at;
  std::array<VertexId, counted + 1> next = {};
  for (VertexId k = 0; k < count; ++k) {
    keys[k] = key_of(children[k]);
    if (const std::uint64_t degree = keys[k] >> 32; degree < counted) ++next[degree + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  const VertexId small = next[counted];
  VertexId large = 0;
  for (VertexId k = 0; k < count; ++k) {
    const std::uint64_t key = keys[k], degree = key >> 32;
    if (degree < counted)
      order_[at + next[degree]++] = static_cast<VertexId>(key);
    else
      keys[large++] = key;
  }
  std::sort(keys, keys + large);
  for (VertexId k = 0; k < large; ++k) order_[at + small + k] = static_cast<VertexId>(keys[k]);
}

/// Puts what the worker keeps into the order from `at` on, and notes where the rows lie. Returns their entries.
template <class Position>
std::uint64_t LevelSearch<Position>::number(Worker& worker, Run part, VertexId at) {
  const VertexId* in = worker.list.data();
  const VertexId* const in_end = in + worker.listed;
  VertexId to_drop = worker.listed - worker.kept;  // mostly children of the first vertices
  std::uint64_t entries = 0;
  for (VertexId parent = part.begin; parent < part.end; ++parent) {
    const VertexId listed = children_[parent];
    for (VertexId k = 0; k < listed && in_end - in > k + ids_ahead; ++k) prefetch(pattern_.row_ptr + in[k + ids_ahead]);
    VertexId count = listed;
    const VertexId* children = in;
    if (to_drop != 0) {
      count = keep(worker, in, listed, at);
      children = order_.data() + at;
      to_drop -= listed - count;
    }
    if (count == 1)
      order_[at] = *children;
    else if (count > 1)
      number_sorted(children, count, at);
    in += listed;
    for (VertexId k = 0; k < count; ++k, ++at) note_row(at, order_[at], entries);
    const std::uint64_t reach = at - 1 - parent;
    worker.envelope += reach;
    if (count > 0) worker.bandwidth = std::max(worker.bandwidth, reach);
  }
  return entries;
}

template <class Position>
void LevelSearch<Position>::sync(Worker& worker, VertexId end) {
  for (VertexId at = worker.synced; at < end; ++at) worker.seen.insert(order_[at]);
  worker.synced = end;
}

template <class Position>
void LevelSearch<Position>::enter(Segment level) {
  level_ = level;
  if (level.run.empty()) return;
  ++result_.levels;
  result_.width = std::max(result_.width, level.run.end - level.run.begin);
  result_.last_level = level.run.begin;
}

template <class Position>
void LevelSearch<Position>::extend_alone() {
  Worker& worker = *workers_[0];
  const Run run = level_.run;
  discover(worker, run);
  worker.kept = worker.listed;
  const std::uint64_t entries = number(worker, run, run.end);
  Level& next = levels_[++round_ & 1];
  next.segments = 1;
  next.segment[0] = {{run.end, run.end + worker.kept}, entries, worker.bandwidth};
  worker.synced = run.end + worker.kept;
  enter(next.segment[0]);
}

/// The first position of a level with at least `target` entries before it.
template <class Position>
VertexId LevelSearch<Position>::cut(const Level& level, std::uint64_t target) const {
  int s = 0;
  for (; s + 1 < level.segments && target >= level.segment[s].entries; ++s) target -= level.segment[s].entries;
  const Run run = level.segment[s].run;
  const std::uint64_t* const before = before_.data();
  return static_cast<VertexId>(std::lower_bound(before + run.begin, before + run.end, target) - before);
}

/// The run of a level's rows that a worker walks: about as many entries as each other's.
template <class Position>
typename LevelSearch<Position>::Run LevelSearch<Position>::part_of(const Level& level, Segment all, int w,
                                                                   int team) const {
  const auto start = [&](int k) {
    return cut(level, all.entries * static_cast<std::uint64_t>(k) / static_cast<std::uint64_t>(team));
  };
  return {w == 0 ? all.run.begin : start(w), w + 1 == team ? all.run.end : start(w + 1)};
}

template <class Position>
void LevelSearch<Position>::extend_as(int w, int team, SpinBarrier& barrier) {
  Worker& worker = *workers_[w];
  Segment level = level_;
  sync(worker, level.run.end);
  barrier.wait();
  double waited = 0;
  const auto start = Clock::now();
  for (std::uint32_t round = round_ + 1; !over(level); ++round) {
    sync(worker, level.run.end);
    const Run part = part_of(levels_[(round - 1) & 1], level, w, team);
    discover(worker, part);
    worker.lists.store(round, std::memory_order_release);
    waited += sift(w, round);
    worker.sifted.store(round, std::memory_order_release);
    VertexId at = level.run.end;
    for (int before = 0; before < w; ++before) {
      const Worker& other = *workers_[before];
      waited += SpinBarrier::spin_until([&] { return other.sifted.load(std::memory_order_acquire) == round; });
      at += other.kept;
    }
    const std::uint64_t entries = number(worker, part, at);
    Level& next = levels_[round & 1];
    next.segment[w] = {{at, at + worker.kept}, entries, worker.bandwidth, waited};
    if (w == 0) {
      next.segments = team;
      next.held_up = is_held_up(level.waited, seconds_since(start), team);
    }
    worker.synced = at + worker.kept;
    waited += barrier.wait();
    level = next.sum();
    if (w == 0) {
      round_ = round;
      enter(level);
    }
    if (over(level) || next.held_up) return;
    if (level.entries >= few_entries) continue;
    barrier.wait();  // all have read the segments
    if (w == 0) {
      sync(worker, level.run.end);
      while (!over(level_) && level_.entries < few_entries) extend_alone();
    }
    barrier.wait();
    level = level_;
    round = round_;
    sync(worker, level.run.end);
    barrier.wait();  // all know what is numbered: none waits for that below
  }
}

template <class Position>
void LevelSearch<Position>::extend_together() {
  while (workers_.size() < static_cast<std::size_t>(threads_)) {
    workers_.push_back(std::make_unique<Worker>(pattern_.vertices));
    workers_.back()->others = VertexSet(pattern_.vertices);
  }
  SpinBarrier barrier;
#pragma omp parallel num_threads(threads_)
  {
#pragma omp single
    barrier.expect(omp_get_num_threads());
    // The thread sanitizer does not see where OpenMP's threads meet, but sees these.
    barrier.wait();
    extend_as(omp_get_thread_num(), omp_get_num_threads(), barrier);
    barrier.wait();
  }
}

template <class Position>
SearchResult LevelSearch<Position>::run(VertexId first, std::span<const VertexId> starts, std::uint64_t most) {
  result_ = {};
  most_bandwidth_ = most;
  for (auto& worker : workers_) worker->bandwidth = worker->envelope = 0;
  Level& level = levels_[++round_ & 1];
  std::uint64_t entries = 0;
  VertexId end = first;
  for (const VertexId v : starts) {
    workers_[0]->seen.insert(v);
    note_row(end++, v, entries);
  }
  workers_[0]->synced = end;
  level.segments = 1;
  level.segment[0] = {{first, end}, entries, 0};
  enter(level.segment[0]);
  while (!over(level_) && (threads_ == 1 || level_.entries < few_entries)) extend_alone();
  if (!over(level_)) extend_together();
  if (!over(level_)) {  // held up
    threads_ = 1;
    sync(*workers_[0], level_.run.end);
    while (!over(level_)) extend_alone();
  }
  for (const auto& worker : workers_) {
    result_.bandwidth = std::max(result_.bandwidth, worker->bandwidth);
    result_.envelope += worker->envelope;
  }
  result_.complete = level_.run.empty();
  result_.count = level_.run.end - first;
  return result_;
}

template <class Position>
void LevelSearch<Position>::forget(VertexId first) {
  for (auto& worker : workers_) {
    for (VertexSet* const set : {&worker->seen, &worker->others}) {
      if (first == 0) set->clear();
      for (VertexId at = first; first != 0 && at < worker->synced && !set->empty(); ++at) set->erase(order_[at]);
    }
    worker->synced = std::min(worker->synced, first);
  }
}

template <class Position>
void LevelSearch<Position>::restore(VertexId first, std::span<const VertexId> vertices) {
  forget(first);
  std::copy(vertices.begin(), vertices.end(), order_.begin() + first);
  sync(*workers_[0], first + static_cast<VertexId>(vertices.size()));
}

template class LevelSearch<std::uint32_t>;
template class LevelSearch<std::uint64_t>;

}  // namespace spress::reorder
