#include "formats/io/entries/assemble.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <string>

#include "formats/core/memory.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/entries/array_walk.hpp"
#include "formats/io/entries/exact_integer.hpp"
#include "formats/io/entries/symmetric_values.hpp"

namespace spress::io {
namespace {

template <class V>
constexpr bool has_values = !std::is_same_v<V, NoValue>;

/// The columns and values of the matrix, being filled.
template <class V>
struct Slots {
  std::uint32_t* cols;
  V* values;  ///< null for patterns

  void set(std::uint64_t at, std::uint32_t col, [[maybe_unused]] V value) const {
    cols[at] = col;
    if constexpr (has_values<V>) values[at] = value;
  }
  void move(std::uint64_t to, std::uint64_t from) const {
    cols[to] = cols[from];
    if constexpr (has_values<V>) values[to] = values[from];
  }
  [[nodiscard]] V value(std::uint64_t at) const {
    if constexpr (has_values<V>)
      return values[at];
    else
      return {};
  }
};

template <class V>
ValueStore<Owned> make_values(std::uint64_t count) {
  if constexpr (!has_values<V>)
    return pattern_store(count);
  else
    return uninitialised_raw_store(std::is_same_v<V, double> ? ValueType::f64 : ValueType::c128, count);
}

template <class V>
Slots<V> slots_of(Csr<Owned>& csr) {
  V* values = nullptr;
  if constexpr (has_values<V>) values = reinterpret_cast<V*>(csr.values.codes.memory.data());
  return {csr.col_idx.data(), values};
}

// --- Coordinate files: count entries by row, scatter, sort, merge.
// -----------------------------------------------------

/// Consecutive blocks that one thread scatters. Since groups follow each other in the file and each has its own place
/// in every row, each row receives its entries in the order of the file.
struct Group {
  std::span<EntryBlock> blocks;
};

std::vector<Group> make_groups(std::vector<EntryBlock>& blocks, std::size_t count) {
  std::uint64_t entries = 0, passed = 0;
  for (const auto& block : blocks) entries += block.entries;
  std::vector<Group> groups;
  std::size_t begin = 0;
  for (std::size_t g = 1; g <= count; ++g) {
    std::size_t end = begin;
    while (end < blocks.size() && (g == count || passed < entries / count * g)) passed += blocks[end++].entries;
    groups.push_back({std::span(blocks).subspan(begin, end - begin)});
    begin = end;
  }
  return groups;
}

/// As many groups as threads, fewer where their cursors would take much memory beside the matrix.
std::size_t group_count(const MatrixHead& header, int threads, std::size_t position_bytes) {
  constexpr std::uint64_t worth_a_thread = 1u << 16;
  const std::uint64_t matrix_bytes = header.entries * (header.field == Field::pattern ? 4 : 12);
  const std::uint64_t cursor_bytes = std::max<std::uint64_t>(header.rows, 1) * position_bytes;
  const std::uint64_t affordable = 1 + matrix_bytes / 4 / cursor_bytes;
  const std::uint64_t useful = 1 + header.entries / worth_a_thread;
  return static_cast<std::size_t>(std::min({static_cast<std::uint64_t>(threads), affordable, useful}));
}

/// Calls use(block, rows, cols) for each block of a group with its unpacked ids.
template <class Use>
void for_each_block(const Group& group, Use&& use) {
  std::vector<std::uint32_t> rows, cols;
  for (EntryBlock& block : group.blocks) {
    rows.resize(std::max(rows.size(), block.entries));
    cols.resize(rows.size());
    block.rows.unpack(rows.data());
    block.cols.unpack(cols.data());
    use(block, rows.data(), cols.data());
  }
}

template <class V, class P>
class Assembler {
 public:
  Assembler(const MatrixHead& header, std::vector<EntryBlock>& blocks, int threads)
      : header_(header), threads_(threads), groups_(make_groups(blocks, group_count(header, threads, sizeof(P)))) {}

