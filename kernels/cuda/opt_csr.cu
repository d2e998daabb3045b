#include "formats/opt_csr.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const OptCsr<Viewed>&, const OptCsr<Viewed>&) {
  return Error{ErrorCode::unsupported, "opt_csr has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(OptCsr, make)

}  // namespace spress::cuda
