#include "formats/yaspmv/yaspmv.hpp"

#include <algorithm>
#include <array>

#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/shared/zero_filling.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

constexpr std::uint64_t lanes = Yaspmv<>::lanes;  // from one value of a block to the next

/// Adds r x c products of a block whose value 0 stands in `slot`, and whose columns begin at x. by_bits: only where an
/// entry is.
template <int r, bool by_bits, class T, class Values>
[[gnu::always_inline]] inline void add_block(const Yaspmv<Viewed>& a, Values values, std::uint64_t slot,
                                             std::uint64_t columns, const T* x, std::array<T, r>& sums) {
  for (std::uint64_t j = 0; j < columns; ++j)
    for (int i = 0; i < r; ++i, slot += lanes)
      if (!by_bits || a.has_entry(slot)) sums[static_cast<std::size_t>(i)] += values[slot] * x[j];
}

/// The block rows that begin in groups [first, last). All others that have blocks are left as they are. Answers whether
/// all sums are numbers.
template <int r, bool by_bits, class T, class Values>
bool multiply_groups(const Yaspmv<Viewed>& a, Values values, const T* x, T* y, std::uint64_t first,
                     std::uint64_t last) {
  std::array<T, r> sums = {};
  bool are_numbers = true;
  for_each_block(a, first, last, [&](std::uint64_t h, std::uint64_t b, std::uint32_t column) {
    const std::uint64_t col = std::uint64_t{column} * a.c;
    add_block<r, by_bits>(a, values, a.first_slot(b), std::min<std::uint64_t>(a.c, a.cols - col), x + col, sums);
    if (!a.ends_row(b)) return;
    const std::uint64_t row = a.block_row_at(h) * r;
    std::copy_n(sums.begin(), std::min<std::uint64_t>(r, a.rows - row), y + row);
    for (const T sum : sums) are_numbers &= sum == sum;
    sums = {};
  });
  return are_numbers;
}

/// Zeros for the block rows without blocks.
template <class T>
void clear_empty_rows(const Yaspmv<Viewed>& a, T* y) {
  if (a.block_row.empty() && a.blocks > 0) return;
  std::fill_n(y, a.rows, T(0));
}

template <int r>
struct Side {};

template <class T>
void multiply(const Yaspmv<Viewed>& a, const T* x, T* y, int threads) {
  clear_empty_rows(a, y);
  const std::uint64_t groups = a.groups(), pieces = static_cast<std::uint64_t>(thread_count(threads));
  with_accessor<T>(a.values, [&]<class Values>(Values values) {
    const auto rows_of = [&]<int r>(Side<r>) {
      parallel_for(pieces, thread_count(threads), [&](std::uint64_t p) {
        const std::uint64_t first = groups * p / pieces, last = groups * (p + 1) / pieces;
        if (first == last) return;
        // Filling times an infinite element of x is NaN: such sums are made again without it.
        const bool by_zeros = zero_is_zero<Values> || a.present.empty();
        if (by_zeros && (multiply_groups<r, false>(a, values, x, y, first, last) || a.present.empty())) return;
        multiply_groups<r, true>(a, values, x, y, first, last);
      });
    };
    switch (a.r) {
      case 1: return rows_of(Side<1>{});
      case 2: return rows_of(Side<2>{});
      case 3: return rows_of(Side<3>{});
      default: return rows_of(Side<4>{});
    }
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Yaspmv)
