#include <algorithm>
#include <span>
#include <type_traits>

#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/shared/row_sums.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

SPRESS_KERNELS_BEGIN

/// Where the column before the first of a row that begins with `code` would stand if that code, a signed distance to
/// the diagonal, were a gap like those behind it.
template <class Code>
std::int64_t anchor(std::uint64_t row, Code code) {
  return static_cast<std::int64_t>(row) + static_cast<std::make_signed_t<Code>>(code) - std::int64_t{code};
}

template <bool distances, class S, class Code>
SPRESS_INLINE inline auto columns_at(const Code* codes, std::int64_t base, bool far) {
  using Signed = std::make_signed_t<Code>;
  if constexpr (distances)
    return PlainColumns<S, Signed>{reinterpret_cast<const Signed*>(codes), far};
  else
    return GapColumns<S, Code>(codes, base, far);
}

/// The sum of a row of any length, with entries [begin, end). codes: the row's.
template <bool distances, class T, class Code, class Numbers>
__attribute__((noinline)) T sum_long_row(std::uint64_t begin, std::uint64_t end, const Code* codes, std::int64_t base,
                                         bool far, Numbers values, const T* x) {
  using S = RowSimd<T>;
  return sum_by_windows<S>(begin, end, values, columns_at<distances, S>(codes, base, far), x);
}

/// Stored rows that follow one another in one section: row first + i has values [row_ptr[i], row_ptr[i + 1]), and as
/// many codes from row_ptr[i] - first_code on.
template <class Code, class Numbers>
struct SectionRows {
  const std::uint32_t* row_ptr;
  std::uint64_t first, rows;
  std::span<const Code> codes;  // of the section
  std::uint64_t first_code;     // its position as row_ptr counts, modulo 2^64
  Numbers values;
  bool far;  // as far_apart says
};

/// distances: to the diagonal; else gaps.
template <class Shape, bool distances, class T, class Code, class Numbers>
void multiply_rows(const OptCsr<Viewed>& a, SectionRows<Code, Numbers> part, const T* x, T* y) {
  using S = typename Shape::Simd;
  const std::uint64_t first = part.first;
  const std::uint32_t* const row_perm = a.row_perm.empty() ? nullptr : a.row_perm.data() + first;
  const std::uint32_t* const first_col = a.index == IndexMode::delta ? a.first_col.data() + first : nullptr;
  const auto row_at = [=](std::uint64_t i) { return row_perm == nullptr ? first + i : row_perm[i]; };
  sum_rows_together<S>(
      0, part.rows,
      [=](std::uint64_t i) SPRESS_INLINE {
        const std::uint64_t begin = part.row_ptr[i], n = part.row_ptr[i + 1] - begin;
        const std::uint64_t code = begin - part.first_code;
        const Code* const own = part.codes.data() + code;
        std::int64_t base = 0;
        if (distances)
          base = static_cast<std::int64_t>(row_at(i));
        else if (first_col != nullptr)
          base = first_col[i];
        else if (n != 0)
          base = anchor(row_at(i), own[0]);
        const T* const from = distances ? x + base : x;
        if (n > Shape::longest || !Shape::has_room(code + n, part.codes.size()) || (Shape::padded && n == 0))
            [[unlikely]]
          return S::first_lane(sum_long_row<distances>(begin, begin + n, own, base, part.far, part.values, from));
        auto columns = columns_at<distances, S>(own, base, part.far);
        return row_sum<S, Shape::short_rows>(part.values.at(begin, n), columns, n, from);
      },
      [=](std::uint64_t i, auto sums, std::uint64_t n) SPRESS_INLINE {
        if (row_perm == nullptr) return store_sums<S>(y + (first + i), sums, n);
        T each[S::lanes];
        S::store(each, sums);
        for (std::uint64_t j = 0; j < n; ++j) y[row_perm[i + j]] = each[j];
      });
}

/// Stored rows [first, last) of section s with its codes.
template <class T, class Code, class Numbers>
void multiply_section(const OptCsr<Viewed>& a, std::uint64_t s, std::span<const Code> codes, std::uint64_t first,
                      std::uint64_t last, Numbers values, const T* x, T* y) {
  const std::uint64_t from = std::max(first, a.section_start.position(s));
  const std::uint64_t to = std::min(last, a.section_start.position(s + 1));
  if (from >= to) return;
  const std::uint64_t before = a.row_ptr.position(a.section_start.position(s));
  const bool diagonal = a.index == IndexMode::diagonal;
  const bool far = far_apart<T>(codes.size(), a.cols, [=](std::uint64_t k) {
    using Signed = std::make_signed_t<Code>;
    return diagonal ? std::abs(std::int64_t{Signed(codes[k])} - Signed(codes[k - 1])) : std::int64_t{codes[k]};
  });
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    with_row_shape<T>(row_ptr, a.rows, [&](auto shape) {
      with_narrow_positions(row_ptr, from, to, [&](const auto* ptr, auto row, auto rows, auto skip) {
        const SectionRows<Code, Numbers> part{ptr, row, rows, codes, before - skip, values.behind(skip), far};
        if (diagonal)
          multiply_rows<decltype(shape), true>(a, part, x, y);
        else
          multiply_rows<decltype(shape), false>(a, part, x, y);
      });
    });
  });
}

template <class T>
void multiply(const OptCsr<Viewed>& a, const T* x, T* y, int threads) {
  if (a.cols == 0) {  // x may be null
    std::fill_n(y, a.rows, T(0));
    return;
  }
  for_balanced_pieces(a.row_ptr, a.rows, threads, [&](std::uint64_t first, std::uint64_t last) {
    if (first == last) return;
    with_numbers<T>(a.values, a.row_ptr.position(first), a.row_ptr.position(last), [&](auto values) {
      multiply_section(a, 0, std::span(a.col8), first, last, values, x, y);
      multiply_section(a, 1, std::span(a.col16), first, last, values, x, y);
      multiply_section(a, 2, std::span(a.col32), first, last, values, x, y);
    });
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(OptCsr)
