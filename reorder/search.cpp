// A search for the order that costs least, by a cost that the caller hands in: the best of the other orderings, then
// moves of the whole matrix for as long as one of them pays, then the rows of one window after another, and in the end
// stretches that change places, two at random at a time. Nothing is kept that did not make the whole matrix cheaper, so
// the outcome is never worse than the matrix as it comes.
#include <algorithm>
#include <array>
#include <numeric>

#include "reorder/graph.hpp"
#include "reorder/methods.hpp"
#include "reorder/partition.hpp"
#include "reorder/scotch.hpp"
#include "reorder/search_moves.hpp"

namespace spress::reorder {
namespace {

/// Orderings that a search starts from.
constexpr std::array<std::string_view, 6> starts = {"rcm", "rcm-nodes", "partition", "apart", "likeness", "sloan"};
/// Rows are sorted in windows of at least so many, of which there are at most so many.
constexpr std::uint64_t least_window = 256, most_windows = 64;

bool equal(const Permutation& x, const Permutation& y) { return std::ranges::equal(x.span(), y.span()); }

class Search {
 public:
  Search(const Csr<Viewed>& a, const OrderingOptions& options)
      : a_(a),
        cost_(options.cost ? options.cost : Cost(gap_bytes)),
        budget_(static_cast<double>(options.budget)),
        best_cost_(charged(a)) {}

  Reordering run() {
    if (a_.nnz == 0) return {};
    for (const std::string_view name : starts) try_ordering(name);
    for (const VertexId size : {usual_part_size / 4, usual_part_size * 4}) try_parts(size);
    move_while_it_pays();
    sort_windows();
    exchange_stretches();
    return std::move(best_);
  }

 private:
  [[nodiscard]] bool may_spend() const { return spent_ + 1 <= budget_; }

  /// What a matrix costs; a part of the rows is charged as its part of the entries.
  std::uint64_t charged(const Csr<Viewed>& b) {
    spent_ += a_.nnz == 0 ? 1 : static_cast<double>(b.nnz) / static_cast<double>(a_.nnz);
    return cost_(b);
  }

  /// Keeps an order of the matrix as it came where it is cheaper than the best so far; ties stay with the earlier.
  bool consider(Reordering to) {
    if (!may_spend() || (equal(to.rows, best_.rows) && equal(to.cols, best_.cols))) return false;
    Csr<Owned> reordered = permute(a_, to);
    const std::uint64_t cost = charged(view_of(reordered));
    if (cost >= best_cost_) return false;
    best_cost_ = cost;
    best_ = std::move(to);
    current_ = std::move(reordered);
    return true;
  }

  /// As consider, but of the best one so far.
  bool consider_move(const Reordering& move) {
    return consider({compose(best_.rows, move.rows), compose(best_.cols, move.cols)});
  }

  void try_ordering(std::string_view name) {
    auto to = compute_ordering(name, a_);  // rectangular, or lacking: there are others
    if (to.ok()) consider(std::move(*to));
  }

  void try_parts(VertexId size) {
    if (a_.rows != a_.cols || a_.rows < 2 * size || !scotch::missing().empty()) return;
    auto perm = order_by_parts(graph_of(a_).view(), size);
    if (perm.ok()) consider({*perm, *perm});
  }

  /// The matrix in the best order so far.
  [[nodiscard]] Csr<Viewed> current() const { return current_.rows == 0 ? a_ : view_of(current_); }

  void move_while_it_pays() {
    for (bool better = true; better && may_spend();) {
      better = false;
      for (const Move& move : whole_moves())
        if (may_spend() && consider_move(move.make(current()))) better = true;
    }
  }

  /// The cheapest order of the rows of a window by itself, as its rows in the whole; the identity where none is
  /// cheaper.
  void sort_window(std::uint64_t first, std::uint64_t last, Permutation& rows) {
    const Csr<Owned> window = rows_of(current(), first, last);
    std::uint64_t least = charged(view_of(window));
    for (const WindowMove& move : window_moves()) {
      const Permutation perm = move.make(view_of(window));
      const Csr<Owned> sorted = permute(view_of(window), perm, {});
      const std::uint64_t cost = charged(view_of(sorted));
      if (cost >= least) continue;
      least = cost;
      std::transform(perm.begin(), perm.end(), rows.begin() + first,
                     [&](std::uint32_t r) { return static_cast<std::uint32_t>(r + first); });
    }
  }

  void sort_windows() {
    const double needed = 2 + static_cast<double>(window_moves().size());
    if (spent_ + needed > budget_) return;
    const std::uint64_t size = std::max(least_window, (a_.rows / most_windows + 31) / 32 * 32);
    Permutation rows(a_.rows);
    std::iota(rows.begin(), rows.end(), 0u);
    for (std::uint64_t first = 0; first < a_.rows; first += size)
      sort_window(first, std::min(first + size, a_.rows), rows);
    consider_move({std::move(rows), {}});
  }

  std::uint64_t random_below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % n;
  }

  /// A stretch moved to another place, at times backwards.
  Permutation exchanged(std::uint64_t n) {
    Permutation perm(n);
    std::iota(perm.begin(), perm.end(), 0u);
    const std::uint64_t longest = std::max<std::uint64_t>(1, n / (1 + random_below(64)));
    const std::uint64_t length = 1 + random_below(std::min(longest, n - 1));
    const std::uint64_t from = random_below(n - length + 1), to = random_below(n - length + 1);
    const auto at = [&](std::uint64_t i) { return perm.begin() + i; };
    if (random_below(4) == 0) std::reverse(at(from), at(from + length));
    if (from < to)
      std::rotate(at(from), at(from + length), at(to + length));
    else
      std::rotate(at(to), at(from), at(from + length));
    return perm;
  }

  void exchange_stretches() {
    const bool together = a_.rows == a_.cols && equal(best_.rows, best_.cols);
    while (may_spend()) {
      const bool rows = random_below(2) == 0;
      spent_ += 1e-3;  // whatever comes back, this ends
      if ((together || rows ? a_.rows : a_.cols) < 2) continue;
      const Permutation perm = exchanged(together || rows ? a_.rows : a_.cols);
      if (together)
        consider_move({perm, perm});
      else
        consider_move(rows ? Reordering{perm, {}} : Reordering{{}, perm});
    }
  }

  const Csr<Viewed> a_;
  const Cost cost_;
  const double budget_;
  double spent_ = 0;
  std::uint64_t state_ = 1;
  Reordering best_;
  std::uint64_t best_cost_;
  Csr<Owned> current_;
};

}  // namespace

Result<Reordering> methods::search(const Csr<Viewed>& a, const OrderingOptions& options) {
  return Search(a, options).run();
}

}  // namespace spress::reorder
