// Sparse matrix-vector product on the CPU, one overload for every row of formats/list.hpp, defined in
// kernels/cpu/<format>.cpp.
#pragma once

#include "formats/list.hpp"

namespace spress::cpu {

/// y = A x. x: cols, y: rows; every element of y is written. T: float or double.
/// Requires: validate(a) holds; readable_as<T>(a.values). threads: 0 for OpenMP's default.
/// The result does not depend on the number of threads unless the format's header says so.
template <class T, template <class> class F>
void spmv(const F<Viewed>& a, const T* x, T* y, int threads = 0);

#define SPRESS_ROW(F)                                                             \
  template <>                                                                     \
  void spmv<float, F>(const F<Viewed>& a, const float* x, float* y, int threads); \
  template <>                                                                     \
  void spmv<double, F>(const F<Viewed>& a, const double* x, double* y, int threads);
SPRESS_FORMATS(SPRESS_ROW)
#undef SPRESS_ROW

}  // namespace spress::cpu
