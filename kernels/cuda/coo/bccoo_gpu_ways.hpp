// The ways of a product in bccoo-gpu, without CUDA's headers: what tests choose among.
#pragma once

#include <optional>

#include "formats/coo/bccoo_gpu.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda {

enum class TupleWay {
  by_rows,     ///< a warp takes whole rows, lanes side by side (bccoo_gpu.cu)
  by_entries,  ///< a block takes a chunk: products by entries, then sums by rows (bccoo_gpu_chunks.cu)
};

/// As product, but by the way given; none: by the fastest. Errors: unsupported for by_entries, if chunks are too long
/// or too many.
template <class T>
[[nodiscard]] Result<Product<T>> bccoo_gpu_product(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device,
                                                   std::optional<TupleWay> way);

/// The way of chunks. Requires: values of type T or none. Errors: unsupported for chunks of more than 1024 entries, or
/// more than 2^31 of them.
template <class T>
[[nodiscard]] Result<Product<T>> bccoo_gpu_by_entries(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device);

/// True if products by entries are the faster way: chunks are not small, and lanes that take neighbouring rows would
/// not ask for neighbouring elements of x.
[[nodiscard]] bool goes_by_entries(const BccooGpu<Viewed>& host);

}  // namespace spress::cuda
