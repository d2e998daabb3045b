#include "formats/bitmap/bmsparse.hpp"
#include "kernels/cuda/bitmap/bitmap_blocks.cuh"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {
namespace {

template <class T>
Result<Product<T>> make(const BmSparse<Viewed>& host, const BmSparse<Viewed>& device) {
  SPRESS_TRY(AddingProduct<T> blocks, (blocks_product<T, KeyedBlocks>(host, device)));
  return writing_product(std::move(blocks));
}

}  // namespace

SPRESS_CUDA_PRODUCT(BmSparse, make)

}  // namespace spress::cuda
