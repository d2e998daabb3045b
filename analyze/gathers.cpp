#include "analyze/gathers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "formats/parallel.hpp"

namespace spress::analyze {
namespace {

constexpr std::uint64_t slice = 32, chunk = 64 * slice;  // rows; windows begin anew with each chunk
constexpr std::uint64_t window_entries = 4096, sector_bytes = 32;

/// The distinct numbers of a window: a table that forgets by counting windows.
class Window {
 public:
  [[nodiscard]] bool is_new(std::uint32_t key) {
    std::size_t place = (key * 0x9E3779B1u) >> shift;
    while (stamps_[place] == stamp_ && keys_[place] != key) place = (place + 1) % size;
    if (stamps_[place] == stamp_) return false;
    stamps_[place] = stamp_;
    keys_[place] = key;
    return true;
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
  static constexpr std::size_t size = 4 * window_entries;  // a window takes fewer than twice its entries
  static constexpr int shift = 32 - std::countr_zero(size);
  std::vector<std::uint32_t> keys_ = std::vector<std::uint32_t>(size);
  std::vector<std::uint64_t> stamps_ = std::vector<std::uint64_t>(size);
  std::uint64_t stamp_ = 1, filled_ = 0;
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

/// The k-th entries of the rows of a slice, for every k.
template <class Position>
std::uint64_t count_slice(const Sectors& sectors, const Position* row_ptr, std::uint64_t rows) {
  std::array<std::uint64_t, slice> at = {}, end = {};  // of the rows that have a k-th entry
  std::uint64_t active = 0, count = 0;
  const auto keep = [&](std::uint64_t first, std::uint64_t last) {
    at[active] = first;
    end[active] = last;
    active += first < last ? 1 : 0;
  };
  for (std::uint64_t r = 0; r < rows; ++r) keep(row_ptr[r], row_ptr[r + 1]);
  while (active != 0) {
    const std::uint64_t n = std::exchange(active, 0);
    std::uint32_t before = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint32_t sector = sectors[at[i]];
      count += i == 0 || sector != before ? 1 : 0;
      before = sector;
      keep(at[i] + 1, end[i]);
    }
  }
  return count;
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
  std::vector<Window> windows(static_cast<std::size_t>(threads_worth(threads, a.nnz)));
  std::uint64_t by_row = 0, by_slice = 0, by_window = 0;
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
#pragma omp parallel for num_threads(static_cast<int>(windows.size())) schedule(dynamic) \
    reduction(+ : by_row, by_slice, by_window)
    for (std::uint64_t c = 0; c < (a.rows + chunk - 1) / chunk; ++c) {
      Window& window = windows[static_cast<std::size_t>(omp_get_thread_num())];
      const auto counts = count_rows(sectors, row_ptr, c * chunk, std::min(a.rows, (c + 1) * chunk), window);
      by_row += counts.by_row;
      by_slice += counts.by_slice;
      by_window += counts.by_window;
    }
  });
  return {by_row, by_slice, by_window};
}

}  // namespace spress::analyze
