// The product of bmsparse-csr, which hybrid-bm-csr adds to that of its other part.
#pragma once

#include <functional>
#include <string>

#include "formats/bitmap/bmsparse_csr.hpp"
#include "kernels/cuda/device/memory.hpp"

namespace spress::cuda {

template <class T>
struct AddingProduct {
  /// y = A x, or y += A x where `add`. As Product::multiply in all else; the same bits in every run.
  std::function<Status(const T* x, T* y, bool add, Stream stream)> multiply;
  std::string kernel;
};

/// T: float or double. Requirements and errors: as product().
template <class T>
[[nodiscard]] Result<AddingProduct<T>> adding_product(const BmSparseCsr<Viewed>& host,
                                                      const BmSparseCsr<Viewed>& device);

}  // namespace spress::cuda
