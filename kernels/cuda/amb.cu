#include "formats/amb.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Amb<Viewed>&, const Amb<Viewed>&) {
  return Error{ErrorCode::unsupported, "amb has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(Amb, make)

}  // namespace spress::cuda
