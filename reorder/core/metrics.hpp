// What an ordering is judged by.
#pragma once

#include <cstdint>

#include "formats/csr/row_panel.hpp"

namespace spress::reorder {

/// Explicit zeros count as entries. Bandwidth and profile are those of the matrix as it stands, square or rectangular,
/// symmetric or not. Wavefronts are those of the pattern of A + A^T, and 0 where the matrix is not square: the
/// wavefront at step i counts the rows a front solver holds while it eliminates row i, which are row i itself and each
/// row j > i adjacent to any of the rows 0..i.
/// Source: Everstine, A comparison of three resequencing algorithms for the reduction of matrix profile and wavefront,
/// Int. J. Numer. Methods Eng. 14 (1979), 837-853, for the wavefronts; DESIGN.md section 3 for the profile.
struct EnvelopeMetrics {
  std::uint64_t bandwidth = 0;      ///< largest |row - column|
  std::uint64_t profile = 0;        ///< sum over rows of row - first column at or left of the diagonal (0 where none)
  std::uint64_t max_wavefront = 0;  ///< largest over all steps
  double mean_wavefront = 0;        ///< mean over all steps
  double rms_wavefront = 0;         ///< square root of the mean of the squares
};

/// Metrics of a matrix as it stands. Cost: linear in nnz + rows, with 4.5 bytes per row beside.
[[nodiscard]] EnvelopeMetrics envelope_metrics(const Csr<Viewed>& a);

/// Measures a matrix that comes in panels. One that is not square takes next to no memory.
class EnvelopeCounter {
 public:
  /// Memory for a row of a square matrix, that of `metrics` included.
  static constexpr std::uint64_t bytes_per_row = 5;

  /// rows, cols: of the whole matrix. Throws std::bad_alloc.
  EnvelopeCounter(std::uint64_t rows, std::uint64_t cols);
  void add(const RowPanel& panel);
  /// Requires: all panels were added.
  [[nodiscard]] EnvelopeMetrics metrics() const;

 private:
  HostArray<std::uint32_t> first_;  ///< of each row of A + A^T, the first row it is adjacent to, or itself
  std::uint64_t bandwidth_ = 0, profile_ = 0;
};

/// True if (i, j) is an entry wherever (j, i) is. False for rectangular matrices.
/// Cost: linear, with at most nnz / 4 + rows positions beside; ends early where the answer is no.
[[nodiscard]] bool pattern_symmetric(const Csr<Viewed>& a);

}  // namespace spress::reorder
