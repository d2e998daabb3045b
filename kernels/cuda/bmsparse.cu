#include "formats/bmsparse.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const BmSparse<Viewed>&, const BmSparse<Viewed>&) {
  return Error{ErrorCode::unsupported, "bmsparse has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(BmSparse, make)

}  // namespace spress::cuda
