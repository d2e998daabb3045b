#include "formats/bccoo_gpu.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const BccooGpu<Viewed>&, const BccooGpu<Viewed>&) {
  return Error{ErrorCode::unsupported, "bccoo_gpu has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(BccooGpu, make)

}  // namespace spress::cuda
