#include "formats/hyb.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Hyb<Viewed>&, const Hyb<Viewed>&) {
  return Error{ErrorCode::unsupported, "hyb has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(Hyb, make)

}  // namespace spress::cuda
