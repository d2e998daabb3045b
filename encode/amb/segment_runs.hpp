// Cuts a matrix into windows of rows and segments of columns (segments.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "encode/amb/segments.hpp"
#include "formats/core/threads.hpp"

namespace spress::amb {

/// The entries of one row in one segment: `count` entries from position `begin` on.
struct SegmentRun {
  std::uint32_t row, count;  // row: in its window
  std::uint64_t begin;
};

/// The entries of a window of `rows` rows in one segment: a run for each row that has any, by ascending row.
struct WindowPiece {
  std::uint64_t window, segment;
  std::uint64_t rows, first_col, width;
  std::span<const SegmentRun> runs;
};

/// The end of the entries of a row with columns below `limit`. Requires: the column of entry `begin` is below it.
[[nodiscard]] inline std::uint64_t end_of_run(const std::uint32_t* cols, std::uint64_t begin, std::uint64_t last,
                                              std::uint64_t limit) {
  if (cols[last - 1] < limit) return last;
  return static_cast<std::uint64_t>(std::lower_bound(cols + begin, cols + last, limit) - cols);
}

/// Cuts windows into pieces, one window after another, and reuses its memory.
class WindowCutter {
 public:
  WindowCutter(const Csr<Viewed>& a, const Segments& segments, std::uint32_t sigma)
      : a_(a), cuts_(segments), sigma_(sigma), next_(segments.count(), 0) {}

  /// Calls use(piece) for every segment in which window w has entries, in their order.
  template <class Position, class Use>
  void cut(const Position* row_ptr, std::uint64_t w, const Use& use) {
    const std::uint64_t first_row = w * sigma_, rows = std::min<std::uint64_t>(sigma_, a_.rows - first_row);
    collect(row_ptr + first_row, rows);
    sort_runs();
    std::uint64_t first = 0;
    for (const std::uint32_t segment : segments_) {
      const std::uint64_t behind = std::exchange(next_[segment], 0), first_col = cuts_.begin(segment);
      const std::uint64_t width = cuts_.begin(segment + 1) - first_col;
      use(WindowPiece{w, segment, rows, first_col, width, std::span(runs_).subspan(first, behind - first)});
      first = behind;
    }
  }

 private:
  /// Finds the runs row by row, and how many each segment has.
  template <class Position>
  void collect(const Position* row_ptr, std::uint64_t rows) {
    found_.clear();
    segments_.clear();
    for (std::uint32_t i = 0; i < rows; ++i)
      for (std::uint64_t k = row_ptr[i], last = row_ptr[i + 1], end; k < last; k = end) {
        const std::uint32_t segment = cuts_.of(a_.col_idx[k]);
        end = end_of_run(a_.col_idx.data(), k, last, cuts_.begin(segment + 1));
        found_.push_back({segment, {i, static_cast<std::uint32_t>(end - k), k}});
        if (next_[segment]++ == 0) segments_.push_back(segment);
      }
  }
  /// A counting sort by segment: rows stay in their order. Leaves in next_ where each segment's runs end.
  void sort_runs() {
    std::sort(segments_.begin(), segments_.end());
    std::uint64_t at = 0;
    for (const std::uint32_t segment : segments_) at += std::exchange(next_[segment], at);
    runs_.resize(found_.size());
    for (const auto& [segment, run] : found_) runs_[next_[segment]++] = run;
  }

  const Csr<Viewed>& a_;
  const Segments& cuts_;
  std::uint32_t sigma_;
  std::vector<std::uint64_t> next_;      // by segment; 0 between windows
  std::vector<std::uint32_t> segments_;  // in which the window has entries
  std::vector<std::pair<std::uint32_t, SegmentRun>> found_;
  std::vector<SegmentRun> runs_;
};

template <class Position, class Use>
void cut_windows(const Csr<Viewed>& a, const Position* row_ptr, const Segments& segments, std::uint32_t sigma,
                 const Use& use) {
  const int threads = thread_count(0);
  std::vector<std::optional<WindowCutter>> cutters(static_cast<std::size_t>(threads));
  parallel_for_dynamic(parts_of(a.rows, sigma), threads, [&](std::uint64_t w, std::size_t t) {
    if (!cutters[t]) cutters[t].emplace(a, segments, sigma);
    cutters[t]->cut(row_ptr, w, use);
  });
}

/// Calls use(piece) for every window and every segment in which it has entries: windows in parallel, the segments of a
/// window in order.
template <class Use>
void for_each_piece(const Csr<Viewed>& a, const Segments& segments, std::uint32_t sigma, const Use& use) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) { cut_windows(a, row_ptr, segments, sigma, use); });
}

}  // namespace spress::amb
