#include "kernels/spmm.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/csr/opt_csr_columns.hpp"

namespace spress::cpu {
namespace {

/// The entries of a group of rows. Places of values in the store are listed unless they follow one another.
class Entries {
 public:
  std::vector<EntryRow> rows;

  /// So many entries, whose columns and places in the store are to be written.
  void begin(std::uint64_t count) {
    begin_side_by_side(count, 0);
    if (slots_.size() < count) slots_.resize(count);
    listed_ = true;
  }
  /// As begin where the value of entry k has place first_slot + k.
  void begin_side_by_side(std::uint64_t count, std::uint64_t first_slot) {
    if (columns_.size() < count) columns_.resize(count);
    begin_in_place(columns_.data(), count, first_slot);
  }
  /// As begin_side_by_side where the matrix itself holds the columns.
  void begin_in_place(const std::uint32_t* columns, std::uint64_t count, std::uint64_t first_slot) {
    from_ = columns;
    count_ = count;
    first_slot_ = first_slot;
    listed_ = false;
  }
  [[nodiscard]] std::uint32_t* columns() { return columns_.data(); }
  [[nodiscard]] std::uint64_t* slots() { return slots_.data(); }

  /// Adds the values: `room` gets those that are not numbers of type T side by side in the store.
  template <class T, class Values>
  [[nodiscard]] EntryRows<T> with_values(const Values& values, std::vector<T>& room) const {
    if constexpr (std::is_same_v<Values, CastAccessor<T, T>>)
      if (!listed_) return {rows, from_, values.codes + first_slot_};
    if (room.size() < count_) room.resize(count_);
    if (listed_) {
      for (const EntryRow& row : rows)
        for (std::uint64_t k = row.begin; k < row.end; ++k) room[k] = values[slots_[k]];
    } else {
      for (std::uint64_t k = 0; k < count_; ++k) room[k] = values[first_slot_ + k];
    }
    return {rows, from_, room.data()};
  }

