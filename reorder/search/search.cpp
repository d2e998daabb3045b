// A search for the order that costs least, by a cost that the caller hands in. What rows in a window cost in the
// cheapest of a few orders of their own tells most of what a matrix can cost, and a sample of the windows tells it
// cheaply. So: the best of the other orderings by that measure; moves of the whole matrix from there, for as long as
// one pays; then the rows of all windows, in windows of several sizes. What comes back is the cheapest that was seen as
// a whole, so it is never worse than the matrix as it comes, nor than any of the orderings that it started from and
// could afford to try.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "formats/core/threads.hpp"
#include "reorder/core/graph.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/parts/partition.hpp"
#include "reorder/parts/scotch.hpp"
#include "reorder/search/search_moves.hpp"

namespace spress::reorder {
namespace {

/// Windows of rows have at least this many rows, and there are at most so many of them, in the finest and in coarser
/// passes. Of the finest one in four to eight is looked at where a sample will do.
constexpr std::uint64_t least_window = 256;
constexpr std::array<std::uint64_t, 4> most_windows = {64, 16, 4, 1};
constexpr std::uint64_t least_sample = 4, least_share = 8;

/// What a search may spend unless told otherwise: so many costs of the matrix, and of a small one more, as many as take
/// about a second.
constexpr std::uint64_t usual_budget = 64, largest_budget = 1024, quick_entries = std::uint64_t{1} << 22;

double budget_of(const Csr<Viewed>& a, const OrderingOptions& options) {
  if (options.budget != 0) return static_cast<double>(options.budget);
  return static_cast<double>(
      std::clamp(quick_entries / std::max<std::uint64_t>(1, a.nnz), usual_budget, largest_budget));
}

bool equal(const Permutation& x, const Permutation& y) { return std::ranges::equal(x.span(), y.span()); }
bool equal(const Reordering& x, const Reordering& y) { return equal(x.rows, y.rows) && equal(x.cols, y.cols); }

/// The matrix in some order.
struct Ordered {
  Reordering to;
  Csr<Owned> matrix;                                         ///< in that order
  double promise = std::numeric_limits<double>::infinity();  ///< cost of an entry in sampled windows, their rows sorted
};

class Search {
 public:
  Search(const Csr<Viewed>& a, const OrderingOptions& options)
      : a_(a), cost_(options.cost ? options.cost : Cost(gap_bytes)), budget_(budget_of(a, options)) {}

