// Sparse matrix-vector product on a CUDA device for every row of formats/list.hpp, defined in kernels/cuda/<format>.cu.
#pragma once

#include <functional>
#include <string>

#include "formats/list.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace spress::cuda {

/// A product made ready for one matrix on the device.
template <class T>
struct Product {
  /// y = A x. x: cols, y: rows, in device memory; every element of y is written. Launches on the stream and returns;
  /// neither allocates nor waits, so that it can be captured in a graph. One call at a time: scratch is shared.
  std::function<Status(const T* x, T* y, Stream stream)> multiply;
  std::string kernel;      ///< which of the format's kernels it took, as in "row per warp"
  bool repeatable = true;  ///< the same bits in every run; false where atomic additions meet in any order
};

/// The product of a matrix in format F. host, device: the same matrix, as it lies in the memory of each; the kernel and
/// its grid are chosen from the host's arrays. The device's must outlive the product, the host's need not.
/// params: those of the format, some of which may choose among its products.
/// T: float or double. Requires: validate(host) holds; readable_as<T>(host.values).
/// Errors: too_large where the scratch does not fit; unsupported for whatever the device reports.
template <class T, template <class> class F>
[[nodiscard]] Result<Product<T>> product(const F<Viewed>& host, const F<Viewed>& device,
                                         const typename F<Owned>::Params& params = {});

#define SPRESS_ROW(F)                                                                        \
  template <>                                                                                \
  Result<Product<float>> product<float, F>(const F<Viewed>& host, const F<Viewed>& device,   \
                                           const F<Owned>::Params& params);                  \
  template <>                                                                                \
  Result<Product<double>> product<double, F>(const F<Viewed>& host, const F<Viewed>& device, \
                                             const F<Owned>::Params& params);
SPRESS_FORMATS(SPRESS_ROW)
#undef SPRESS_ROW

}  // namespace spress::cuda
