#include "formats/ell.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Ell<Viewed>&, const Ell<Viewed>&) {
  return Error{ErrorCode::unsupported, "ell has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(Ell, make)

}  // namespace spress::cuda
