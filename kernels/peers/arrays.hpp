// A matrix as the peers take it: 32-bit signed ids and values of the type that they compute in.
#pragma once

#include <string>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"

namespace spress::peers {

/// Pointers into a CSR matrix; the values of a pattern are held here. Moving it keeps the pointers good.
template <class T>
struct Arrays {
  int rows = 0, cols = 0, nnz = 0;
  const int* row_ptr = nullptr;  ///< rows + 1
  const int* col_idx = nullptr;  ///< nnz
  const T* values = nullptr;     ///< nnz
  std::vector<T> ones;           ///< nnz for a pattern, otherwise empty
};

/// Errors: not_applicable where ids or positions exceed 31 bits, or the values are no raw T and no pattern.
template <class T>
[[nodiscard]] Result<Arrays<T>> arrays_of(const Csr<Viewed>& a, const std::string& peer);

}  // namespace spress::peers
