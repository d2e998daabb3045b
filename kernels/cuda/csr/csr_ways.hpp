// The ways of a product in CSR, without CUDA's headers: what tests choose among.
#pragma once

#include <optional>

#include "formats/csr/csr.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda {

enum class CsrWay {
  directly,    ///< lanes read their rows straight from memory (csr_direct.cuh)
  by_rows,     ///< tiles in shared memory, rows by lanes
  by_entries,  ///< products by entries, then sums by rows
};

/// As product, but by the way given; none: by the fastest. Errors: unsupported where there are too many entries for the
/// direct way.
template <class T>
[[nodiscard]] Result<Product<T>> csr_product(const Csr<Viewed>& host, const Csr<Viewed>& device,
                                             std::optional<CsrWay> way);

}  // namespace spress::cuda
