#include "formats/padded/sell.hpp"
#include "kernels/cuda/padded/slices.cuh"

namespace spress::cuda {
namespace {

[[nodiscard]] Slices slices_of(const Sell<Viewed>& a) {
  Slices out;
  out.rows = a.rows;
  out.count = slice_count(a.rows, a.c);
  out.starts = a.slice_start;
  out.col_idx = a.col_idx.data();
  out.row_perm = a.row_perm.empty() ? nullptr : a.row_perm.data();
  out.c = static_cast<std::uint32_t>(a.c);
  return out;
}

template <class T>
Result<Product<T>> make(const Sell<Viewed>& host, const Sell<Viewed>& device) {
  return product_of_slices<T>(slices_of(host), slices_of(device), device.values);
}

}  // namespace

SPRESS_CUDA_PRODUCT(Sell, make)

}  // namespace spress::cuda
