// Matrices larger than the device's memory: cut into pieces of rows, of which as many as fit stay there, and the others
// come through it in each product, the next ones while those before multiply.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cuda/device/transfer.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda {

/// Rows of a matrix as a matrix of their own.
template <class T>
struct StreamedRows {
  std::uint64_t first_row = 0;
  PinnedMemory packed;  ///< its arrays (see pack in formats/core/description.hpp): a multiple of packing_alignment
  /// Makes the product of these rows, whose packed arrays will lie at `device` whenever it runs.
  std::function<Result<Product<T>>(const void* device)> product;
};

template <class T>
struct StreamedProduct {
  Product<T> product;
  std::uint64_t bytes = 0;           ///< of all pieces
  std::uint64_t streamed_bytes = 0;  ///< of those that each product copies
};

/// The product of all pieces together. budget: bytes of device memory that the pieces may take, at most what is free;
/// within it lie those that stay, and if that is not all, places for three of those that come through. Products on
/// different streams must not overlap: they share these places. Requires: x and y of the product have cols and all
/// rows. Errors: too_large where the budget, or the device, holds no three pieces; those of the pieces' products.
template <class T>
[[nodiscard]] Result<StreamedProduct<T>> streamed_product(std::vector<StreamedRows<T>> pieces, std::uint64_t budget);

}  // namespace spress::cuda