  Result<Assembled> run() {
    Assembled result;
    Csr<Owned>& csr = result.csr;
    csr.rows = header_.rows;
    csr.cols = header_.cols;
    csr.row_ptr = Positions<Owned>(dtype_of<P>(), header_.rows + 1);
    row_ptr_ = csr.row_ptr.template as<P>();
    make_cursors();
    run_on_threads(static_cast<int>(groups_.size()), [&](int g) { count(static_cast<std::size_t>(g)); });
    csr.nnz = counts_to_starts();
    csr.col_idx = HostArray<std::uint32_t>(csr.nnz);
    csr.values = make_values<V>(csr.nnz);
    slots_ = slots_of<V>(csr);
    run_on_threads(static_cast<int>(groups_.size()), [&](int g) {
      with_symmetry(header_.symmetry, [&]<Symmetry S>() { scatter<S>(static_cast<std::size_t>(g)); });
    });
    cursors_.clear();
    run_on_threads(threads_, [&](int) { finish_rows(); });
    if (first_overflow_.load() != no_place) return overflow();
    result.duplicates = duplicates_.load();
    if (result.duplicates > 0) csr = without_gaps(csr, result.duplicates);
    if (position_type(csr.nnz) != dtype_of<P>()) narrow_positions(csr);
    return result;
  }

 private:
  static constexpr std::uint64_t no_place = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint32_t gap = std::numeric_limits<std::uint32_t>::max();

  /// Group g counts its entries by row in cursors_[g], the last group in row_ptr shifted by one. Turned into starts and
  /// moved on by the scattering, the last group's cursors end as the row pointers.
  void make_cursors() {
    for (std::size_t g = 0; g + 1 < groups_.size(); ++g) cursors_.emplace_back(header_.rows, P{0});
    std::fill_n(row_ptr_, header_.rows + 1, P{0});
  }
  P* cursor(std::size_t g) { return g < cursors_.size() ? cursors_[g].data() : row_ptr_ + 1; }

  void count(std::size_t g) {
    P* counts = cursor(g);
    const bool mirrored = header_.symmetry != Symmetry::general;
    for_each_block(groups_[g], [&](const EntryBlock& block, const std::uint32_t* rows, const std::uint32_t* cols) {
      for (std::uint64_t k = 0; k < block.entries; ++k) {
        ++counts[rows[k]];
        if (mirrored) counts[cols[k]] += cols[k] != rows[k];
      }
    });
  }

  std::uint64_t counts_to_starts() {
    P start = 0;
    for (std::uint64_t r = 0; r < header_.rows; ++r)
      for (std::size_t g = 0; g < groups_.size(); ++g) start += std::exchange(cursor(g)[r], start);
    return start;
  }

  template <Symmetry S>
  void scatter(std::size_t g) {
    P* next = cursor(g);
    [[maybe_unused]] const MirrorValue<S> mirror(header_.field);
    for_each_block(groups_[g], [&](EntryBlock& block, const std::uint32_t* rows, const std::uint32_t* cols) {
      [[maybe_unused]] const V* values = reinterpret_cast<const V*>(block.values);
      for (std::uint64_t k = 0; k < block.entries; ++k) {
        V value{};
        if constexpr (has_values<V>) value = values[k];
        slots_.set(next[rows[k]]++, cols[k], value);
        if constexpr (S != Symmetry::general)
          if (cols[k] != rows[k]) slots_.set(next[cols[k]]++, rows[k], mirror(value));
      }
      block.memory.reset();
    });
  }

  /// Takes rows in portions until none are left.
  void finish_rows() {
    constexpr std::uint64_t portion = 2048;
    for (;;) {
      const std::uint64_t begin = next_row_.fetch_add(portion, std::memory_order_relaxed);
      if (begin >= header_.rows) return;
      const std::uint64_t end = std::min(begin + portion, header_.rows);
      for (std::uint64_t r = begin; r < end; ++r)
        if (!is_sorted(row_ptr_[r], row_ptr_[r + 1])) sort_and_merge(r);
    }
  }

  [[nodiscard]] bool is_sorted(std::uint64_t begin, std::uint64_t end) const {
    bool sorted = true;
    for (std::uint64_t k = begin + 1; k < end; ++k) sorted &= slots_.cols[k - 1] < slots_.cols[k];
    return sorted;
  }

  void sort_and_merge(std::uint64_t row) {
    const std::uint64_t begin = row_ptr_[row], end = row_ptr_[row + 1];
    constexpr std::uint64_t short_row = 24;
    if (end - begin <= short_row)
      insertion_sort(begin, end);
    else
      sort_by_keys(begin, end);
    merge(row, begin, end);
  }

  void insertion_sort(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t k = begin + 1; k < end; ++k) {
      const std::uint32_t col = slots_.cols[k];
      const V value = slots_.value(k);
      std::uint64_t at = k;
      for (; at > begin && slots_.cols[at - 1] > col; --at) slots_.move(at, at - 1);
      slots_.set(at, col, value);
    }
  }

