#include "formats/coo/bcoo.hpp"
#include "kernels/cuda/coo/coo_product.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Bcoo<Viewed>& host, const Bcoo<Viewed>& device) {
  return coo_product<T>(as_coo(host), as_coo(device), host.chunk);
}

}  // namespace

SPRESS_CUDA_PRODUCT(Bcoo, make)

}  // namespace spress::cuda
