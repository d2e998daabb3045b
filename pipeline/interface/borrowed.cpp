#include "pipeline/interface/borrowed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <vector>

#include "formats/core/threads.hpp"

namespace spress::interface {
namespace {

constexpr std::int64_t most_ids = std::numeric_limits<std::int32_t>::max();

Error out_of_range(std::string what) { return {ErrorCode::out_of_range, std::move(what)}; }

bool is_position(spress_type type) { return type == SPRESS_INT32 || type == SPRESS_INT64; }

Status check_sizes(const spress_arrays& a) {
  if (a.rows < 0 || a.cols < 0 || a.nnz < 0)
    return out_of_range(fmt::format("a shape of {} x {} with {} entries is none", a.rows, a.cols, a.nnz));
  if (a.rows > most_ids || a.cols > most_ids)
    return Error{ErrorCode::too_large,
                 fmt::format("{} x {}: a side has at most {} rows or columns", a.rows, a.cols, most_ids)};
  if (!is_position(a.row_ptr_type) || !is_position(a.col_idx_type))
    return Error{ErrorCode::usage, "row_ptr and col_idx are SPRESS_INT32 or SPRESS_INT64"};
  const bool values =
      a.values_type == SPRESS_FLOAT || a.values_type == SPRESS_DOUBLE || a.values_type == SPRESS_COMPLEX;
  if (!values && a.values_type != SPRESS_NONE)
    return Error{ErrorCode::usage, "values are SPRESS_NONE, SPRESS_FLOAT, SPRESS_DOUBLE or SPRESS_COMPLEX"};
  SPRESS_CHECK(given(a.row_ptr, "row_ptr"));
  if (a.nnz > 0) SPRESS_CHECK(given(a.col_idx, "col_idx"));
  if (a.nnz > 0 && values) SPRESS_CHECK(given(a.values, "values"));
  return Ok{};
}

/// Calls use with the elements of an array of positions, typed.
template <class Use>
auto with_typed(const void* array, spress_type type, Use&& use) {
  return type == SPRESS_INT32 ? use(static_cast<const std::int32_t*>(array))
                              : use(static_cast<const std::int64_t*>(array));
}

template <class Position>
Status check_row_ptr(const Position* row_ptr, std::int64_t rows, std::int64_t nnz) {
  if (row_ptr[0] != 0 || row_ptr[rows] != nnz)
    return out_of_range(
        fmt::format("row_ptr goes from {} to {}; expected 0 to {} entries", row_ptr[0], row_ptr[rows], nnz));
  for (std::int64_t r = 0; r < rows; ++r)
    if (row_ptr[r + 1] < row_ptr[r]) return out_of_range(fmt::format("row_ptr descends in row {}", r));
  return Ok{};
}

/// What a pass over all columns finds.
struct Columns {
  std::atomic<std::int64_t> bad_row = -1;  ///< some row with a column out of range
  std::atomic<bool> ascending = true;      ///< strictly, in every row
};

template <class Position, class Id>
void check_columns(const Position* row_ptr, const Id* col_idx, std::int64_t rows, std::int64_t cols, Columns& seen) {
  const int threads = threads_worth(0, static_cast<std::uint64_t>(row_ptr[rows]));
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t r = 0; r < rows; ++r) {
    bool inside = true, ascending = true;
    for (Position k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
      inside = inside && col_idx[k] >= 0 && static_cast<std::int64_t>(col_idx[k]) < cols;
      ascending = ascending && (k == row_ptr[r] || col_idx[k] > col_idx[k - 1]);
    }
    if (!inside) seen.bad_row.store(r, std::memory_order_relaxed);
    if (!ascending) seen.ascending.store(false, std::memory_order_relaxed);
  }
}

/// Puts the entries of each row in the order of their columns, equal ones as they stand: order[k] is the place of what
/// comes k-th. Returns row pointers that count equal ones once.
template <class Position, class Id>
HostArray<std::uint64_t> order_rows(const Position* row_ptr, const Id* col_idx, std::int64_t rows,
                                    HostArray<std::uint64_t>& order) {
  HostArray<std::uint64_t> kept(static_cast<std::size_t>(rows) + 1, 0);
  const auto before = [&](std::uint64_t a, std::uint64_t b) {
    return col_idx[a] < col_idx[b] || (col_idx[a] == col_idx[b] && a < b);
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto first = static_cast<std::uint64_t>(row_ptr[r]), last = static_cast<std::uint64_t>(row_ptr[r + 1]);
    std::iota(order.data() + first, order.data() + last, first);
    std::sort(order.data() + first, order.data() + last, before);
    for (std::uint64_t k = first; k < last; ++k)
      kept[static_cast<std::size_t>(r) + 1] += k == first || col_idx[order[k]] != col_idx[order[k - 1]] ? 1 : 0;
  }
  std::partial_sum(kept.begin(), kept.end(), kept.begin());
  return kept;
}

bool is_finite(const std::complex<double>& value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }
template <class Real>
bool is_finite(Real value) {
  return std::isfinite(value);
}

/// The entries of a copy: where they go, and what is done with numbers that meet.
template <class Value>
struct Summed {
  const Value* from;
  Value* to;
  std::atomic<bool> overflown = false;

