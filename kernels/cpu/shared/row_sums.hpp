// Sums of the rows of compressed layouts: a vector of partial sums for each row, and those of several rows added up
// together. Between gathers nothing is stored: they wait for stores before them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/shared/windows.hpp"
#include "kernels/cpu/simd/simd_sums.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

#define SPRESS_INLINE __attribute__((always_inline))

/// Entries ahead that are fetched while a long row is summed: processors do not foresee the next page of an array.
inline constexpr std::uint64_t fetch_ahead = 256;

/// Columns as they stand, or as signed distances from where x points. `codes`: the next one; far: as far_apart says.
template <class S, class Code>
struct PlainColumns {
  const Code* codes;
  bool far = false;
  template <class T, class... Mask>
  auto gather(const T* x, Mask... mask) {
    return gather_codes<S>(x, codes, far, mask...);
  }
  std::int64_t next() { return *codes++; }
};

/// Columns by gaps from the one before; `at` is the column before the next.
template <class S, class Code>
struct GapColumns {
  const Code* codes;
  typename S::Ids at;
  bool far;
  GapColumns(const Code* first, std::int64_t before, bool are_far)
      : codes(first), at(S::ids_at(before)), far(are_far) {}
  template <class T, class... Mask>
  auto gather(const T* x, Mask... mask) {
    const auto columns = S::add(S::running(S::ids(codes, mask...)), at);
    at = S::last(columns);
    return gather_ids<S>(x, columns, far, mask...);
  }
  std::int64_t next() {
    at = S::ids_at(S::id(at) + static_cast<std::int64_t>(*codes++));
    return S::id(at);
  }
};

/// The same where bytes have a shorter way.
template <class S>
requires requires { typename S::WideIds; }
struct GapColumns<S, std::uint8_t> {
  const std::uint8_t* codes;
  typename S::WideIds at;
  GapColumns(const std::uint8_t* first, std::int64_t before, bool) : codes(first), at(S::wide_ids_at(before)) {}
  template <class T, class... Mask>
  auto gather(const T* x, Mask... mask) {
    const auto columns = S::add(S::running(codes, mask...), at);
    at = S::last(columns);
    return S::gather(x, columns, mask...);
  }
};

/// A vector whose lanes add up to the sum of values[k] * x[column k] over k < n. Columns then stand behind these n, but
/// for a short_row: one of no more than S::lanes.
template <class S, bool short_row, class T, class Columns>
SPRESS_INLINE inline typename S::Vector row_sum(const T* values, Columns& columns, std::uint64_t n, const T* x) {
  if constexpr (S::has_masks) {  // what fills no vector comes first, so that a row of few entries runs straight through
    const std::uint64_t head = short_row ? n : n - ((n - (n != 0 ? 1 : 0)) & ~std::uint64_t{S::lanes - 1});
    const auto mask = S::first(head);
    auto sums = S::mul(S::load(values, mask), columns.gather(x, mask));
    if constexpr (short_row) return sums;
    const T* const end = values + n;
    values += head;
    columns.codes += head;
    for (; values < end; values += S::lanes, columns.codes += S::lanes) {
      __builtin_prefetch(values + fetch_ahead);
      __builtin_prefetch(columns.codes + fetch_ahead);
      sums = S::fma(S::load(values), columns.gather(x), sums);
    }
    return sums;
  } else {
    auto sums = S::zero();
    for (; n >= std::uint64_t{S::lanes}; n -= S::lanes, values += S::lanes, columns.codes += S::lanes)
      sums = S::fma(S::load(values), columns.gather(x), sums);
    if (n == 0) return sums;
    T tail = 0;
    for (; n != 0; --n, ++values) tail += *values * x[columns.next()];
    return S::fma(S::splat(T(1)), S::first_lane(tail), sums);
  }
}

/// The sum of entries [begin, end) of one row, of which `columns` says the columns from the first on: a window at a
/// time, however many there are.
template <class S, class T, class Numbers, class Columns>
SPRESS_INLINE inline T sum_by_windows(std::uint64_t begin, std::uint64_t end, Numbers values, Columns columns,
                                      const T* x) {
  T sum = 0;
  for (std::uint64_t n = 0; begin < end; begin += n) {
    n = std::min(window_size, end - begin);
    sum += S::sum(row_sum<S, false>(values.at(begin, n), columns, n, x));
  }
  return sum;
}

/// The same for columns as they stand in col_idx: what is rare in a kernel, and not compiled into it.
template <class T, class Numbers>
__attribute__((noinline)) T sum_entries(std::uint64_t begin, std::uint64_t end, const std::uint32_t* col_idx,
                                        Numbers values, const T* x, bool far) {
  using S = RowSimd<T>;
  return sum_by_windows<S>(begin, end, values, PlainColumns<S, std::uint32_t>{col_idx + begin, far}, x);
}

