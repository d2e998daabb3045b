// A whole matrix of its lower triangle. Private to formats/io.
#pragma once

#include <cstdint>
#include <span>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"
#include "formats/io/matrix_file/triangle/fold.hpp"

namespace spress::io {

/// Entries up to the diagonal. columns ascend within a row.
struct LowerTriangle {
  std::uint64_t rows = 0;
  HostArray<std::uint32_t> lengths, columns;  // rows; entries
  HostArray<std::uint8_t> values;             // entries values, or empty
  HostArray<std::uint8_t> mirrored;  // for Fold::pattern, likewise: each value above the diagonal at the place of
                                     // the entry below
};

/// The error of a triangle that makes another number of entries than its file says.
[[nodiscard]] Error other_entries();

/// The matrix of which it is the lower triangle, with raw values. The result does not depend on the number of threads.
/// Errors: damaged where it has another number of entries than nnz. Throws std::bad_alloc.
[[nodiscard]] Result<Csr<Owned>> unfold(const LowerTriangle& lower, Fold fold, ValueType type, std::uint64_t nnz,
                                        int threads);

}  // namespace spress::io
