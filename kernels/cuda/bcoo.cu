#include "formats/bcoo.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Bcoo<Viewed>&, const Bcoo<Viewed>&) {
  return Error{ErrorCode::unsupported, "bcoo has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(Bcoo, make)

}  // namespace spress::cuda
