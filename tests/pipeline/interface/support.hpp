// Matrices of the library as arguments of the C interface.
#pragma once

#include <spress/spress.h>

#include <cstdint>
#include <memory>

#include "formats/csr/csr.hpp"

namespace spress::tests {

struct Free {
  void operator()(spress_csr* csr) const { spress_csr_free(csr); }
  void operator()(spress_matrix* matrix) const { spress_matrix_free(matrix); }
};
using CsrHandle = std::unique_ptr<spress_csr, Free>;
using MatrixHandle = std::unique_ptr<spress_matrix, Free>;

inline spress_type type_of(ValueType type) {
  switch (type) {
    case ValueType::f32: return SPRESS_FLOAT;
    case ValueType::f64: return SPRESS_DOUBLE;
    case ValueType::c128: return SPRESS_COMPLEX;
    case ValueType::none: break;
  }
  return SPRESS_NONE;
}

/// Requires: raw values or a pattern, and fewer than 2^31 entries.
inline spress_arrays arrays_of(const Csr<Owned>& a) {
  return {static_cast<std::int64_t>(a.rows),
          static_cast<std::int64_t>(a.cols),
          static_cast<std::int64_t>(a.nnz),
          a.row_ptr.raw(),
          a.col_idx.raw(),
          a.values.codes.raw(),
          SPRESS_INT32,
          SPRESS_INT32,
          type_of(a.values.type)};
}

}  // namespace spress::tests
