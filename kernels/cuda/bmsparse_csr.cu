#include "formats/bmsparse_csr.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const BmSparseCsr<Viewed>&, const BmSparseCsr<Viewed>&) {
  return Error{ErrorCode::unsupported, "bmsparse_csr has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(BmSparseCsr, make)

}  // namespace spress::cuda