  void put(std::uint64_t at, std::uint64_t k) { to[at] = from[k]; }
  void add(std::uint64_t at, std::uint64_t k) {
    const Value sum = to[at] + from[k];
    if (!is_finite(sum) && is_finite(to[at]) && is_finite(from[k])) overflown.store(true, std::memory_order_relaxed);
    to[at] = sum;
  }
};
struct NothingSummed {
  std::atomic<bool> overflown = false;
  void put(std::uint64_t, std::uint64_t) {}
  void add(std::uint64_t, std::uint64_t) {}
};

template <class Position, class Id, class Numbers>
void fill_rows(const Position* row_ptr, const Id* col_idx, const HostArray<std::uint64_t>& order,
               const HostArray<std::uint64_t>& kept, HostArray<std::uint32_t>& columns, Numbers& numbers) {
  const auto rows = static_cast<std::int64_t>(kept.size()) - 1;
#pragma omp parallel for schedule(static)
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto first = static_cast<std::uint64_t>(row_ptr[r]), last = static_cast<std::uint64_t>(row_ptr[r + 1]);
    std::uint64_t at = kept[static_cast<std::size_t>(r)];
    for (std::uint64_t k = first; k < last; ++k) {
      if (k > first && col_idx[order[k]] == col_idx[order[k - 1]]) {
        numbers.add(at - 1, order[k]);
        continue;
      }
      columns[at] = static_cast<std::uint32_t>(col_idx[order[k]]);
      numbers.put(at++, order[k]);
    }
  }
}

/// Calls use with numbers of the type of the caller's values.
template <class Use>
auto with_numbers(const spress_arrays& a, ValueStore<Owned>& to, Use&& use) {
  const auto summed = [&]<class Value>(Value) {
    to = uninitialised_raw_store(value_type_of<Value>, to.count);
    Summed<Value> numbers{static_cast<const Value*>(a.values), to.codes.template as<Value>()};
    return use(numbers);
  };
  switch (a.values_type) {
    case SPRESS_FLOAT: return summed(float{});
    case SPRESS_DOUBLE: return summed(double{});
    case SPRESS_COMPLEX: return summed(std::complex<double>{});
    default: break;
  }
  to = pattern_store(to.count);
  NothingSummed none;
  return use(none);
}

/// A copy with sorted rows. Errors: not_representable where finite duplicates add up to what is not.
template <class Position, class Id>
Result<Csr<Owned>> sorted_copy(const spress_arrays& a, const Position* row_ptr, const Id* col_idx) {
  HostArray<std::uint64_t> order(static_cast<std::size_t>(a.nnz));
  const auto kept = order_rows(row_ptr, col_idx, a.rows, order);
  Csr<Owned> out;
  out.rows = static_cast<std::uint64_t>(a.rows);
  out.cols = static_cast<std::uint64_t>(a.cols);
  out.nnz = kept[kept.size() - 1];
  out.row_ptr = Positions<Owned>(position_type(out.nnz), kept.size());
  fill_positions(out.row_ptr, [&](auto* to) { std::copy(kept.begin(), kept.end(), to); });
  out.col_idx = HostArray<std::uint32_t>(out.nnz);
  out.values.count = out.nnz;
  const bool overflown = with_numbers(a, out.values, [&](auto& numbers) {
    fill_rows(row_ptr, col_idx, order, kept, out.col_idx, numbers);
    return numbers.overflown.load();
  });
  if (overflown)
    return Error{ErrorCode::not_representable, "duplicate entries add up to more than the value type holds"};
  return out;
}

