// A small matrix that stands for a large one where formats are compared.
#pragma once

#include <cstdint>

#include "formats/csr/csr.hpp"

namespace spress {

/// Runs of rows of a matrix, spread evenly over it, as a matrix of its own. The columns of a run move left with its
/// rows, so that distances between columns and to the diagonal are kept. Columns that are too far left stay where they
/// are, so their distances shrink. Rows far longer than most are cut.
struct RowSample {
  Csr<Viewed> csr;         ///< of `owned`, or the whole matrix
  bool whole = true;       ///< `csr` is the whole matrix
  double entries = 1;      ///< of the matrix, over those of the sample
  double index_bytes = 1;  ///< likewise, of CSR's index bytes
  /// Padding slots that the rows longer than every sampled row add to the whole matrix, if rows are padded to the
  /// longest of 32 and sorted in windows of 2^15.
  double long_row_padding = 0;
  Csr<Owned> owned;
};

/// The matrix as its own sample.
[[nodiscard]] RowSample whole_sample(const Csr<Viewed>& a);

/// About `entries` entries, the same ones in every call; the whole matrix if it has no more.
/// Complexity: linear in the sample and in the rows.
[[nodiscard]] RowSample sample_rows(const Csr<Viewed>& a, std::uint64_t entries, int threads = 0);

}  // namespace spress
