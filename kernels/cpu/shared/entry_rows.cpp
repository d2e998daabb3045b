#include "kernels/cpu/shared/entry_rows.hpp"

#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// Columns [j, j + vectors * lanes) of one row of y.
template <int vectors, class T>
void sum_columns(const EntryRows<T>& a, EntryRow row, RowMajor<const T> x, std::uint64_t j, T* y) {
  using S = Simd<T>;
  typename S::Vector sums[vectors];
  for (int v = 0; v < vectors; ++v) sums[v] = S::zero();
  for (std::uint64_t k = row.begin; k < row.end; ++k) {
    const auto value = S::splat(a.values[k]);
    const T* const from = x.row(a.columns[k]) + j;
    for (int v = 0; v < vectors; ++v) sums[v] = S::fma(value, S::load(from + v * S::lanes), sums[v]);
  }
  for (int v = 0; v < vectors; ++v) S::store(y + j + v * S::lanes, sums[v]);
}

template <class T>
T sum_column(const EntryRows<T>& a, EntryRow row, RowMajor<const T> x, std::uint64_t j) {
  T sum = 0;
  for (std::uint64_t k = row.begin; k < row.end; ++k) sum += a.values[k] * x.row(a.columns[k])[j];
  return sum;
}

template <class T>
void multiply_rows(const EntryRows<T>& a, std::uint64_t count, RowMajor<const T> x, RowMajor<T> y) {
  constexpr std::uint64_t lanes = Simd<T>::lanes;
  for (const EntryRow& row : a.rows) {
    T* const to = y.row(row.row);
    std::uint64_t j = 0;
    for (; count - j >= 4 * lanes; j += 4 * lanes) sum_columns<4>(a, row, x, j, to);
    for (; count - j >= lanes; j += lanes) sum_columns<1>(a, row, x, j, to);
    for (; j < count; ++j) to[j] = sum_column(a, row, x, j);
  }
}

SPRESS_KERNELS_END

namespace spress::cpu {

#define SPRESS_ENTRY_ROWS(T)                                                                                    \
  template <>                                                                                                   \
  void multiply_entry_rows<Isa::SPRESS_ISA, T>(const EntryRows<T>& a, std::uint64_t count, RowMajor<const T> x, \
                                               RowMajor<T> y) {                                                 \
    SPRESS_ISA::multiply_rows(a, count, x, y);                                                                  \
  }
SPRESS_ENTRY_ROWS(float)
SPRESS_ENTRY_ROWS(double)
#undef SPRESS_ENTRY_ROWS

}  // namespace spress::cpu
