#include "formats/padded/ell.hpp"
#include "kernels/cuda/padded/slices.cuh"

namespace spress::cuda {
namespace {

[[nodiscard]] Slices slices_of(const Ell<Viewed>& a) { return one_slice(a.rows, a.width, a.col_idx.data()); }

template <class T>
Result<Product<T>> make(const Ell<Viewed>& host, const Ell<Viewed>& device) {
  return product_of_slices<T>(slices_of(host), slices_of(device), device.values);
}

}  // namespace

SPRESS_CUDA_PRODUCT(Ell, make)

}  // namespace spress::cuda
