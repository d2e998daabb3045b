#include "formats/bcoo.hpp"
#include "kernels/cuda/coo_product.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Bcoo<Viewed>& host, const Bcoo<Viewed>& device) {
  return coo_product<T>(as_coo(host), as_coo(device), host.chunk);
}

}  // namespace

SPRESS_CUDA_PRODUCT(Bcoo, make)

}  // namespace spress::cuda