  /// Sorts by column, equal columns in the order they came.
  void sort_by_keys(std::uint64_t begin, std::uint64_t end) {
    struct Item {
      std::uint32_t col;
      V value;
    };
    std::vector<Item> items;
    items.reserve(end - begin);
    for (std::uint64_t k = begin; k < end; ++k) items.push_back({slots_.cols[k], slots_.value(k)});
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.col < b.col; });
    for (std::uint64_t k = begin; k < end; ++k) slots_.set(k, items[k - begin].col, items[k - begin].value);
  }

  /// Sums neighbours of one column and marks what is left over at the end of the row as gaps.
  void merge(std::uint64_t row, std::uint64_t begin, std::uint64_t end) {
    std::uint64_t last = begin;
    for (std::uint64_t k = begin + 1; k < end; ++k) {
      if (slots_.cols[k] != slots_.cols[last])
        slots_.move(++last, k);
      else if (!add(last, k))
        note_overflow(row, slots_.cols[last]);
    }
    std::fill(slots_.cols + last + 1, slots_.cols + end, gap);
    duplicates_.fetch_add(end - last - 1, std::memory_order_relaxed);
  }

  /// False where the sum is no number that the matrix may hold, while both parts are.
  bool add([[maybe_unused]] std::uint64_t to, [[maybe_unused]] std::uint64_t from) {
    if constexpr (has_values<V>) {
      V& sum = slots_.values[to];
      const V part = slots_.values[from];
      const bool fits = header_.field == Field::integer ? exact_sum(std::real(sum), std::real(part))
                                                        : finite_sum(std::real(sum), std::real(part)) &&
                                                              finite_sum(std::imag(sum), std::imag(part));
      sum += part;
      return fits;
    }
    return true;
  }

  /// Requires: both are integers of at most 2^53 in magnitude, or the sum has failed before.
  static bool exact_sum(double a, double b) {
    if (std::abs(a) > static_cast<double>(largest_exact_integer)) return false;
    return std::abs(static_cast<std::int64_t>(a) + static_cast<std::int64_t>(b)) <= largest_exact_integer;
  }

  /// Infinities and NaNs of the file may remain in the sum.
  static bool finite_sum(double a, double b) { return std::isfinite(a + b) || !std::isfinite(a) || !std::isfinite(b); }

  /// Keeps the first place, whatever thread finds it.
  void note_overflow(std::uint64_t row, std::uint64_t col) {
    const std::uint64_t place = row << 32 | col;
    std::uint64_t first = first_overflow_.load();
    while (place < first && !first_overflow_.compare_exchange_weak(first, place)) {
    }
  }
  [[nodiscard]] Error overflow() const {
    const std::uint64_t place = first_overflow_.load(), row = header_.first_row + (place >> 32),
                        col = place & 0xFFFFFFFFu;
    return {ErrorCode::not_representable,
            "the sum of the duplicates at (" + std::to_string(row + 1) + ", " + std::to_string(col + 1) +
                ") is beyond " +
                (header_.field == Field::integer ? "2^53, where double no longer holds every integer"
                                                 : "the range of double (about 1.8e308)")};
  }

  Csr<Owned> without_gaps(Csr<Owned>& from, std::uint64_t gaps) const {
    Csr<Owned> to;
    to.rows = from.rows;
    to.cols = from.cols;
    to.nnz = from.nnz - gaps;
    to.row_ptr = std::move(from.row_ptr);
    to.col_idx = HostArray<std::uint32_t>(to.nnz);
    to.values = make_values<V>(to.nnz);
    const Slots<V> slots = slots_of<V>(to);
    std::uint64_t at = 0, k = 0;
    for (std::uint64_t r = 0; r < to.rows; ++r) {
      const std::uint64_t end = row_ptr_[r + 1];
      for (; k < end; ++k)
        if (slots_.cols[k] != gap) slots.set(at++, slots_.cols[k], slots_.value(k));
      row_ptr_[r + 1] = static_cast<P>(at);
    }
    return to;
  }

  void narrow_positions(Csr<Owned>& csr) const {
    Positions<Owned> narrow(DType::u32, csr.rows + 1);
    std::transform(row_ptr_, row_ptr_ + csr.rows + 1, narrow.as<std::uint32_t>(),
                   [](P p) { return static_cast<std::uint32_t>(p); });
    csr.row_ptr = std::move(narrow);
  }

  const MatrixHead& header_;
  int threads_;
  std::vector<Group> groups_;
  std::vector<HostArray<P>> cursors_;
  P* row_ptr_ = nullptr;
  Slots<V> slots_{};
  std::atomic<std::uint64_t> next_row_{0}, duplicates_{0}, first_overflow_{no_place};
};