 private:
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint64_t> slots_;
  const std::uint32_t* from_ = nullptr;
  std::uint64_t count_ = 0, first_slot_ = 0;
  bool listed_ = false;
};

// --- Each format in groups of rows -----------------------------------------------------------------------------------

struct RowRange {
  std::uint64_t first, last;
};

/// Rows that have some 4096 entries together if all are about as long, at most 64: a thread's room then stays in its
/// cache.
template <class Format>
std::uint64_t rows_of_group(const Format& f) {
  const double entries_of_row = static_cast<double>(f.nnz) / static_cast<double>(std::max<std::uint64_t>(f.rows, 1));
  return static_cast<std::uint64_t>(std::clamp(4096 / std::max(entries_of_row, 1.0), 1.0, 64.0));
}
template <class Format>
std::uint64_t groups_of(const Format& f) {
  const std::uint64_t rows = rows_of_group(f);
  return f.rows / rows + (f.rows % rows != 0 ? 1 : 0);
}
template <class Format>
RowRange rows_of(const Format& f, std::uint64_t group) {
  const std::uint64_t rows = rows_of_group(f);
  return {group * rows, std::min(f.rows, (group + 1) * rows)};
}

void read_group(const Csr<Viewed>& f, std::uint64_t group, Entries& out) {
  const auto [first, last] = rows_of(f, group);
  const std::uint64_t begin = f.row_ptr.position(first);
  out.begin_in_place(f.col_idx.data() + begin, f.row_ptr.position(last) - begin, begin);
  for (std::uint64_t r = first; r < last; ++r)
    out.rows.push_back({r, f.row_ptr.position(r) - begin, f.row_ptr.position(r + 1) - begin});
}

void read_group(const OptCsr<Viewed>& f, std::uint64_t group, Entries& out) {
  const RowRange range = rows_of(f, group);
  const std::uint64_t begin = f.row_ptr.position(range.first);
  out.begin_side_by_side(f.row_ptr.position(range.last) - begin, begin);
  const auto read_section = [&](std::size_t s, const auto* codes) {
    const std::uint64_t section = f.section_start.position(s), base = f.row_ptr.position(section);
    const std::uint64_t end = std::min(range.last, f.section_start.position(s + 1));
    for (std::uint64_t i = std::max(range.first, section); i < end; ++i) {
      const std::uint64_t at = f.row_ptr.position(i), count = f.row_ptr.position(i + 1) - at;
      const auto row = f.row_perm.empty() ? static_cast<std::uint32_t>(i) : f.row_perm[i];
      const std::uint32_t first_col = f.index == IndexMode::delta ? f.first_col[i] : 0;
      read_columns(f.index, row, first_col, codes + (at - base), count, out.columns() + (at - begin));
      out.rows.push_back({row, at - begin, at - begin + count});
    }
  };
  read_section(0, f.col8.data());
  read_section(1, f.col16.data());
  read_section(2, f.col32.data());
}

template <class Format>
requires requires(const Format& f) { stretch(f, std::uint64_t{0}); }
void read_group(const Format& f, std::uint64_t group, Entries& out) {
  const auto [first, last] = rows_of(f, group);
  std::uint64_t entries = 0;
  for (std::uint64_t i = first; i < last; ++i) {
    const Stretch s = stretch(f, i);
    const std::uint64_t begin = entries;
    entries += filled(f.col_idx.data(), s);
    out.rows.push_back({s.row, begin, entries});
  }
  out.begin(entries);
  for (std::uint64_t i = first; i < last; ++i) {
    const Stretch s = stretch(f, i);
    const EntryRow& row = out.rows[i - first];
    for (std::uint64_t k = row.begin; k < row.end; ++k) {
      const std::uint64_t slot = s.slot(k - row.begin);
      out.columns()[k] = f.col_idx[slot];
      out.slots()[k] = slot;
    }
  }
}

/// Slices, each a group, and behind them pieces: the first of a row brings the whole row.
std::uint64_t groups_of(const SliceDelta<Viewed>& f) { return items_of(f); }

/// One row: that of piece p, and of the pieces of the same row behind it.
void read_long_row(const SliceDelta<Viewed>& f, std::uint64_t p, Entries& out) {
  const std::uint64_t slices = slices_of(f);
  const auto row = f.long_row[p];
  std::uint64_t last = p + 1;
  while (last < f.long_row.size() && f.long_row[last] == row) ++last;
  out.begin(f.value_start.position(slices + last) - f.value_start.position(slices + p));
  std::uint64_t count = 0;
  for (; p < last; ++p)
    for_each_entry(f, slices + p, [&](std::uint32_t, std::uint32_t column, std::uint64_t slot) {
      out.columns()[count] = column;
      out.slots()[count++] = slot;
    });
  out.rows.push_back({row, 0, count});
}

/// As for_each_entry, but quicker: entry k of each lane goes to place ends[lane]++.
void read_slice(const SliceDelta<Viewed>& f, std::uint64_t slice, std::uint64_t* ends, Entries& out) {
  std::uint32_t columns[slice_rows];
  for (std::uint32_t lane = 0; lane < slice_rows; ++lane) {
    const std::uint64_t stored = slice * slice_rows + lane;
    columns[lane] = stored < f.rows ? first_column(f, row_at(f, stored)) : 0;
  }
  const std::uint32_t* residuals = f.residuals.data() + f.residual_start.position(slice);
  std::uint64_t value = f.value_start.position(slice);
  std::uint32_t* const to = out.columns();
  std::uint64_t* const slots = out.slots();
  SliceReader reader(f.words.data() + f.first_word[slice], f.lane_steps);
  for (SliceTurn turn; reader.next(turn);) {
    const std::uint32_t bits_of_lane = turn.full && turn.packed ? turn.bits_before(4) : 0;
    std::uint64_t before = 0;
    for (std::uint32_t u = 0; u < turn.count; ++u) {
      const std::uint32_t width = turn.width[u], mask = turn.mask[u];
      for (std::uint32_t lane = 0; lane < slice_rows; ++lane) columns[lane] += turn.base[u];
      const std::uint32_t between = turn.full ? bits_of_lane : width;  // bits from one residual to the next
      std::uint32_t bit = width == 0 ? 0 : turn.bits_before(u);
      const std::uint64_t first = turn.lane_by_lane ? value + u : value + before, step = turn.lane_by_lane ? 4 : 1;
      std::uint64_t slot = first;
      for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        if (width != 0) columns[lane] += residual_at(residuals, bit, width);
        bit += between;
        const std::uint64_t k = ends[lane]++;
        to[k] = columns[lane];
        slots[k] = slot;
        slot += step;
      }
      before += (slot - first) / step;
    }
    residuals += turn.residual_words();
    value += before;
  }
}

void read_group(const SliceDelta<Viewed>& f, std::uint64_t group, Entries& out) {
  const std::uint64_t slices = slices_of(f);
  if (group >= slices) {
    const std::uint64_t p = group - slices;
    if (p == 0 || f.long_row[p - 1] != f.long_row[p]) read_long_row(f, p, out);
    return;
  }
  const std::uint64_t room = slice_words::steps(f.words[f.first_word[group] - 1]);  // of a row
  std::uint64_t ends[slice_rows];
  for (std::uint32_t lane = 0; lane < slice_rows; ++lane) ends[lane] = lane * room;
  out.begin(slice_rows * room);
  read_slice(f, group, ends, out);
  const std::uint64_t first = group * slice_rows, last = std::min(f.rows, first + slice_rows);
  for (std::uint64_t i = first; i < last; ++i) {
    const std::uint32_t row = row_at(f, i);
    if (std::binary_search(f.long_row.begin(), f.long_row.end(), row)) continue;  // its pieces bring it
    out.rows.push_back({row, (i - first) * room, ends[i - first]});
  }
}

template <class T>
auto* kernel_of([[maybe_unused]] Isa isa) {
#ifdef __x86_64__
  if (isa == Isa::avx512) return &multiply_entry_rows<Isa::avx512, T>;
  if (isa == Isa::avx2) return &multiply_entry_rows<Isa::avx2, T>;
#endif
  return &multiply_entry_rows<Isa::portable, T>;
}

}  // namespace

template <class T, template <class> class F>
void spmm(const F<Viewed>& a, std::uint64_t count, RowMajor<const T> x, RowMajor<T> y, int threads) {
  struct Room {
    Entries entries;
    std::vector<T> values;
  };
  const int workers = thread_count(threads);
  std::vector<Room> rooms(static_cast<std::size_t>(workers));
  const auto multiply = kernel_of<T>(isa());
  with_accessor<T>(a.values, [&](auto values) {
    parallel_for_dynamic(groups_of(a), workers, [&](std::uint64_t group, std::size_t worker) {
      Room& room = rooms[worker];
      room.entries.rows.clear();
      read_group(a, group, room.entries);
      multiply(room.entries.template with_values<T>(values, room.values), count, x, y);
    });
  });
}

#define SPRESS_SPMM(F)                                                                                           \
  template void spmm<double, F>(const F<Viewed>&, std::uint64_t, RowMajor<const double>, RowMajor<double>, int); \
  template void spmm<float, F>(const F<Viewed>&, std::uint64_t, RowMajor<const float>, RowMajor<float>, int);
SPRESS_SPMM_FORMATS(SPRESS_SPMM)
#undef SPRESS_SPMM

}  // namespace spress::cpu
