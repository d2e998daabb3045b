#include "formats/csr.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Csr<Viewed>&, const Csr<Viewed>&) {
  return Error{ErrorCode::unsupported, "csr has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(Csr, make)

}  // namespace spress::cuda
