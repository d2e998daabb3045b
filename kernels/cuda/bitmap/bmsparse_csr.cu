#include "kernels/cuda/bitmap/bitmap_blocks.cuh"
#include "kernels/cuda/bitmap/bmsparse_csr.cuh"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

template <class T>
Result<AddingProduct<T>> adding_product(const BmSparseCsr<Viewed>& host, const BmSparseCsr<Viewed>& device) {
  return blocks_product<T, PointedBlocks>(host, device);
}
template Result<AddingProduct<float>> adding_product(const BmSparseCsr<Viewed>&, const BmSparseCsr<Viewed>&);
template Result<AddingProduct<double>> adding_product(const BmSparseCsr<Viewed>&, const BmSparseCsr<Viewed>&);

namespace {

template <class T>
Result<Product<T>> make(const BmSparseCsr<Viewed>& host, const BmSparseCsr<Viewed>& device) {
  SPRESS_TRY(AddingProduct<T> blocks, adding_product<T>(host, device));
  return writing_product(std::move(blocks));
}

}  // namespace

SPRESS_CUDA_PRODUCT(BmSparseCsr, make)

}  // namespace spress::cuda
