// What an ordering is judged by.
#pragma once

#include <cstdint>

#include "formats/csr.hpp"

namespace spress::reorder {

/// Square or rectangular matrices; explicit zeros count as entries.
struct EnvelopeMetrics {
  std::uint64_t bandwidth = 0;      ///< largest |row - column|
  std::uint64_t profile = 0;        ///< sum over rows of row - first column at or left of the diagonal (0 where none)
  std::uint64_t max_wavefront = 0;  ///< of the pattern of A + A^T, square matrices only
  double mean_wavefront = 0;        ///< square root of the mean of squares is `rms_wavefront`
  double rms_wavefront = 0;
};

/// Metrics of a matrix as it stands.
[[nodiscard]] EnvelopeMetrics envelope_metrics(const Csr<Viewed>& a);

/// True if (i, j) is an entry wherever (j, i) is. False for rectangular matrices.
[[nodiscard]] bool pattern_symmetric(const Csr<Viewed>& a);

}  // namespace spress::reorder
