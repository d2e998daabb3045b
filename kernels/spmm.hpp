// Products with blocks of vectors on the CPU, for which a matrix is read once.
#pragma once

#include <cstdint>

#include "formats/list.hpp"
#include "kernels/cpu/shared/entry_rows.hpp"

namespace spress::cpu {

/// The formats that spmm takes. Others are multiplied with one vector after another.
#define SPRESS_SPMM_FORMATS(ROW) ROW(Csr) ROW(OptCsr) ROW(Ell) ROW(Sell) ROW(SliceDelta)

template <template <class> class F>
inline constexpr bool has_spmm = false;
#define SPRESS_HAS_SPMM(F) \
  template <>              \
  inline constexpr bool has_spmm<F> = true;
SPRESS_SPMM_FORMATS(SPRESS_HAS_SPMM)
#undef SPRESS_HAS_SPMM

/// Fewer vectors are multiplied faster one after another: reading a slice-delta row by row takes as long as some
/// products.
template <template <class> class F>
inline constexpr std::int64_t least_columns = 2;
template <>
inline constexpr std::int64_t least_columns<SliceDelta> = 8;

/// Y = A X. X: cols x count, Y: rows x count; every element of Y is written, as a sum in the order of the row's
/// entries. The result does not depend on the number of threads. Memory: for each thread, the entries of up to 64 rows.
/// Requires: validate(a) holds; readable_as<T>(a.values); has_spmm<F>. threads: 0 for OpenMP's default.
/// Throws std::bad_alloc.
template <class T, template <class> class F>
void spmm(const F<Viewed>& a, std::uint64_t count, RowMajor<const T> x, RowMajor<T> y, int threads = 0);

}  // namespace spress::cpu
