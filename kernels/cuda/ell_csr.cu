#include "formats/ell_csr.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const EllCsr<Viewed>&, const EllCsr<Viewed>&) {
  return Error{ErrorCode::unsupported, "ell_csr has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(EllCsr, make)

}  // namespace spress::cuda
