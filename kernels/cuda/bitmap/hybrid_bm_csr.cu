#include "formats/bitmap/hybrid_bm_csr.hpp"
#include "kernels/cuda/bitmap/bmsparse_csr.cuh"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {
namespace {

/// The scattered part writes y, the dense one adds to it; a part without entries is left out.
template <class T>
Result<Product<T>> make(const HybridBmCsr<Viewed>& host, const HybridBmCsr<Viewed>& device) {
  const bool scattered = host.csr.rows != 0, dense = host.bm.rows != 0;
  SPRESS_TRY(Product<T> csr, (product<T, OptCsr>(scattered_part(host), scattered_part(device))));
  SPRESS_TRY(AddingProduct<T> bm, adding_product<T>(dense_part(host), dense_part(device)));
  Product<T> out;
  out.repeatable = csr.repeatable;
  if (scattered) out.kernel = csr.kernel;
  if (dense) out.kernel += (scattered ? "; " : "") + bm.kernel;
  if (!scattered && !dense) out.kernel = "none";
  out.multiply = [=, rows = host.rows, csr = std::move(csr.multiply), bm = std::move(bm.multiply)](
                     const T* x, T* y, Stream stream) -> Status {
    if (scattered) SPRESS_CHECK(csr(x, y, stream));
    if (dense) return bm(x, y, scattered, stream);
    return scattered ? Status(Ok{}) : fill_bytes(y, 0, rows * sizeof(T), stream);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(HybridBmCsr, make)

}  // namespace spress::cuda
