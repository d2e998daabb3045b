#include "formats/ell.hpp"
#include "kernels/cuda/slices.cuh"

namespace spress::cuda {
namespace {

[[nodiscard]] Slices slices_of(const Ell<Viewed>& a) { return one_slice(a.rows, a.width, a.col_idx.data()); }

template <class T>
Result<Product<T>> make(const Ell<Viewed>& host, const Ell<Viewed>& device) {
  SPRESS_TRY(const auto product, SlicesProduct<T>::make(slices_of(host), slices_of(device), device.values));
  Product<T> out;
  out.kernel = product.kernel();
  out.multiply = [product](const T* x, T* y, Stream stream) { return product.multiply(x, y, stream); };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(Ell, make)

}  // namespace spress::cuda
