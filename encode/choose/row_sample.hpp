// A small matrix that stands for a large one where formats are compared.
#pragma once

#include <cstdint>

#include "formats/csr/csr.hpp"

namespace spress {

/// Entries of a matrix so small that contested choices are made by the whole of it: a sample need not tell more than
/// which are.
inline constexpr std::uint64_t small_matrix = 8192;

/// Runs of rows of a matrix in their order, spread evenly over it, as a matrix of its own. Columns move to the left
/// with their rows, and so keep their distances to each other and to the diagonal; those too far left to do so stay
/// where they are, so that distances to them shrink. Rows far longer than most are cut.
struct RowSample {
  Csr<Viewed> csr;                      ///< of `owned`, or the whole matrix where it is small
  bool whole = true;                    ///< what is found of `csr` is exact for the matrix
  double entries = 1, index_bytes = 1;  ///< of the matrix, over those of the sample; index_bytes: in CSR
  /// Slots, of the matrix, that rows longer than all those of the sample add where rows are padded to the longest of
  /// 32, sorted in windows of 2^15: what a few rows add to a format that pads, and no sample shows.
  double long_row_padding = 0;
  Csr<Owned> owned;
};

/// About one entry in `part`, at least two to four thousand, fewer of some thousand and of many millions, the same ones
/// in every call. The sample of a very small matrix is that matrix, and refers to it. Complexity: linear in the sample.
[[nodiscard]] RowSample sample_rows(const Csr<Viewed>& a, int threads = 0, std::uint64_t part = 32);

}  // namespace spress
