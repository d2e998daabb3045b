// Sparse matrix-vector product on the CPU for every row of formats/list.hpp, defined in kernels/cpu/<format>.cpp.
#pragma once

#include "formats/list.hpp"
#include "kernels/isa.hpp"

namespace spress::cpu {

/// The product compiled for one instruction set, or for the next narrower one (shared_products); see spmv. Requires:
/// the processor has it.
template <Isa isa, class T, template <class> class F>
void product(const F<Viewed>& a, const T* x, T* y, int threads);

#define SPRESS_PRODUCT(ISA, T, F) \
  template <>                     \
  void product<Isa::ISA, T, F>(const F<Viewed>& a, const T* x, T* y, int threads);
#define SPRESS_ROW(F)                 \
  SPRESS_PRODUCT(portable, float, F)  \
  SPRESS_PRODUCT(portable, double, F) \
  SPRESS_PRODUCT(avx2, float, F)      \
  SPRESS_PRODUCT(avx2, double, F)     \
  SPRESS_PRODUCT(avx512, float, F)    \
  SPRESS_PRODUCT(avx512, double, F)
SPRESS_FORMATS(SPRESS_ROW)
#undef SPRESS_ROW
#undef SPRESS_PRODUCT

/// Columns that 32-bit gathers, which take their indices as signed numbers, can reach.
inline constexpr std::uint64_t widest_gather = std::uint64_t{1} << 31;

/// y = A x. x: cols, y: rows; every element of y is written. T: float or double.
/// Requires: validate(a) holds; readable_as<T>(a.values). threads: 0 for OpenMP's default.
/// The result does not depend on the number of threads unless the format's header says so; its rounding depends on the
/// instruction set.
template <class T, template <class> class F>
void spmv(const F<Viewed>& a, const T* x, T* y, int threads = 0) {
#ifdef __x86_64__
  const Isa isa = a.cols <= widest_gather ? isa_of_product<F>() : Isa::portable;
  if (isa == Isa::avx512) return product<Isa::avx512>(a, x, y, threads);
  if (isa == Isa::avx2) return product<Isa::avx2>(a, x, y, threads);
#endif
  product<Isa::portable>(a, x, y, threads);
}

}  // namespace spress::cpu
