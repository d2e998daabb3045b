#include "pipeline/measure/break_even.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

namespace spress::pipeline {
namespace {

/// The least whole number of gains that make up for a cost; none if there is no gain.
std::optional<std::uint64_t> paid_back(double cost, double gain) {
  if (cost <= 0) return 0;
  if (!(gain > 0) || cost / gain > 1e15) return std::nullopt;
  return static_cast<std::uint64_t>(std::ceil(cost / gain));
}

}  // namespace

void fill_break_even(reports::TransferMeasure& row, double csr_seconds, double csr_spmv) {
  const double saved = csr_seconds - row.seconds_median;
  if (!std::isfinite(saved) || !std::isfinite(row.encode_seconds)) return;  // CSR itself is not encoded
  row.break_even_transfers = paid_back(row.encode_seconds, saved);
  const double gain = csr_spmv - row.spmv_seconds;
  row.break_even_spmv = paid_back(row.encode_seconds - saved, std::isfinite(gain) ? gain : 0);
}

}  // namespace spress::pipeline