  Reordering run() {
    if (a_.nnz == 0 || !may_spend(1 + sample_costs())) return {};
    best_cost_ = charged(a_);
    now_ = {{}, permute(a_, {})};
    begin_with({});
    for (const Ordering& start : search_starts()) try_ordering(start.name);
    for (const VertexId size : {usual_part_size / 4, usual_part_size * 4}) try_parts(size);
    move_while_it_pays();
    for (const std::uint64_t most : most_windows) sort_windows(most);
    polish();
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool may_spend(double costs) const { return spent_ + costs <= budget_; }

  /// What the matrix costs in some order.
  std::uint64_t charged(const Csr<Viewed>& b) {
    spent_ += 1;
    return cost_(b);
  }

  /// Keeps an order where it is the cheapest so far.
  bool consider(const Ordered& tried) {
    if (!may_spend(1)) return false;
    const std::uint64_t cost = charged(view_of(tried.matrix));
    if (cost >= best_cost_) return false;
    best_cost_ = cost;
    best_ = tried.to;
    return true;
  }

  // --- Where to start -------------------------------------------------------------------------------------------

  [[nodiscard]] bool seen(const Reordering& to) const {
    return std::ranges::any_of(seen_, [&](const Reordering& other) { return equal(to, other); });
  }

  /// An order of the matrix as it came: by itself, and by what it promises.
  void begin_with(Reordering to) {
    if (!may_spend(1 + sample_costs()) || seen(to)) return;
    Ordered tried{std::move(to), {}};
    tried.matrix = permute(a_, tried.to);
    if (!tried.to.identity()) consider(tried);
    seen_.push_back(tried.to);
    follow(std::move(tried));
  }

  void try_ordering(std::string_view name) {
    auto to = compute_ordering(name, a_);  // rectangular, or lacking: there are others
    if (to.ok()) begin_with(std::move(*to));
  }

  void try_parts(VertexId size) {
    if (a_.rows != a_.cols || a_.rows < 2 * std::uint64_t{size} || !scotch::missing().empty()) return;
    auto perm = order_by_parts(graph_of(a_).view(), size);
    if (perm.ok()) begin_with({*perm, *perm});
  }

  // --- Moves of the whole matrix --------------------------------------------------------------------------------

  /// Goes on from an order that promises more than the one before.
  bool follow(Ordered tried) {
    tried.promise = promise_of(view_of(tried.matrix));
    if (tried.promise >= now_.promise) return false;
    now_ = std::move(tried);
    return true;
  }

  [[nodiscard]] Ordered moved(const Ordered& from, const Reordering& move) const {
    Ordered out{{compose(from.to.rows, move.rows), compose(from.to.cols, move.cols)}, {}};
    out.matrix = permute(view_of(from.matrix), move);
    return out;
  }

  void move_while_it_pays() {
    for (bool better = true; better;) {
      better = false;
      for (const Move& move : whole_moves()) {
        const Reordering step = move.make(view_of(now_.matrix));
        if (!may_spend(sample_costs() + 2 * window_costs()) || step.identity()) continue;  // what windows need is kept
        if (follow(moved(now_, step))) better = true;
      }
    }
  }

  // --- Rows of windows ------------------------------------------------------------------------------------------

  [[nodiscard]] std::uint64_t window_size(std::uint64_t most) const {
    return std::max(least_window, ((a_.rows + most - 1) / most + 31) / 32 * 32);
  }
  [[nodiscard]] std::uint64_t window_stride() const {
    const std::uint64_t windows = a_.rows / window_size(most_windows[0]);
    return std::clamp<std::uint64_t>(windows / least_sample, 1, least_share);
  }
  /// What to sort all windows and judge the outcome takes, and to look at the sample; about, since rows may be of very
  /// different lengths.
  [[nodiscard]] static double window_costs() { return 2 + static_cast<double>(window_moves().size()); }
  [[nodiscard]] double sample_costs() const { return window_costs() / static_cast<double>(window_stride()); }

  /// Windows of a matrix: rows [begin(w), end(w)) for w below count.
  struct Windows {
    std::uint64_t rows, size, stride;  ///< stride: from the beginning of one to that of the next
    [[nodiscard]] std::uint64_t count() const { return (rows + stride - 1) / stride; }
    [[nodiscard]] std::uint64_t begin(std::uint64_t w) const { return w * stride; }
    [[nodiscard]] std::uint64_t end(std::uint64_t w) const { return std::min(rows, begin(w) + size); }
  };

  /// Puts the rows of a window into the cheapest order that they have by themselves: `order`, if wanted, is the place
  /// of the window in a permutation of all rows, left as it is where none is cheaper. Returns what that costs.
  std::uint64_t sort_window(const Csr<Viewed>& b, std::uint64_t first, std::uint64_t last, std::uint32_t* order) const {
    const Csr<Owned> window = rows_of(b, first, last);
    std::uint64_t least = cost_(view_of(window));
    for (const WindowMove& move : window_moves()) {
      const Permutation perm = move.make(view_of(window));
      const Csr<Owned> sorted = permute(view_of(window), perm, {});
      const std::uint64_t cost = cost_(view_of(sorted));
      if (cost >= least) continue;
      least = cost;
      if (order == nullptr) continue;
      std::transform(perm.begin(), perm.end(), order,
                     [&](std::uint32_t r) { return static_cast<std::uint32_t>(r + first); });
    }
    return least;
  }

  /// The same for all windows, on several threads. Returns what an entry of theirs then costs; infinity where a window
  /// costs the largest number, as what no format holds does, and where that may not be spent: then nothing is done.
  double sort_rows(const Csr<Viewed>& b, const Windows& windows, std::uint32_t* order) {
    constexpr std::uint64_t no_format = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t entries = 0, cost = 0, unfit = 0;
    for (std::uint64_t w = 0; w < windows.count(); ++w)
      entries += b.row_ptr.position(windows.end(w)) - b.row_ptr.position(windows.begin(w));
    const double costs = static_cast<double>(entries * (1 + window_moves().size())) / static_cast<double>(a_.nnz);
    if (entries == 0 || !may_spend(costs)) return std::numeric_limits<double>::infinity();
    spent_ += costs;
    RegionErrors errors;
    const auto sort_one = [&](std::uint64_t w, std::uint64_t& sum, std::uint64_t& lost) {
      const std::uint64_t first = windows.begin(w);
      const std::uint64_t one = sort_window(b, first, windows.end(w), order == nullptr ? nullptr : order + first);
      (one == no_format ? lost : sum) += one == no_format ? 1 : one;
    };
    const auto count = static_cast<std::int64_t>(windows.count());
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : cost, unfit) if (walk_is_worth_threads(b.nnz))
    for (std::int64_t w = 0; w < count; ++w) errors.attempt(sort_one, static_cast<std::uint64_t>(w), cost, unfit);
    errors.rethrow();
    if (unfit != 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(cost) / static_cast<double>(entries);
  }

  /// What an entry costs in a sample of the windows, their rows sorted.
  double promise_of(const Csr<Viewed>& b) {
    const std::uint64_t size = window_size(most_windows[0]);
    return sort_rows(b, {b.rows, size, size * window_stride()}, nullptr);
  }

  void sort_windows(std::uint64_t most) {
    const std::uint64_t size = window_size(most);
    if (!may_spend(window_costs()) || size == last_size_) return;
    last_size_ = size;
    Permutation rows(a_.rows);
    std::iota(rows.begin(), rows.end(), 0u);
    sort_rows(view_of(now_.matrix), {a_.rows, size, size}, rows.data());
    Ordered sorted = moved(now_, {std::move(rows), {}});
    if (consider(sorted)) now_ = std::move(sorted);
  }

  /// Moves again, each by what the whole matrix costs.
  void polish() {
    if (!equal(now_.to, best_)) now_ = {best_, permute(a_, best_)};
    for (bool better = true; better;) {
      better = false;
      for (const Move& move : whole_moves()) {
        const Reordering step = move.make(view_of(now_.matrix));
        if (!may_spend(1) || step.identity()) continue;
        Ordered tried = moved(now_, step);
        if (!consider(tried)) continue;
        now_ = std::move(tried);
        better = true;
      }
    }
  }

  const Csr<Viewed> a_;
  const Cost cost_;
  const double budget_;
  double spent_ = 0;
  std::uint64_t last_size_ = 0;
  std::vector<Reordering> seen_;
  Ordered now_;  ///< where moves go on from; the matrix as it came until an order promises more
  Reordering best_;
  std::uint64_t best_cost_ = 0;
};

}  // namespace

Result<Reordering> methods::search(const Csr<Viewed>& a, const OrderingOptions& options) {
  return Search(a, options).run();
}

}  // namespace spress::reorder
