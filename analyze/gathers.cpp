#include "analyze/gathers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"

namespace spress::analyze {
namespace {

constexpr std::uint64_t slice = 32, chunk = 64 * slice;  // rows; windows begin anew with each chunk
constexpr std::uint64_t window_entries = 4096, sector_bytes = 32;

/// The distinct sectors of a window: a table that forgets by counting windows. Each of few sectors has a place of its
/// own, of many only those met.
class Window {
 public:
  /// sectors: of all of x. entries: those of all windows.
  Window(std::uint64_t sectors, std::uint64_t entries) {
    const auto places = std::bit_ceil(std::clamp<std::uint64_t>(4 * entries, 16, most_places));
    if (sectors > places) keys_.resize(places);
    stamps_.resize(std::min(sectors, places));
    shift_ = 32 - std::countr_zero(places);
  }

  [[nodiscard]] bool is_new(std::uint32_t key) {
    return std::exchange(stamps_[keys_.empty() ? key : place_of(key)], stamp_) != stamp_;
  }
  void add_entries(std::uint64_t n) {
    filled_ += n;
    if (filled_ >= window_entries) begin();
  }
  void begin() {
    filled_ = 0;
    ++stamp_;
  }

 private:
  [[nodiscard]] std::size_t place_of(std::uint32_t key) {
    std::size_t place = (key * 0x9E3779B1u) >> shift_;
    while (stamps_[place] == stamp_ && keys_[place] != key) place = (place + 1) & (keys_.size() - 1);
    keys_[place] = key;
    return place;
  }

  static constexpr std::uint64_t most_places = 4 * window_entries;  // a window takes fewer than twice its entries
  std::vector<std::uint32_t> keys_;                                 // a power of two, or none
  std::vector<std::uint32_t> stamps_;
  int shift_ = 0;
  std::uint64_t filled_ = 0;
  std::uint32_t stamp_ = 1;  // fewer windows than 2^32 hold all entries there can be
};

struct Sectors {
  const std::uint32_t* col_idx;
  int shift;  // from columns to sectors
  [[nodiscard]] std::uint32_t operator[](std::uint64_t k) const { return col_idx[k] >> shift; }
};

/// Piece by piece, so that no window outgrows its table.
void count_row(const Sectors& sectors, std::uint64_t first, std::uint64_t last, Window& window, GatherCounts& counts) {
  while (first < last) {
    const std::uint64_t end = std::min(last, first + window_entries);
    for (std::uint64_t k = first; k < end; ++k) {
      if (k != first && sectors[k] == sectors[k - 1]) continue;
      ++counts.by_row;
      counts.by_window += window.is_new(sectors[k]) ? 1 : 0;
    }
    window.add_entries(end - first);
    first = end;
  }
}

/// How many of n sectors differ from those that `before` names, which they replace.
std::uint32_t count_changes(const Sectors& sectors, std::uint64_t first, std::uint64_t n, std::uint32_t* before) {
  std::uint32_t count = 0;
#pragma omp simd reduction(+ : count)
  for (std::uint64_t k = 0; k < n; ++k) {
    const std::uint32_t sector = sectors[first + k];
    count += sector != before[k] ? 1 : 0;
    before[k] = sector;
  }
  return count;
}

/// The k-th entries of the rows of a slice, for every k. Row by row, some entries of all rows at a time: what one is
/// compared with, the k-th of the last row before that has one, stands in a list.
template <class Position>
std::uint64_t count_slice(const Sectors& sectors, const Position* row_ptr, std::uint64_t rows) {
  constexpr std::uint64_t at_a_time = 512;
  std::array<std::uint32_t, at_a_time> before;
  std::uint64_t longest = 0, count = 0;
  for (std::uint64_t r = 0; r < rows; ++r) longest = std::max<std::uint64_t>(longest, row_ptr[r + 1] - row_ptr[r]);
  for (std::uint64_t first = 0; first < longest; first += at_a_time) {
    std::fill_n(before.begin(), std::min(at_a_time, longest - first), ~0u);  // no sector
    for (std::uint64_t r = 0; r < rows; ++r) {
      const std::uint64_t begin = row_ptr[r] + first, end = row_ptr[r + 1];
      if (begin < end) count += count_changes(sectors, begin, std::min(at_a_time, end - begin), before.data());
    }
  }
  return count;
}

void add(const GatherCounts& some, GatherCounts& all) {
  all.by_row += some.by_row;
  all.by_slice += some.by_slice;
  all.by_window += some.by_window;
}

template <class Position>
GatherCounts count_rows(const Sectors& sectors, const Position* row_ptr, std::uint64_t first, std::uint64_t last,
                        Window& window) {
  GatherCounts counts;
  window.begin();
  for (std::uint64_t r = first; r < last; r += slice) {
    const std::uint64_t end = std::min(last, r + slice);
    for (std::uint64_t i = r; i < end; ++i) count_row(sectors, row_ptr[i], row_ptr[i + 1], window, counts);
    counts.by_slice += count_slice(sectors, row_ptr + r, end - r);
  }
  return counts;
}

}  // namespace

GatherCounts gather_counts(const Csr<Viewed>& a, std::uint64_t value_width, int threads) {
  const int shift = std::countr_zero(sector_bytes / std::clamp<std::uint64_t>(value_width, 4, 16));
  const Sectors sectors{a.col_idx.data(), shift};
  struct Mine {
    std::optional<Window> window;
    GatherCounts counts;
  };
  const int used_threads = threads_worth(threads, 8 * a.nnz);  // a gather takes longer than most items
  std::vector<Mine> mine(static_cast<std::size_t>(used_threads));
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    parallel_for_dynamic((a.rows + chunk - 1) / chunk, used_threads, [&](std::uint64_t c, std::size_t t) {
      const std::uint64_t first = c * chunk, last = std::min(a.rows, first + chunk);
      if (!mine[t].window) mine[t].window.emplace((a.cols >> shift) + 1, a.nnz);
      add(count_rows(sectors, row_ptr, first, last, *mine[t].window), mine[t].counts);
    });
  });
  GatherCounts counts;
  for (const Mine& each : mine) add(each.counts, counts);
  return counts;
}

}  // namespace spress::analyze
