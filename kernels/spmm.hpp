// Products with blocks of vectors on the CPU, for which a matrix is read once.
#pragma once

#include <cstdint>

#include "formats/list.hpp"
#include "kernels/cpu/shared/entry_rows.hpp"

namespace spress::cpu {

/// Whether spmm takes the format. Others are multiplied with one vector after another.
template <template <class> class F>
inline constexpr bool has_spmm = false;
template <>
inline constexpr bool has_spmm<Csr> = true;
template <>
inline constexpr bool has_spmm<OptCsr> = true;
template <>
inline constexpr bool has_spmm<Ell> = true;
template <>
inline constexpr bool has_spmm<Sell> = true;

/// Y = A X. X: cols x count, Y: rows x count; every element of Y is written, as a sum in the order of the row's
/// entries. The result does not depend on the number of threads. Memory: for each thread, the entries of up to 64 rows.
/// Requires: validate(a) holds; readable_as<T>(a.values); has_spmm<F>. threads: 0 for OpenMP's default.
/// Throws std::bad_alloc.
template <class T, template <class> class F>
void spmm(const F<Viewed>& a, std::uint64_t count, RowMajor<const T> x, RowMajor<T> y, int threads = 0);

}  // namespace spress::cpu
