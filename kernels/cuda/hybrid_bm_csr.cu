#include "formats/hybrid_bm_csr.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const HybridBmCsr<Viewed>&, const HybridBmCsr<Viewed>&) {
  return Error{ErrorCode::unsupported, "hybrid_bm_csr has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(HybridBmCsr, make)

}  // namespace spress::cuda
