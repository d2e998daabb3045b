#include "reorder/cuthill_mckee/level_search.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/core/clock.hpp"

namespace spress::reorder {
namespace {

constexpr VertexId rows_ahead = 8, ids_ahead = 16;  // fetched before they are needed
constexpr std::uint64_t work_of_row = 16;           // as much as that of so many entries
constexpr std::uint64_t little_work = 3500;         // a level of less is not worth a second thread

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

/// Takes note of what worker `before` has listed: worker w drops that from its own list.
template <class Position>
void LevelSearch<Position>::sift(int w, int before) {
  Worker& worker = *workers_[w];
  const bool first = before == 0, last = before == w - 1;
  for (const VertexId v : workers_[before]->list.span().first(workers_[before]->listed)) {
    if (!worker.seen.has(v)) {
      worker.seen.insert(v);
      if (!last) worker.others.insert(v);
    } else if (first || !worker.others.has(v)) {
      worker.others.insert(v);
      --worker.kept;
    }
  }
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
void LevelSearch<Position>::note_row(VertexId at, VertexId v, std::uint64_t& work) {
  order_[at] = v;
  row_at_[at] = pattern_.row_ptr[v];
  length_[at] = row_length(v);
  before_[at] = work;
  work += work_of_row + length_[at];
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

/// Puts what the worker keeps into the order from `at` on, and notes where the rows lie. Returns their work.
template <class Position>
std::uint64_t LevelSearch<Position>::number(Worker& worker, Run part, VertexId at) {
  const VertexId* in = worker.list.data();
  const VertexId* const in_end = in + worker.listed;
  VertexId to_drop = worker.listed - worker.kept;  // mostly children of the first vertices
  std::uint64_t work = 0;
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
    for (VertexId k = 0; k < count; ++k, ++at) note_row(at, order_[at], work);
    const std::uint64_t reach = at - 1 - parent;
    worker.envelope += reach;
    if (count > 0) worker.bandwidth = std::max(worker.bandwidth, reach);
  }
  return work;
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
  const std::uint64_t work = number(worker, run, run.end);
  Level& next = levels_[++round_ & 1];
  next.segments = 1;
  next.segment[0] = {{run.end, run.end + worker.kept}, work, worker.bandwidth};
  worker.synced = run.end + worker.kept;
  enter(next.segment[0]);
}

/// The first position of a level with at least `target` work before it. What other threads have noted is far away: the
/// search begins where it may end.
template <class Position>
VertexId LevelSearch<Position>::cut(const Level& level, std::uint64_t target) const {
  int s = 0;
  for (; s + 1 < level.segments && target >= level.segment[s].work; ++s) target -= level.segment[s].work;
  const Segment& segment = level.segment[s];
  const Run run = segment.run;
  if (run.empty()) return run.begin;
  const std::uint64_t* const before = before_.data();
  const VertexId last = run.end - run.begin - 1;
  const VertexId from =
      run.begin + static_cast<VertexId>(std::min(static_cast<double>(target) / static_cast<double>(segment.work), 1.0) *
                                        static_cast<double>(last));
  VertexId low = from, high = from;  // all before low has less, high has enough
  if (before[from] < target) {
    for (VertexId step = 1; high < run.end && before[high] < target; step *= 2) {
      low = high + 1;
      high = run.end - high > step ? high + step : run.end;
    }
  } else {
    for (VertexId step = 1; low > run.begin; step *= 2) {
      low = low - run.begin > step ? low - step : run.begin;
      if (before[low] < target) break;
      high = low;
    }
  }
  return static_cast<VertexId>(std::lower_bound(before + low, before + high, target) - before);
}

/// The run of a level's rows that a worker walks: its share of their work.
template <class Position>
typename LevelSearch<Position>::Run LevelSearch<Position>::part_of(const Level& level, Segment all, Shares shares,
                                                                   int w) const {
  const auto start = [&](int k) {
    const double before = std::accumulate(shares.begin(), shares.begin() + k, 0.0);
    return cut(level, static_cast<std::uint64_t>(before * static_cast<double>(all.work)));
  };
  return {w == 0 ? all.run.begin : start(w), w + 1 == static_cast<int>(shares.size()) ? all.run.end : start(w + 1)};
}

/// Those that took longer than others for a level get less of the next. All workers come to the same shares.
template <class Position>
void LevelSearch<Position>::balance(Shares shares, const Level& level, Segment all) {
  constexpr double tick = 1e-7;  // clocks may stand still for as long
  const auto team = static_cast<double>(shares.size()), least = 0.25 / team;
  const double mean = all.busy / team;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double faster = std::clamp((mean + tick) / (level.segment[k].busy + tick), 0.5, 2.0);
    shares[k] = std::max(least, shares[k] * std::sqrt(faster));
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
}

template <class Position>
void LevelSearch<Position>::Waits::until(const std::atomic<std::uint32_t>& flag, std::uint32_t round) {
  const auto there = [&] { return flag.load(std::memory_order_acquire) == round; };
  if (there()) return;
  const auto since = Clock::now();
  given_way += SpinBarrier::spin_until(there);
  idle += seconds_since(since);
}

/// Numbers what is new to a worker among the neighbors of its part of a level that ends at `end`, and learns what
/// others have found there.
template <class Position>
typename LevelSearch<Position>::Segment LevelSearch<Position>::extend_part(int w, int team, Run part, VertexId end,
                                                                           std::uint32_t round, Waits& waits) {
  Worker& worker = *workers_[w];
  discover(worker, part);
  worker.lists.store(round, std::memory_order_release);
  worker.kept = worker.listed;
  for (int before = 0; before < w; ++before) {
    waits.until(workers_[before]->lists, round);
    sift(w, before);
  }
  worker.sifted.store(round, std::memory_order_release);
  VertexId at = end;
  for (int before = 0; before < w; ++before) {
    waits.until(workers_[before]->sifted, round);
    at += workers_[before]->kept;
  }
  const std::uint64_t work = number(worker, part, at);
  for (int behind = w + 1; behind < team; ++behind) {  // they still sift, or number
    const Worker& other = *workers_[behind];
    waits.until(other.lists, round);
    for (const VertexId v : other.list.span().first(other.listed)) worker.seen.insert(v);
  }
  return {{at, at + worker.kept}, work, worker.bandwidth, 0, 0};
}

/// Worker 0 goes on alone while levels are too small for more. Returns the level at which the team begins again.
template <class Position>
typename LevelSearch<Position>::Segment LevelSearch<Position>::extend_few(int w, SpinBarrier& barrier) {
  barrier.wait();  // all have read the segments
  if (w == 0)
    while (!over(level_) && level_.work < little_work) extend_alone();
  barrier.wait();
  const Segment level = level_;
  sync(*workers_[w], level.run.end);
  barrier.wait();  // to know what is numbered takes its time: none waits for that in the next round
  return level;
}

template <class Position>
void LevelSearch<Position>::extend_as(int w, int team, SpinBarrier& barrier) {
  Worker& worker = *workers_[w];
  Segment level = level_;
  sync(worker, level.run.end);
  barrier.wait();
  const auto start = Clock::now();
  Waits waits;
  std::array<double, most_threads> parts;
  parts.fill(1.0 / team);
  const Shares shares = std::span(parts).first(static_cast<std::size_t>(team));
  for (std::uint32_t round = round_ + 1; !over(level); ++round) {
    const auto round_start = Clock::now();
    waits.idle = 0;
    const Run part = part_of(levels_[(round - 1) & 1], level, shares, w);
    Level& next = levels_[round & 1];
    Segment& mine = next.segment[w];
    mine = extend_part(w, team, part, level.run.end, round, waits);
    mine.waited = waits.given_way;
    mine.busy = seconds_since(round_start) - waits.idle;
    if (w == 0) {
      next.segments = team;
      next.held_up = is_held_up(level.waited, seconds_since(start), team);
    }
    worker.numbered.store(round, std::memory_order_release);
    for (int k = 0; k < team; ++k) waits.until(workers_[k]->numbered, round);
    level = next.sum();
    worker.synced = level.run.end;
    if (w == 0) {
      round_ = round;
      enter(level);
    }
    if (over(level) || next.held_up) return;
    balance(shares, next, level);
    if (level.work >= little_work) continue;
    level = extend_few(w, barrier);
    round = round_;
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
  std::uint64_t work = 0;
  VertexId end = first;
  for (const VertexId v : starts) {
    workers_[0]->seen.insert(v);
    note_row(end++, v, work);
  }
  workers_[0]->synced = end;
  level.segments = 1;
  level.segment[0] = {{first, end}, work, 0};
  enter(level.segment[0]);
  while (!over(level_) && (threads_ == 1 || level_.work < little_work)) extend_alone();
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
