#include "formats/bccoo.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Bccoo<Viewed>&, const Bccoo<Viewed>&) {
  return Error{ErrorCode::unsupported, "bccoo has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(Bccoo, make)

}  // namespace spress::cuda
