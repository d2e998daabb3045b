#include "formats/bsr/bsr.hpp"

#include <algorithm>

#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/shared/zero_filling.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

constexpr std::uint64_t slots_ahead = 512;  // of values: what prefetchers of the processor leave to wish for

/// The sums of the rows of a block row, in as many lanes as a vector has that holds r.
template <int r, class T>
struct Sums {
  static constexpr int lanes = r > 4 ? 8 : r > 2 ? 4 : r;
  T lane[lanes] = {};

  /// Adds a column of a block, whose values begin at value slot v. Lanes behind row r add what comes behind the column,
  /// and mean nothing. Requires: so many values are there.
  template <class Values>
  [[gnu::always_inline]] void add(Values values, std::uint64_t v, T factor) {
    for (int i = 0; i < lanes; ++i) lane[i] += values[v + static_cast<std::uint64_t>(i)] * factor;
  }
  /// Adds a column, too, but reads r values alone.
  template <class Values>
  [[gnu::always_inline]] void add_last(Values values, std::uint64_t v, T factor) {
    for (int i = 0; i < r; ++i) lane[i] += values[v + static_cast<std::uint64_t>(i)] * factor;
  }
};

/// Multiplies by the bits of `present`: where code 0 is not the number 0, or filling has met an element of x that is
/// not finite.
template <class T, class Values>
void multiply_by_bits(const Bsr<Viewed>& a, Values values, const T* x, T* y, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t i = first; i < last; ++i) {
    T sums[Bsr<>::largest_side] = {};
    for (std::uint64_t b = a.block_ptr.position(i); b < a.block_ptr.position(i + 1); ++b) {
      std::uint64_t slot = b * a.slots_of_block(), col = std::uint64_t{a.block_col[b]} * a.c;
      for (std::uint32_t j = 0; j < a.c; ++j, ++col)
        for (std::uint32_t row = 0; row < a.r; ++row, ++slot)
          if (a.has_entry(slot)) sums[row] += values[slot] * x[col];
    }
    for (std::uint64_t row = i * a.r, n = 0; n < a.r && row < a.rows; ++n, ++row) y[row] = sums[n];
  }
}

/// Block rows [first, last) of blocks of r rows, and as many columns where `square`. Columns are added in turn to two
/// sums of each row, so that an addition does not wait for the one before. Filling times an infinite element of x is
/// NaN, so a block row with NaN among its sums is multiplied again without its filling.
template <int r, bool square, class T, class Values>
void multiply_block_rows(const Bsr<Viewed>& a, Values values, const T* x, T* y, std::uint64_t first,
                         std::uint64_t last) {
  const std::uint64_t c = square ? r : a.c;
  const std::uint32_t* const block_col = a.block_col.data();
  for (std::uint64_t i = first; i < last; ++i) {
    Sums<r, T> even, odd;
    const std::uint64_t end = a.block_ptr.position(i + 1);
    for (std::uint64_t b = a.block_ptr.position(i); b < end; ++b) {
      const std::uint64_t col = block_col[b] * c;
      std::uint64_t v = b * r * c, j = 0;
      if (b + 1 == a.blocks || col + c > a.cols) {
        for (; j < std::min(c, a.cols - col); ++j, v += r) even.add_last(values, v, x[col + j]);
        break;
      }
      prefetch_values(values, v + slots_ahead, r * c);
      for (; j + 1 < c; j += 2, v += 2 * r) {
        even.add(values, v, x[col + j]);
        odd.add(values, v + r, x[col + j + 1]);
      }
      if (j < c) even.add(values, v, x[col + j]);
    }
    const std::uint64_t rows = std::min<std::uint64_t>(r, a.rows - i * r);
    bool are_numbers = true;
    for (std::uint64_t row = 0; row < rows; ++row) {
      const T sum = even.lane[row] + odd.lane[row];
      are_numbers &= sum == sum;
      y[i * r + row] = sum;
    }
    if (!are_numbers && !a.present.empty()) multiply_by_bits(a, values, x, y, i, i + 1);
  }
}

template <int r>
struct Side {};

template <class T, class Values>
void multiply_block_rows(const Bsr<Viewed>& a, Values values, const T* x, T* y, std::uint64_t first,
                         std::uint64_t last) {
  if constexpr (!zero_is_zero<Values>)
    if (!a.present.empty()) return multiply_by_bits(a, values, x, y, first, last);
  const auto rows_of = [&]<int r>(Side<r>) {
    if (a.c == r) return multiply_block_rows<r, true>(a, values, x, y, first, last);
    multiply_block_rows<r, false>(a, values, x, y, first, last);
  };
  switch (a.r) {
    case 1: return rows_of(Side<1>{});
    case 2: return rows_of(Side<2>{});
    case 3: return rows_of(Side<3>{});
    case 4: return rows_of(Side<4>{});
    case 5: return rows_of(Side<5>{});
    case 6: return rows_of(Side<6>{});
    case 7: return rows_of(Side<7>{});
    default: return rows_of(Side<8>{});
  }
}

template <class T>
void multiply(const Bsr<Viewed>& a, const T* x, T* y, int threads) {
  with_accessor<T>(a.values, [&](auto values) {
    for_balanced_pieces(a.block_ptr, a.block_rows(), threads, [&](std::uint64_t first, std::uint64_t last) {
      multiply_block_rows(a, values, x, y, first, last);
    });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Bsr)
