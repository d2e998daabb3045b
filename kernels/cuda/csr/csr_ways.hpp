// The product of a CSR that no parameter asks for, without CUDA's headers: `auto` takes it, and tests do.
#pragma once

#include "formats/csr/csr.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda {

/// As product, but lanes read their rows straight from memory (csr_direct.cuh), whatever the matrix is like.
/// Errors: also unsupported, where there are too many entries.
template <class T>
[[nodiscard]] Result<Product<T>> csr_direct_product(const Csr<Viewed>& host, const Csr<Viewed>& device);

}  // namespace spress::cuda