ValueType value_type(spress_type type) {
  switch (type) {
    case SPRESS_FLOAT: return ValueType::f32;
    case SPRESS_DOUBLE: return ValueType::f64;
    case SPRESS_COMPLEX: return ValueType::c128;
    default: return ValueType::none;
  }
}

/// The caller's arrays as they are; `row_ptr` holds the row pointers where they had 64 bits without need.
Csr<Viewed> view_of_caller(const spress_arrays& a, Positions<Owned>& row_ptr) {
  Csr<Viewed> view;
  view.rows = static_cast<std::uint64_t>(a.rows);
  view.cols = static_cast<std::uint64_t>(a.cols);
  view.nnz = static_cast<std::uint64_t>(a.nnz);
  const DType wanted = position_type(view.nnz);
  if (a.row_ptr_type == SPRESS_INT64 && wanted == DType::u32) {
    const auto* from = static_cast<const std::int64_t*>(a.row_ptr);
    row_ptr = Positions<Owned>(DType::u32, view.rows + 1);
    std::transform(from, from + view.rows + 1, row_ptr.as<std::uint32_t>(),
                   [](std::int64_t position) { return static_cast<std::uint32_t>(position); });
    view.row_ptr.bind(DType::u32, row_ptr.raw(), row_ptr.size());
  } else {
    view.row_ptr.bind(wanted, a.row_ptr, view.rows + 1);
  }
  view.col_idx.bind(DType::u32, a.col_idx, view.nnz);
  view.values.type = value_type(a.values_type);
  view.values.count = view.nnz;
  if (view.values.type != ValueType::none)
    view.values.codes.bind(dtype_of_values(view.values.type), a.values, view.nnz);
  return view;
}

/// What a matrix in memory says of itself: nothing but the type of its numbers.
void describe(const spress_arrays& a, spress_csr& csr) {
  csr.info.name = "matrix";
  csr.info.field = a.values_type == SPRESS_COMPLEX ? Field::complex
                   : a.values_type == SPRESS_NONE  ? Field::pattern
                                                   : Field::real;
  csr.info.stored_entries = static_cast<std::uint64_t>(a.nnz);
  csr.info.duplicates = static_cast<std::uint64_t>(a.nnz) - csr.view.nnz;
  csr.field = enum_name(csr.info.field);
  csr.symmetry = enum_name(csr.info.symmetry);
}

template <class Position, class Id>
Result<std::unique_ptr<spress_csr>> borrow_typed(const spress_arrays& a, const Position* row_ptr, const Id* col_idx) {
  SPRESS_CHECK(check_row_ptr(row_ptr, a.rows, a.nnz));
  Columns columns;
  check_columns(row_ptr, col_idx, a.rows, a.cols, columns);
  if (columns.bad_row >= 0)
    return out_of_range(
        a.cols == 0
            ? fmt::format("row {} has a column, and the matrix has none", columns.bad_row.load())
            : fmt::format("row {} has a column out of range; expected 0 to {}", columns.bad_row.load(), a.cols - 1));
  auto csr = std::make_unique<spress_csr>();
  if (sizeof(Id) == 4 && columns.ascending) {
    csr->view = view_of_caller(a, csr->row_ptr);
  } else {
    SPRESS_TRY(csr->owned, sorted_copy(a, row_ptr, col_idx));
    csr->view = view_of(csr->owned);
  }
  describe(a, *csr);
  fill_shown(*csr);
  return csr;
}

}  // namespace

Result<std::unique_ptr<spress_csr>> borrow(const spress_arrays& arrays) {
  SPRESS_CHECK(check_sizes(arrays));
  return with_typed(arrays.row_ptr, arrays.row_ptr_type, [&](const auto* row_ptr) {
    return with_typed(arrays.col_idx, arrays.col_idx_type,
                      [&](const auto* col_idx) { return borrow_typed(arrays, row_ptr, col_idx); });
  });
}

}  // namespace spress::interface
