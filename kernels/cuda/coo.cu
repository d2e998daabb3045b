#include "formats/coo.hpp"
#include "kernels/cuda/coo_shares.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Coo<Viewed>& host, const Coo<Viewed>& device) {
  return make_coo_product<T>(host, device, 1024);
}

}  // namespace

SPRESS_CUDA_PRODUCT(Coo, make)

}  // namespace spress::cuda