// --- Array files: every entry's place follows from its number.
// ---------------------------------------------------------

template <class V, Symmetry S>
Assembled assemble_full(const MatrixHead& header, std::vector<EntryBlock>& blocks, int threads) {
  constexpr bool skew = S == Symmetry::skew_symmetric;
  const std::uint64_t per_row = skew && header.cols > 0 ? header.cols - 1 : header.cols;
  Assembled result;
  Csr<Owned>& csr = result.csr;
  csr.rows = header.rows;
  csr.cols = header.cols;
  csr.nnz = header.rows * per_row;
  csr.row_ptr = Positions<Owned>(position_type(csr.nnz), header.rows + 1);
  fill_positions(csr.row_ptr, [&]<class P>(P* row_ptr) {
    for (std::uint64_t r = 0; r <= header.rows; ++r) row_ptr[r] = static_cast<P>(r * per_row);
  });
  csr.col_idx = HostArray<std::uint32_t>(csr.nnz);
  csr.values = make_values<V>(csr.nnz);
  const Slots<V> slots = slots_of<V>(csr);
  const auto place = [&](std::uint64_t row, std::uint64_t col, V value) {
    slots.set(row * per_row + col - (skew && col > row), static_cast<std::uint32_t>(col), value);
  };
  const MirrorValue<S> mirror(header.field);
  std::vector<std::uint64_t> first(blocks.size(), 0);
  for (std::size_t b = 1; b < blocks.size(); ++b) first[b] = first[b - 1] + blocks[b - 1].entries;
  std::atomic<std::size_t> next{0};
  run_on_threads(threads, [&](int) {
    for (std::size_t b = next++; b < blocks.size(); b = next++) {
      const V* values = reinterpret_cast<const V*>(blocks[b].values);
      walk_block(header, blocks[b], first[b], [&](std::uint64_t row, std::uint64_t col, std::uint64_t k) {
        place(row, col, values[k]);
        if (S != Symmetry::general && row != col) place(col, row, mirror(values[k]));
      });
      blocks[b].memory.reset();
    }
  });
  return result;
}

}  // namespace

Result<Assembled> assemble_coordinate(const MatrixHead& header, std::vector<EntryBlock>& blocks, int threads) {
  const std::uint64_t most = header.symmetry == Symmetry::general ? header.entries : 2 * header.entries;
  return with_value_type(header.field, [&]<class V>(V) {
    if (position_type(most) == DType::u32) return Assembler<V, std::uint32_t>(header, blocks, threads).run();
    return Assembler<V, std::uint64_t>(header, blocks, threads).run();
  });
}

Result<Matrix> matrix_of_entries(const MatrixHead& head, std::vector<EntryBlock>& blocks, int threads) {
  SPRESS_CHECK(fits_memory(4 * head.rows, "one pointer for each row"));
  SPRESS_TRY(Assembled assembled, assemble_coordinate(head, blocks, thread_count(threads)));
  Matrix matrix;
  matrix.csr = std::move(assembled.csr);
  matrix.info.field = head.field;
  matrix.info.symmetry = head.symmetry;
  matrix.info.stored_entries = head.entries;
  matrix.info.duplicates = assembled.duplicates;
  return matrix;
}

Assembled assemble_array(const MatrixHead& header, std::vector<EntryBlock>& blocks, int threads) {
  return with_symmetry(header.symmetry, [&]<Symmetry S>() {
    if (header.field == Field::complex) return assemble_full<std::complex<double>, S>(header, blocks, threads);
    return assemble_full<double, S>(header, blocks, threads);
  });
}

std::uint64_t first_unreal_diagonal(const MatrixHead& header, const std::vector<EntryBlock>& blocks) {
  std::uint64_t entry = 0, found = header.entries;
  for (const EntryBlock& block : blocks) {
    walk_block(header, block, entry, [&](std::uint64_t row, std::uint64_t col, std::uint64_t k) {
      if (row == col && block.values[2 * k + 1] != 0) found = std::min(found, entry + k);
    });
    entry += block.entries;
  }
  return found;
}

}  // namespace spress::io