/// Calls write(i, sums, n) for rows i..i+n-1 of first..last-1 with their sums in the lanes; row(i) gives the vector
/// whose lanes add up to the sum of row i. A row is added up in the same way wherever `first` is.
template <class S, class Row, class Write>
SPRESS_INLINE inline void sum_rows_together(std::uint64_t first, std::uint64_t last, Row row, Write write) {
  constexpr std::uint64_t lanes = S::lanes;
  std::uint64_t i = first;
  for (; i + lanes <= last; i += lanes) {
    typename S::Vector v[lanes];
#pragma GCC unroll 16
    for (std::uint64_t j = 0; j < lanes; ++j) v[j] = row(i + j);
    write(i, S::sums(v), lanes);
  }
  if (i == last) return;
  typename S::Vector v[lanes];
  for (auto& sum : v) sum = S::zero();
#pragma GCC unroll 1
  for (std::uint64_t j = 0; i + j < last; ++j) v[j] = row(i + j);
  write(i, S::sums(v), last - i);
}

/// Calls use(row_ptr, first, n, skip) for rows [first, last), n at a time, with 32-bit positions: row first + i begins
/// at entry row_ptr[i] + skip. Wide positions are narrowed in pieces, so that kernels are compiled for one width.
template <class Position, class Use>
SPRESS_INLINE inline void with_narrow_positions(const Position* row_ptr, std::uint64_t first, std::uint64_t last,
                                                Use&& use) {
  if constexpr (sizeof(Position) == sizeof(std::uint32_t)) {
    use(row_ptr + first, first, last - first, std::uint64_t{0});
  } else {
    std::uint32_t narrow[513];
    for (std::uint64_t n = 0; first < last; first += n) {
      const std::uint64_t skip = row_ptr[first], most = std::min<std::uint64_t>(std::size(narrow) - 1, last - first);
      const auto fits = [&](std::uint64_t i) { return row_ptr[first + i] - skip <= 0xFFFFFFFF; };
      for (n = most; n > 1 && !fits(n);) n /= 2;  // a row has fewer entries than 2^32
      for (std::uint64_t i = 0; i <= n; ++i) narrow[i] = static_cast<std::uint32_t>(row_ptr[first + i] - skip);
      use(narrow, first, n, skip);
    }
  }
}

/// Stores the first n lanes.
template <class S, class T, class Sums>
SPRESS_INLINE inline void store_sums(T* y, Sums sums, std::uint64_t n) {
  if (n == S::lanes)
    S::store(y, sums);
  else
    S::store(y, sums, n);
}

/// How the rows of a matrix are summed: by vectors of S. are_short: those that fill more than one vector are the
/// exception. padded: a vector may read behind the end of a row, which the last rows of the arrays do not allow.
template <class S, bool are_short, bool is_padded = false>
struct RowShape {
  using Simd = S;
  static constexpr bool short_rows = are_short, padded = is_padded;
  static constexpr std::uint64_t longest = are_short ? std::uint64_t{S::lanes} : window_size;

  /// Whether S may sum a row that ends at `end`: what it reads behind that lies within arrays of `entries`.
  static constexpr bool has_room(std::uint64_t end, std::uint64_t entries) {
    return !is_padded || end + std::uint64_t{S::lanes} <= entries;
  }
};

/// Whether holds(row) is true for so many sixteenths of a sample of 64 rows. The rows are not equally far apart: in a
/// grid all of them would stand at the ends of lines.
template <class Holds>
bool most_rows(std::uint64_t rows, std::uint64_t sixteenths, Holds&& holds) {
  const std::uint64_t sample = std::min<std::uint64_t>(rows, 64);
  std::uint64_t good = 0;
  for (std::uint64_t i = 0; i < sample; ++i) {
    const std::uint64_t apart = rows / sample, within = (i * 0x9E3779B97F4A7C15 >> 32) % apart;
    good += holds(apart * i + within) ? 1 : 0;
  }
  return 16 * good >= sixteenths * sample;
}

/// Calls use(RowShape) with the shape for rows as those of row_ptr.
/// With masks: the narrowest vectors that nearly all rows fit into, since a row that takes more vectors than the one
/// before it costs a misprediction.
/// Without: padded vectors where row lengths vary. The loop over the entries that fill no vector would cost a
/// misprediction in nearly every such row, which doubles the time of a circuit.
template <class T, class Position, class Use>
void with_row_shape(const Position* row_ptr, std::uint64_t rows, Use&& use) {
  [[maybe_unused]] const auto length = [&](std::uint64_t row) { return row_ptr[row + 1] - row_ptr[row]; };
#if SPRESS_ISA_LEVEL == 2
  const auto fit = [&](std::uint64_t lanes) {
    return most_rows(rows, 15, [&](std::uint64_t row) { return length(row) <= lanes; });
  };
  if (fit(4)) return use(RowShape<RowSimd<T, 4>, true>{});
  if (fit(8)) return use(RowShape<RowSimd<T, 8>, true>{});
#elif SPRESS_ISA_LEVEL == 1
  // Lengths that recur at every eighth row are those of what 8 x 8 blocks leave of a grid.
  const auto foreseen = [&](std::uint64_t apart) {
    return most_rows(rows, 12,
                     [&](std::uint64_t row) { return row + apart >= rows || length(row) == length(row + apart); });
  };
  if (!foreseen(1) && !foreseen(8)) return use(RowShape<PaddedSimd<T>, false, true>{});
#else
  static_cast<void>(rows);
#endif
  use(RowShape<RowSimd<T>, false>{});
}

SPRESS_KERNELS_END
