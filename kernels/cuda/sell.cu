#include "formats/sell.hpp"
#include "kernels/cuda/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const Sell<Viewed>&, const Sell<Viewed>&) {
  return Error{ErrorCode::unsupported, "sell has no product on the device yet", {}, 0};
}

}  // namespace

SPRESS_CUDA_PRODUCT(Sell, make)

}  // namespace spress::cuda
